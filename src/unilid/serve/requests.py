"""What may be asked: the fields of each request, their types, and what is wrong with one.

The OpenAPI document is written from these classes, so that it says what is checked here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Hashable
from contextlib import suppress
from functools import cache
from typing import Annotated, Any, Literal, TypeVar
from urllib.parse import parse_qsl

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from unilid.decisions.options import BUDGET
from unilid.errors import UnilidError
from unilid.model import Model
from unilid.serve.problems import Problem
from unilid.serve.settings import Limits
from unilid.spans.spans import MAX_SWITCH, SWITCH

S = TypeVar("S", bound=Struct)

_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
"""An escape that is half a character; msgspec takes only whole ones."""

_LARGEST = 2**31 - 1
"""The largest number that the kernel counts with."""

MOST_LANGUAGES = 10_000
"""Codes that a request names, at most: to find what one stands for takes longer than to read it."""
_MOST_QUERIES = 100
_LONGEST_CODE = 100
"""Characters of a code, or of a part of a name."""

Number = Annotated[int, Meta(ge=1, le=_LARGEST)]
Code = Annotated[
    str,
    Meta(
        max_length=_LONGEST_CODE,
        description="A label of the model, or a code that stands for some: ISO 639, BCP 47.",
        examples=["deu_Latn", "de", "zh-Hant"],
        extra_json_schema={"format": "language-code"},
    ),
]
Share = Annotated[float, Meta(ge=0, le=1)]
Codes = Annotated[Literal["label", "bcp47", "iso639_1", "macro"], Meta(description="What is written for a label.")]


class Competitors(Struct, kw_only=True, forbid_unknown_fields=True):
    """Who competes, and how likely each is."""

    languages: (
        Annotated[tuple[Code, ...], Meta(min_length=1, max_length=MOST_LANGUAGES, description="Only these compete.")]
        | None
    ) = None
    prior: Annotated[
        Literal["model", "training"] | Annotated[dict[Code, Share], Meta(max_length=MOST_LANGUAGES)] | None,
        Meta(
            description="How frequent languages are: as fitted for the model, as in its training lines, null for "
            "all the same, or the probabilities of some, which add up to at most 1."
        ),
    ] = "model"


class Answering(Competitors, kw_only=True, forbid_unknown_fields=True):
    """How a text is answered; see `unilid.Options`."""

    calibrated: Annotated[
        bool | Literal["auto"], Meta(description="Whether narrow wins of over-predicted languages are re-ranked.")
    ] = "auto"
    abstain: (
        bool
        | Annotated[
            float,
            Meta(gt=0, lt=1, description="The share of ordinary text that may be answered `und`; true means 0.002."),
        ]
    ) = True
    budget: Annotated[Number, Meta(description="Bytes of a long text that are read at most; null: all.")] | None = (
        BUDGET
    )


class IdentifyOptions(Answering, kw_only=True, forbid_unknown_fields=True):
    """How texts are identified."""

    k: Annotated[Number, Meta(description="Name the k best languages of each text.")] | None = None
    shares: Annotated[bool, Meta(description="Say the share of each language in the letters of each text.")] = False
    codes: Codes = "label"

    def named(self) -> int:
        """Return how many languages the options name."""
        return len(self.languages or ()) + (len(self.prior) if isinstance(self.prior, dict) else 0)

    def key(self) -> Hashable:
        """Return what tells options apart; labels are written afterwards."""
        prior = tuple(self.prior.items()) if isinstance(self.prior, dict) else self.prior
        return (self.languages, prior, self.calibrated, self.abstain, self.budget, self.k, self.shares)


class Identify(IdentifyOptions, kw_only=True, forbid_unknown_fields=True):
    """One text, or several, whose languages are to be named."""

    text: str | UnsetType | None = UNSET
    texts: Annotated[list[str | None], Meta(description="Several texts; null is no text.")] | UnsetType = UNSET

    def __post_init__(self) -> None:
        if (self.text is UNSET) == (self.texts is UNSET):
            raise ValueError("Object must have exactly one of the fields `text` and `texts`")


class StreamOptions(IdentifyOptions, kw_only=True, forbid_unknown_fields=True):
    """How the lines of a stream are answered."""

    field: Annotated[str, Meta(description="The field of a line that has the text.")] = "text"
    keep: Annotated[bool, Meta(description="Whether an answer has the fields of its line, too.")] = True
    prefix: Annotated[str, Meta(description="What the names of new fields begin with.")] = ""


STREAMED = ("field", "keep", "prefix")
"""Options that are for streams alone: what is read of a line, and what is written."""


class SpansOptions(Competitors, kw_only=True, forbid_unknown_fields=True):
    """How a text is taken apart."""

    switch: Annotated[float, Meta(ge=0, le=MAX_SWITCH, description="Penalty in nats for switching language.")] = SWITCH
    least: Annotated[Number, Meta(description="The fewest letters of a span.")] = 1
    most: Annotated[Number, Meta(description="The most languages of the text.")] | None = None
    offsets: Annotated[Literal["characters", "bytes"], Meta(description="What start and end count.")] = "characters"
    codes: Codes = "label"


class Spans(SpansOptions, kw_only=True, forbid_unknown_fields=True):
    """A mixed text, whose stretches are to be named."""

    text: str


class ExplainOptions(Answering, kw_only=True, forbid_unknown_fields=True):
    """What is explained."""

    language: Annotated[Code, Meta(description="The language to explain; null: the answer.")] | None = None
    instead: Annotated[Code, Meta(description="What it is compared with; null: the best of the others.")] | None = None


class Explain(ExplainOptions, kw_only=True, forbid_unknown_fields=True):
    """A text whose answer is to be explained."""

    text: str | None


class LanguagesOptions(Struct, kw_only=True, forbid_unknown_fields=True):
    """Which languages are listed."""

    q: Annotated[
        tuple[Annotated[str, Meta(max_length=_LONGEST_CODE)], ...],
        Meta(
            max_length=_MOST_QUERIES,
            description="A code, or a part of a name; those that one of several finds are listed.",
        ),
    ] = ()


def given(options: Struct, *, but: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the options that are not the default, as the library's arguments.

    >>> given(IdentifyOptions(k=3, languages=("de", "en")), but=("languages",))
    {'k': 3}
    """
    return {
        name: value
        for name, default in _defaults(type(options))
        if name not in but and (value := getattr(options, name)) != default
    }


@cache
def _defaults(kind: type[Struct]) -> tuple[tuple[str, object], ...]:
    return tuple((field.name, field.default) for field in msgspec.structs.fields(kind))


def from_query(query: bytes, kind: type[S]) -> S:
    """Return the options of a query: languages with commas, other values as in JSON, strings bare.

    >>> from_query(b"languages=de,en&abstain=false", IdentifyOptions).languages
    ('de', 'en')
    """
    if not query:
        usual: S = _usual(kind)
        return usual
    fields: dict[str, Any] = {}
    for name, value in parse_qsl(query.decode("utf-8", "replace"), keep_blank_values=True):
        if name in ("languages", "q"):
            fields[name] = [*fields.get(name, []), *(value.split(",") if name == "languages" else [value])]
        elif name in fields:
            raise Problem(422, f"{name} is given twice", field=f"query:{name}")
        else:
            fields[name] = value
    try:
        return msgspec.convert(fields, kind, strict=False)
    except msgspec.ValidationError as error:
        raise invalid(error, "query:") from None


class _OnlyText(Struct, forbid_unknown_fields=True):
    text: str


_only_text = msgspec.json.Decoder(_OnlyText)


def only_text(body: bytes) -> str | None:
    """Return the text of a body that has nothing else; None for all other bodies, which may be in order or not.

    >>> only_text(b'{"text": "Guten Tag"}'), only_text(b'{"text": "Guten Tag", "k": 3}')
    ('Guten Tag', None)
    """
    try:
        return _only_text.decode(body).text
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def from_json(body: bytes, kind: type[S], defaults: Struct) -> S:
    """Return the request in a body of JSON; what it does not say, the query may."""
    try:
        try:
            request: S = _decoder(kind).decode(body)
        except msgspec.DecodeError:
            fields = _fields(body)
            try:
                request = _with_whole_numbers(fields, kind)
            except UnicodeEncodeError:  # half a pair where no text may be: refused as another character is
                request = _decoder(kind).decode(json.dumps(fields, ensure_ascii=False).encode("utf-8", "replace"))
    except msgspec.ValidationError as error:
        raise invalid(error, "#/") from None
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise Problem(400, f"the body is not JSON: {error}", field="body") from None
    if defaults is not _usual(type(defaults)):
        said = _fields(body)
        for name, value in given(defaults, but=STREAMED).items():
            if name not in said:
                setattr(request, name, value)
    return request


def _fields(body: bytes) -> Any:
    r"""Return what a body of JSON says. Half a pair of surrogates, as JavaScript may send, is part of a text, too.

    >>> _fields(rb'{"text": "\ud800 Guten Tag"}')
    {'text': '\ud800 Guten Tag'}
    """
    try:
        return msgspec.json.decode(body)
    except msgspec.DecodeError:
        if not _SURROGATE.search(body):
            raise
        with suppress(ValueError, RecursionError):
            return json.loads(body.decode(), parse_constant=_refuse)
        raise


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def _with_whole_numbers(fields: Any, kind: type[S]) -> S:
    """Return the request that fields are, also where a whole number has a point, as 3.0."""
    try:
        return msgspec.convert(fields, kind)
    except msgspec.ValidationError:
        whole = isinstance(fields, dict) and {
            name: int(value) for name, value in fields.items() if isinstance(value, float) and value.is_integer()
        }
        if not whole:
            raise
        return msgspec.convert({**fields, **whole}, kind)


@cache
def _usual(kind: type[S]) -> S:
    """Return options of which none was given; nobody may change them."""
    return kind()


@cache
def _decoder(kind: type[S]) -> msgspec.json.Decoder[S]:
    return msgspec.json.Decoder(kind)


def invalid(error: msgspec.ValidationError, root: str) -> Problem:
    """Return the problem of a field that is wrong, and say which: a JSON pointer, or a parameter of the query.

    >>> invalid(msgspec.ValidationError("Expected `str`, got `int` - at `$.texts[3]`"), "#/").field
    '#/texts/3'
    """
    detail, _, path = str(error).partition(" - at `$")
    named = re.search("(?:unknown|required) field `(.*)`", detail)
    place = [part for part in re.split(r"[.\[\]`]+", path) if part] + ([named.group(1)] if named else [])
    if root == "query:":
        place = place[:1]  # a parameter, whichever of its values it is
    pointer = "/".join(part.replace("~", "~0").replace("/", "~1") for part in place)
    return Problem(422, detail.replace("Object", "the request"), field=f"{root}{pointer}" if pointer else "body")


def wrong(error: UnilidError, model: Model, options: dict[str, Any], root: str) -> Problem:
    """Return the problem of an option that the library refused: the one that is refused alone, too."""
    alone: list[tuple[str, Callable[[], object]]] = [
        ("languages", lambda: model.identify([], languages=options["languages"])),
        ("prior", lambda: model.identify([], prior=options["prior"])),
        ("calibrated", lambda: model.identify([], calibrated=options["calibrated"])),
        ("language", lambda: model.rows_matching(options["language"])),
        ("instead", lambda: model.rows_matching(options["instead"])),
    ]
    named = [(name, check) for name, check in alone if name in options]
    for name, check in named:
        try:
            check()
        except UnilidError:  # noqa: PERF203  # of three or four
            return Problem(422, str(error), field=root + name)
    return Problem(422, str(error), field=root + named[-1][0] if named else "body")


def check_text(text: str | bytes | None, most: int, field: str) -> None:
    """Refuse a text that has too many bytes."""
    if text is None or len(text) * 4 <= most:
        return
    size = len(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    if size > most:
        raise Problem(413, f"a text has at most {most:,} bytes, and this one {size:,}; cut it up", field=field)


def check_texts(texts: list[str | None], limits: Limits) -> None:
    """Refuse too many texts, and texts that are too long."""
    if len(texts) > limits.texts:
        advice = "send them as a stream (application/x-ndjson)"
        detail = f"a request has at most {limits.texts:,} texts, and this one {len(texts):,}; {advice}"
        raise Problem(413, detail, field="#/texts")
    for number, text in enumerate(texts):
        check_text(text, limits.text, f"#/texts/{number}")
