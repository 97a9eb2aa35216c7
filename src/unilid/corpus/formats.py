"""The formats of labelled text: from lines, or from rows, to batches of labels and texts."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias, TypeVar

from unilid.errors import CorpusError, UnilidError
from unilid.languages.labels import syntax_problem
from unilid.texts import utf8

FORMATS = ("tsv", "fasttext", "jsonl", "parquet", "folder", "wili", "words")

_QUOTED = 40
"""Characters of a number that a message quotes."""

FASTTEXT_PREFIX = b"__label__"

LabelText: TypeAlias = str | bytes
"""A label or a text as it stands in a file."""

T = TypeVar("T")
R = TypeVar("R")


class Batch(NamedTuple):
    """Texts and their labels; with counts, each text is a word or phrase that occurs so often.

    With keys, lines of the same key belong together: they are held out together.
    """

    labels: list[str]
    texts: list[bytes]
    counts: list[float] | None = None
    keys: list[bytes] | None = None

    def take(self, places: Sequence[int]) -> Batch:
        """Return some of the texts."""
        labels, texts, counts, keys = self
        return Batch(
            [labels[place] for place in places],
            [texts[place] for place in places],
            None if counts is None else [counts[place] for place in places],
            None if keys is None else [keys[place] for place in places],
        )


class LineError(CorpusError):
    """What is wrong with one line; `parsed` adds where."""


def parsed(parts: Iterable[list[T]], parse: Callable[[list[T]], R], where: Callable[[int], str]) -> Iterator[R]:
    """Parse part by part, which is fast; only a part with a fault is parsed line by line, to say where it is."""
    done = 0
    for part in parts:
        try:
            result = parse(part)
        except LineError:
            faults = ((number, _fault(parse, line)) for number, line in enumerate(part, done + 1))
            number, fault = next(pair for pair in faults if pair[1])
            raise CorpusError(f"{where(number)}: {fault}") from None
        done += len(part)
        yield result


def _fault(parse: Callable[[list[T]], R], line: T) -> str:
    try:
        parse([line])
    except LineError as fault:
        return str(fault)
    return ""


def json_object(line: bytes) -> dict[str, Any]:
    """Parse one line of JSON Lines; bytes that are not UTF-8 become U+FFFD."""
    try:
        record = json.loads(line.decode("utf-8", "replace"), parse_float=_finite, parse_constant=_finite)
    except (ValueError, RecursionError) as error:
        raise LineError(f"not JSON: {error}; expected one object a line") from None
    if not isinstance(record, dict):
        raise LineError(f"a JSON {type(record).__name__}; expected one object a line")
    return record


def _finite(written: str) -> float:
    """Return a number of JSON; one that is too large would come out as Infinity, which is not JSON."""
    number = float(written)
    if not math.isfinite(number):
        raise ValueError(f"{written[:_QUOTED]} is not a number that can be kept")
    return number


def json_field(record: dict[str, Any], name: str) -> Any:
    """Return the value of a field, or name those that are there."""
    if name not in record:
        raise LineError(f"no field {name!r}; the fields are {', '.join(map(repr, record))}")
    return record[name]


class Labels(dict[LabelText, str]):
    """Checked labels by how they were written: a look-up for each line instead of a decoding."""

    def __missing__(self, raw: LabelText) -> str:
        try:
            label = raw.decode() if isinstance(raw, bytes) else raw
        except UnicodeDecodeError:
            raise LineError(f"the label {raw!r} is not UTF-8") from None
        problem = syntax_problem(label)
        if problem:
            raise LineError(f"the label {label!r} {problem}")
        self[raw] = label
        return label


def string(what: str, value: object) -> LabelText:
    """Return a label or a text; anything else is an error of its line."""
    if isinstance(value, str | bytes):
        return value
    raise LineError(
        f"the {what} is {'None' if value is None else f'of type {type(value).__name__}'}; expected a string"
    )


def lines_of_labels(corpus: object) -> dict[str, list[bytes]]:
    """Return the lines of a mapping from labels to lines; anything else is an error."""
    if not isinstance(corpus, Mapping) or not corpus:
        raise CorpusError("expected a mapping from labels to lines, with at least one label")
    texts: dict[str, list[bytes]] = {}
    for label, lines in corpus.items():
        if isinstance(lines, str | bytes) or not isinstance(lines, Iterable):
            raise UnilidError(f"{label}: lines must be a list of texts")
        texts[label] = [utf8(string("text", line)) for line in lines]
        if not texts[label]:
            raise CorpusError(f"{label}: no lines to learn from")
    return texts


def _count(raw: Any) -> float:
    try:
        count = float(raw)
    except (TypeError, ValueError, OverflowError):
        count = math.nan
    if not 0 <= count < math.inf:
        raise LineError(f"the count {raw!r} is not a non-negative number")
    return count


def parse_tsv(lines: list[bytes], labels: Labels) -> Batch:
    """Parse label<TAB>text."""
    rows = [line.partition(b"\t") for line in lines if line]
    if b"" in [tab for _, tab, _ in rows]:
        raise LineError("no tab between label and text; expected label<TAB>text")
    return Batch([labels[label] for label, _, _ in rows], [text for _, _, text in rows])


def parse_words(lines: list[bytes], labels: Labels) -> Batch:
    """Parse label<TAB>word<TAB>count."""
    rows = [line.split(b"\t") for line in lines if line]
    for row in rows:
        if len(row) != 3:
            raise LineError(f"{len(row)} columns; expected label<TAB>word<TAB>count")
    return Batch([labels[row[0]] for row in rows], [row[1] for row in rows], [_count(row[2]) for row in rows])


def parse_fasttext(lines: list[bytes], labels: Labels) -> Batch:
    """Parse fastText's ``__label__xxx text``; a line of several labels counts for each."""
    batch = Batch([], [])
    for line in filter(None, lines):
        names, text = [], line
        while text.startswith(FASTTEXT_PREFIX):
            name, *rest = text.split(None, 1)
            names.append(labels[name[len(FASTTEXT_PREFIX) :]])
            text = rest[0] if rest else b""
        if not names:
            raise LineError("no label; expected __label__xxx text")
        batch.labels.extend(names)
        batch.texts.extend([text] * len(names))
    return batch


def parse_jsonl(lines: list[bytes], labels: Labels, fields: Sequence[str]) -> Batch:
    """Parse JSON objects; `fields` names that of the label, that of the text and perhaps that of a key."""
    label_field, text_field, *key_field = fields
    records = [json_object(line) for line in lines if line]
    return Batch(
        [labels[string("label", json_field(record, label_field))] for record in records],
        [utf8(string("text", json_field(record, text_field))) for record in records],
        keys=[key_of(json_field(record, key_field[0])) for record in records] if key_field else None,
    )


def key_of(value: object) -> bytes:
    """Return the key of a line as bytes: that of a text or of a whole number.

    >>> key_of("page 7"), key_of(7)
    (b'page 7', b'7')
    """
    return str(value).encode() if type(value) is int else utf8(string("key", value))


def parse_rows(rows: list[Any], labels: Labels) -> Batch:
    """Take rows of a table: label, text and perhaps a key."""
    return parse_columns(list(zip(*rows, strict=True)), labels)


def parse_columns(columns: Sequence[Sequence[Any]], labels: Labels) -> Batch:
    """Take columns of a table: labels, texts and perhaps keys."""
    raw_labels, texts, *keys = columns
    for label in {type(label): label for label in raw_labels}.values():
        string("label", label)
    return Batch(
        [labels[label] for label in raw_labels],
        [text if type(text) is bytes else utf8(string("text", text)) for text in texts],
        keys=[key_of(key) for key in keys[0]] if keys else None,
    )


def numbered(batches: Iterable[Batch]) -> Iterator[Batch]:
    """Give lines their number among those of their label as key: in parallel text, translations of each other."""
    lines: dict[str, int] = {}
    for batch in batches:
        keys = []
        for label in batch.labels:
            lines[label] = lines.get(label, 0) + 1
            keys.append(b"%d" % lines[label])
        yield batch._replace(keys=keys)


def parse_language(lines: list[bytes], label: str) -> Batch:
    """Take every line as a text of one language."""
    texts = [line for line in lines if line]
    return Batch([label] * len(texts), texts)


def parse_wili(rows: list[tuple[bytes, bytes]], labels: Labels) -> Batch:
    """Parse pairs of a label and a text."""
    if None in rows[-1]:
        raise LineError("texts and labels differ in their number of lines")
    rows = [row for row in rows if row[1]]
    return Batch([labels[label] for label, _ in rows], [text for _, text in rows])


def parse_items(items: list[Any], labels: Labels, width: int) -> Batch:
    """Take tuples of a label, a text and perhaps a count, `width` in all."""
    if not all(issubclass(kind, tuple | list) for kind in set(map(type, items))) or set(map(len, items)) != {width}:
        raise LineError("expected (label, text) or (label, text, count), the same for all items; paths go in a list")
    raw_labels, texts, *counts = zip(*items, strict=True)
    batch = parse_columns([raw_labels, texts], labels)
    return batch._replace(counts=[_count(count) for count in counts[0]]) if counts else batch
