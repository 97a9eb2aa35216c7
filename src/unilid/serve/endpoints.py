"""The endpoints: what becomes of a request."""

from __future__ import annotations

import codecs
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from functools import cache, cached_property, lru_cache, partial
from time import monotonic
from typing import Any, NamedTuple, TypeVar

from msgspec import Struct

from unilid.errors import UnilidError
from unilid.languages import catalogue
from unilid.languages.usual import Codes
from unilid.model import Model
from unilid.records.answers import Answer, Fields, ask, to_json
from unilid.serve import bodies, requests
from unilid.serve.batches import SHORT, Batches
from unilid.serve.files import Document
from unilid.serve.limits import Turns, reading
from unilid.serve.metrics import GONE, Metrics
from unilid.serve.problems import Headers, Problem, Response, busy, json_response
from unilid.serve.requests import STREAMED, IdentifyOptions, check_text, check_texts, given, wrong
from unilid.serve.settings import Limits
from unilid.serve.streaming import Lines
from unilid.spans import view
from unilid.texts import Text, utf8

S = TypeVar("S", bound=Struct)
T = TypeVar("T")

JSON, PLAIN, NDJSON = "application/json", "text/plain", "application/x-ndjson"
JSON_TYPE = JSON.encode()
"""The media type of a body that names none."""

_PIECE = 250
"""Texts of a list that are answered in one turn, so that others come in between."""


_EACH = 32
"""Characters that a text counts for beyond its own: even an empty one is answered."""
_REMEMBERED = 1000
"""Options that were accepted before, and need not be checked again in a thread."""
_FEW = 100
"""Languages that options name at most to be remembered: others would take much memory, and much time all the same."""
_LONGEST_MEDIA = 100
"""Bytes of a header that are looked at for a media type; none that is known is as long."""
_USUAL, _USUAL_FIELDS = IdentifyOptions().key(), Fields()


_OF_PYTHON = {"idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"}
"""Encodings that no text on the web is in. Some of them take time that grows faster than the text."""


class Request(NamedTuple):
    """What an endpoint is asked."""

    media: str
    """The media type of the body, without its parameters."""
    headers: Mapping[bytes, bytes]
    query: bytes
    receive: bodies.Receive
    send: Callable[[Any], Awaitable[None]]
    seen: Callable[[object], None]
    """Is told the text, for a log that was asked for."""
    shared: Headers = ()
    """What lets pages of other origins read the answer."""


class Streamed(NamedTuple):
    """An answer that was sent already, or as much of it as could be."""

    status: int
    fault: Exception | None = None
    """What the service is to blame for, where it could not be sent to its end."""


class Endpoints:
    """Answers requests with a model."""

    def __init__(self, model: Model, limits: Limits, metrics: Metrics, *, threads: int) -> None:
        self.model, self.limits, self.metrics = model, limits, metrics
        self.turns = Turns(limits, threads, metrics.running)
        self._threads = threads
        self._batches = Batches(model, metrics.batch)
        self._accepted: dict[Hashable, None] = {}

    @property
    def calibrated(self) -> bool:
        """Whether the model was calibrated."""
        return self.model.decisions.calibration is not None

    async def identify(self, request: Request) -> Response:
        """Name the language of a text, or of each of several."""
        defaults = _options(request, requests.StreamOptions)
        body = await bodies.read(request.receive, request.headers, self.limits)
        if request.media == JSON and not request.query:
            only = requests.only_text(body)  # as nearly always
            if only is not None and len(only) <= SHORT:
                check_text(only, self.limits.text, "#/text")
                request.seen(only)
                [answer] = await self._batches.ask(None, {}, (only,))
                return json_response(_USUAL_FIELDS.json(answer))
        if request.media == PLAIN:
            text = plain_text(body, request.headers)
            check_text(text, self.limits.text, "body")
            request.seen(text)
            return json_response(await self._one(text, defaults, "query:"))
        asked = requests.from_json(body, requests.Identify, defaults)
        if isinstance(asked.texts, list):
            check_texts(asked.texts, self.limits)
            request.seen(asked.texts)
            return json_response(await self._many(asked.texts, asked))
        assert asked.text is None or isinstance(asked.text, str)
        check_text(asked.text, self.limits.text, "#/text")
        request.seen(asked.text)
        return json_response(await self._one(asked.text, asked, "#/"))

    async def _one(self, text: Text, options: IdentifyOptions, root: str) -> bytes:
        key, asked = await self._asked(options, root)
        if text is None or len(text) <= SHORT:
            [answer] = await self._batches.ask(key, asked, (text,))
        else:
            [answer] = await self.turns.run(partial(ask, self.model, [text], threads=1, **asked))
            self.metrics.texts(1)
        return _fields(options).json(answer)

    async def _many(self, texts: list[str | None], options: IdentifyOptions) -> bytes:
        key, asked = await self._asked(options, "#/")
        fields, written, start = _fields(options), [], monotonic()

        def record(answers: Sequence[Answer]) -> bytes:
            return b", ".join(map(fields.json, answers))

        if sum(len(text or "") + _EACH for text in texts) <= SHORT:
            return b"[" + record(await self._batches.ask(key, asked, texts)) + b"]"
        for place in range(0, len(texts), _PIECE):
            piece = partial(ask, self.model, texts[place : place + _PIECE], threads=self._threads, **asked)
            written.append(await self.turns.run(lambda piece=piece: record(piece()), begun=place > 0))  # type: ignore[misc]
            self._check_time(start)
        self.metrics.texts(len(texts))
        return b"[" + b", ".join(written) + b"]"

    async def _asked(self, options: IdentifyOptions, root: str) -> tuple[Hashable, dict[str, Any]]:
        """Return what tells options apart, and options as the library takes them; new ones are checked, in a thread."""
        key = options.key()
        if key == _USUAL:
            return None, {}
        asked = given(options, but=("text", "texts", "codes", *STREAMED))
        if key not in self._accepted:
            await self._run(partial(ask, self.model, [], **asked), asked, root)
            if options.named() <= _FEW:
                self._accepted[key] = None
            if len(self._accepted) > _REMEMBERED:
                self._accepted.pop(next(iter(self._accepted)))
        return key, asked

    def _check_time(self, start: float) -> None:
        if monotonic() - start > self.limits.seconds:
            raise busy(f"the answer takes longer than {self.limits.seconds:g} s")

    async def stream(self, request: Request) -> Response | Streamed:
        """Name the language of each line of a stream."""
        options = requests.from_query(request.query, requests.StreamOptions)
        lines = Lines(self.model, options, self.limits, self._threads)
        begun = False

        async def run(work: Callable[[], bytes]) -> bytes:
            return await self.turns.run(work, begun=begun)

        try:
            async for answers in lines.answered(bodies.stream(request.receive, request.headers, self.limits), run):
                if not begun:
                    headers = ((b"content-type", NDJSON.encode()), (b"x-content-type-options", b"nosniff"))
                    start = {"type": "http.response.start", "status": 200, "headers": [*headers, *request.shared]}
                    await request.send(start)
                    begun = True
                with reading(self.limits):
                    await request.send({"type": "http.response.body", "body": answers, "more_body": True})
        except Exception as error:
            if not begun:
                raise
            expected = isinstance(error, Problem | bodies.GoneError)  # it cannot be told: the stream ends here
            return Streamed(GONE) if expected else Streamed(500, error)
        finally:
            self.metrics.texts(lines.done)
        if not begun:
            return Response(200, b"", ((b"content-type", NDJSON.encode()),))
        await request.send({"type": "http.response.body", "body": b"", "more_body": False})
        return Streamed(200)

    async def spans(self, request: Request) -> Response:
        """Say which stretch of a text is in which language."""
        text, asked, root = await self._text(request, requests.Spans, requests.SpansOptions, self.limits.text)
        options = given(asked, but=("text", "codes"))

        def answered() -> bytes:
            content = utf8(text or "")
            characters = text if isinstance(text, str) else content.decode("utf-8", "surrogateescape")
            found = self.model.spans(characters, **options)
            shown = content if options.get("offsets") == "bytes" else characters
            return to_json(list(view.records(shown, found, asked.codes)))

        self.metrics.texts(1)
        if not options and len(text or "") <= SHORT:
            return json_response(answered())
        return json_response(await self._run(answered, options, root))

    async def explain(self, request: Request) -> Response:
        """Say why a text is in one language rather than in another."""
        text, asked, root = await self._text(request, requests.Explain, requests.ExplainOptions, self.limits.explained)
        options = given(asked, but=("text",))
        answered = partial(lambda: self.model.explain(text, **options).to_json().encode("utf-8", "backslashreplace"))
        self.metrics.texts(1)
        return json_response(await self._run(answered, options, root))

    async def _text(
        self, request: Request, kind: type[S], options: type[Struct], most: int
    ) -> tuple[str | bytes | None, Any, str]:
        """Return the one text of a request, its options, and how fields of these are called."""
        defaults = _options(request, options)
        body = await bodies.read(request.receive, request.headers, self.limits)
        plain = request.media == PLAIN
        asked: Any = defaults if plain else requests.from_json(body, kind, defaults)
        text = plain_text(body, request.headers) if plain else asked.text
        check_text(text, most, "body" if plain else "#/text")
        request.seen(text)
        return text, asked, "query:" if plain else "#/"

    async def _run(self, work: Callable[[], T], options: dict[str, Any], root: str) -> T:
        """Return what some work comes to, done in a thread; where it refuses an option, also the search which one."""

        def checked() -> T:
            try:
                return work()
            except UnilidError as error:
                raise wrong(error, self.model, options, root) from None

        return await self.turns.run(checked)

    async def languages(self, request: Request) -> Response | Document:
        """List the languages of the model, or search them."""
        queries = requests.from_query(request.query, requests.LanguagesOptions).q
        if queries:
            return json_response(await self.turns.run(partial(self._listed, queries)))
        return await self.turns.run(lambda: self._all_languages)

    @cached_property
    def _all_languages(self) -> Document:
        return Document(JSON, content=self._listed(()))

    def _listed(self, queries: tuple[str, ...]) -> bytes:
        model = self.model
        try:
            entries = catalogue.of_model(model.languages, model.lines.tolist(), model.info, queries)
        except UnilidError as error:
            raise Problem(404, str(error), field="query:q") from None
        return to_json([entry.record() for entry in entries])


def _options(request: Request, kind: type[S]) -> S:
    """Return the options of a query, where the body is of a type that can be read."""
    if request.media not in (JSON, PLAIN):
        streams = f", or {NDJSON} for a stream" if issubclass(kind, requests.StreamOptions) else ""
        raise Problem(415, f"send {JSON} or {PLAIN}{streams}", field="header:Content-Type")
    return requests.from_query(request.query, kind)


def _fields(options: IdentifyOptions) -> Fields:
    return _fields_of(options.codes, options.k is not None, options.shares)


@cache
def _fields_of(codes: Codes, ranked: bool, shares: bool) -> Fields:
    return Fields(codes=codes, ranked=ranked, shares=shares)


def media_of(content_type: bytes) -> str:
    """Return the media type that a header names, without its parameters.

    >>> media_of(b"Text/Plain; charset=utf-8")
    'text/plain'
    """
    return _media_of(content_type[:_LONGEST_MEDIA])


@lru_cache(maxsize=1000)
def _media_of(content_type: bytes) -> str:
    return content_type.partition(b";")[0].strip().lower().decode("latin-1")


def plain_text(body: bytes, headers: Mapping[bytes, bytes]) -> str | bytes:
    """Return the text that a body is; what names no charset is UTF-8, or what the library recognises.

    >>> plain_text("né".encode("latin-1"), {b"content-type": b"text/plain; charset=ISO-8859-1"})
    'né'
    """
    _, found, rest = headers.get(b"content-type", b"").lower().partition(b"charset=")
    charset = rest.partition(b";")[0].strip(b' "').decode("latin-1")
    if not found or charset in ("utf-8", "utf8", "us-ascii"):
        return body
    with suppress(LookupError, UnicodeError):
        if codecs.lookup(charset).name not in _OF_PYTHON:
            return body.decode(charset, "replace")
    raise Problem(415, f"the charset {charset!r} is not known; send UTF-8", field="header:Content-Type")
