"""Labelled text, from files or from Python, as a stream of columnar batches."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice, repeat, zip_longest
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeVar

from unilid import files
from unilid.errors import CorpusError
from unilid.files import Progress

BATCH = 8192
FORMATS = ("tsv", "fasttext", "jsonl", "parquet", "folder", "wili", "words")

_SAMPLE = 50
_PREFIX = b"__label__"

Text: TypeAlias = str | bytes
Item: TypeAlias = tuple[str, Text] | tuple[str, Text, float]
Source: TypeAlias = str | Path | Iterable[str | Path] | Iterable[Item] | Mapping[str, Iterable[Text]]

T = TypeVar("T")
R = TypeVar("R")


class Batch(NamedTuple):
    """Texts and their labels; with counts, each text is a word or phrase that occurs so often."""

    labels: list[str]
    texts: list[bytes]
    counts: list[float] | None = None


class LineError(CorpusError):
    """What is wrong with one line; `parsed` adds where."""


def read(
    sources: Source,
    *,
    format: str | None = None,  # noqa: A002
    text_field: str = "text",
    label_field: str = "label",
    progress: Progress | None = None,
) -> Iterator[Batch]:
    """Yield the batches of a path, of several paths, of (label, text[, count]) items or of {label: texts}.

    `progress` is called with the number of stored bytes consumed since its last call.

    >>> list(read([("deu", "Guten Tag"), ("eng", "Good day")]))
    [Batch(labels=['deu', 'eng'], texts=[b'Guten Tag', b'Good day'], counts=None)]
    """
    if format not in (None, *FORMATS):
        raise CorpusError(f"unknown corpus format {format!r}; the formats are {', '.join(FORMATS)}")
    paths = _paths(sources)
    if paths is None:
        batches = _read_items(sources)
    else:
        fields = (label_field, text_field)
        batches = chain.from_iterable(_read_path(path, format, fields, progress) for path in paths)
    yield from (batch for batch in batches if batch.labels)


def fingerprint(sources: Source) -> str | None:
    """Return a hash that changes with the files' names or content; None if they cannot be read twice."""
    import hashlib

    stored = _stored_files(sources)
    if stored is None:
        return None
    digest = hashlib.sha256()
    for path in _paths(sources) or ():
        digest.update(b"folder\0" if path.is_dir() else b"file\0")  # read differently, so not the same
    for path in stored:
        if path.exists() and not path.is_file():  # a pipe
            return None
        with files.naming(path), path.open("rb") as file:
            content = hashlib.sha256()
            while chunk := file.read(files.CHUNK):
                content.update(chunk)
            digest.update(b"%s\0%d\0%s" % (os.fsencode(path.name), file.tell(), content.digest()))
    return digest.hexdigest()


def size(sources: Source) -> int | None:
    """Return the number of bytes that the sources take on disk; None for what can be read only once."""
    stored = _stored_files(sources)
    if stored is None or any(path.exists() and not path.is_file() for path in stored):
        return None
    total = 0
    for path in stored:
        with files.naming(path):
            total += path.stat().st_size
    return total


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


def parts_of(blocks: Iterable[list[T]], length: int) -> Iterator[list[T]]:
    """Cut each block into parts of at most `length`, without waiting for the next block."""
    for block in blocks:
        for start in range(0, len(block), length):
            yield block[start : start + length]


def json_object(line: bytes) -> dict[str, Any]:
    """Parse one line of JSON Lines; bytes that are not UTF-8 become U+FFFD."""
    try:
        record = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise LineError(f"not JSON: {error}; expected one object a line") from None
    if not isinstance(record, dict):
        raise LineError(f"a JSON {type(record).__name__}; expected one object a line")
    return record


def json_field(record: dict[str, Any], name: str) -> Any:
    """Return the value of a field, or name those that are there."""
    if name not in record:
        raise LineError(f"no field {name!r}; the fields are {', '.join(map(repr, record))}")
    return record[name]


def utf8(text: object) -> bytes:
    """Return a text as bytes; lone surrogates are kept, because content never raises."""
    written = _string("text", text)
    return written.encode("utf-8", "surrogatepass") if isinstance(written, str) else written


def parquet_columns(
    path: Path, names: Sequence[str], rows: int, progress: Progress | None = None
) -> Iterator[list[tuple[bytes | None, ...]]]:
    """Yield the rows of the named columns, up to `rows` at a time."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise CorpusError(f"{path}: parquet needs pyarrow: pip install 'unilid[parquet]'") from error
    try:
        with files.naming(path), parquet.ParquetFile(path) as file:
            known = file.schema_arrow.names
            if missing := [name for name in names if name not in known]:
                raise CorpusError(f"{path}: no column {missing[0]!r}; the columns are {', '.join(map(repr, known))}")
            share = path.stat().st_size / max(file.metadata.num_rows, 1)
            done = 0
            for batch in file.iter_batches(rows, columns=list(names)):
                columns = [batch.column(name).cast(pyarrow.large_binary()).to_pylist() for name in names]
                if progress is not None:
                    progress(int((done + len(batch)) * share) - int(done * share))
                done += len(batch)
                yield list(zip(*columns, strict=True))
    except pyarrow.ArrowNotImplementedError as error:
        raise CorpusError(f"{path}: {' and '.join(map(repr, names))} must be columns of strings: {error}") from error
    except pyarrow.ArrowException as error:
        raise CorpusError(f"{path}: cannot be read: {error}") from error


class _Labels(dict[Text, str]):
    """Checked labels by how they were written: a look-up for each line instead of a decoding."""

    def __missing__(self, written: Text) -> str:
        try:
            label = written.decode() if isinstance(written, bytes) else written
        except UnicodeDecodeError:
            raise LineError(f"the label {written!r} is not UTF-8") from None
        if not label:
            raise LineError("the label is empty")
        if " " in label or not label.isprintable():
            raise LineError(f"the label {label!r} has whitespace or control characters")
        self[written] = label
        return label


def _string(what: str, value: object) -> Text:
    if isinstance(value, str | bytes):
        return value
    raise LineError(
        f"the {what} is {'None' if value is None else f'of type {type(value).__name__}'}; expected a string"
    )


def _count(written: Any) -> float:
    try:
        count = float(written)
    except (TypeError, ValueError):
        count = math.nan
    if not 0 <= count < math.inf:
        raise LineError(f"the count {written!r} is not a non-negative number")
    return count


def _parse_tsv(lines: list[bytes], labels: _Labels) -> Batch:
    rows = [line.partition(b"\t") for line in lines if line]
    if b"" in [tab for _, tab, _ in rows]:
        raise LineError("no tab between label and text; expected label<TAB>text")
    return Batch([labels[label] for label, _, _ in rows], [text for _, _, text in rows])


def _parse_words(lines: list[bytes], labels: _Labels) -> Batch:
    rows = [line.split(b"\t") for line in lines if line]
    for row in rows:
        if len(row) != 3:
            raise LineError(f"{len(row)} columns; expected label<TAB>word<TAB>count")
    return Batch([labels[row[0]] for row in rows], [row[1] for row in rows], [_count(row[2]) for row in rows])


def _parse_fasttext(lines: list[bytes], labels: _Labels) -> Batch:
    batch = Batch([], [])
    for text in filter(None, lines):
        names = []
        while text.startswith(_PREFIX):
            name, *rest = text.split(None, 1)
            names.append(labels[name[len(_PREFIX) :]])
            text = rest[0] if rest else b""
        if not names:
            raise LineError("no label; expected __label__xxx text")
        batch.labels.extend(names)
        batch.texts.extend([text] * len(names))
    return batch


def _parse_jsonl(lines: list[bytes], labels: _Labels, fields: tuple[str, str]) -> Batch:
    label_field, text_field = fields
    records = [json_object(line) for line in lines if line]
    return Batch(
        [labels[_string("label", json_field(record, label_field))] for record in records],
        [utf8(json_field(record, text_field)) for record in records],
    )


def _parse_language(lines: list[bytes], label: str) -> Batch:
    texts = [line for line in lines if line]
    return Batch([label] * len(texts), texts)


def _parse_wili(rows: list[tuple[bytes, bytes]], labels: _Labels) -> Batch:
    if None in rows[-1]:
        raise LineError("texts and labels differ in their number of lines")
    rows = [row for row in rows if row[1]]
    return Batch([labels[label] for label, _ in rows], [text for _, text in rows])


def _parse_items(items: list[Any], labels: _Labels, width: int) -> Batch:
    if not all(issubclass(kind, tuple | list) for kind in set(map(type, items))) or set(map(len, items)) != {width}:
        raise LineError("expected (label, text) or (label, text, count), the same for all items; paths go in a list")
    written, texts, *counts = zip(*items, strict=True)
    for label in {type(label): label for label in written}.values():
        _string("label", label)
    return Batch(
        [labels[label] for label in written],
        [text if type(text) is bytes else utf8(text) for text in texts],
        [_count(count) for count in counts[0]] if counts else None,
    )


def _paths(sources: Source) -> list[Path] | None:
    if isinstance(sources, str | os.PathLike):
        return [Path(sources)]
    if isinstance(sources, Collection) and not isinstance(sources, Mapping):
        paths = [Path(source) for source in sources if isinstance(source, str | os.PathLike)]
        return paths if len(paths) == len(sources) else None
    return None


def _stored_files(sources: Source) -> list[Path] | None:
    paths = _paths(sources)
    if paths is None:
        return None
    stored = []
    for path in paths:
        stored += _language_files(path) if path.is_dir() else [path]
        if _is_wili(path):
            stored.append(_wili_labels(path))
    return stored


def _language_files(folder: Path) -> list[Path]:
    with files.naming(folder):
        found = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    others = [path.name for path in found if path.is_dir() or files.format_suffix(path) not in ("", ".txt")]
    others += [path.name for path in found if _is_wili(path)]
    if others or not found:
        what = f"found {', '.join(others[:5])}{', ...' * (len(others) > 5)}" if others else "it is empty"
        raise CorpusError(
            f"{folder}: a folder must hold one .txt file a language, but {what}; give files of other formats by name"
        )
    return found


def _wili_labels(path: Path) -> Path:
    return path.with_name("y_" + path.name.removeprefix("x_"))


def _is_wili(path: Path) -> bool:
    return path.name.startswith("x_") and files.format_suffix(path) == ".txt" and _wili_labels(path).exists()


def _format_of_name(path: Path) -> str | None:
    suffix = files.format_suffix(path)
    if suffix == ".parquet":
        return "parquet"
    if suffix in (".jsonl", ".ndjson", ".json"):
        return "jsonl"
    return "wili" if _is_wili(path) else None


def _format_of_lines(sample: list[bytes]) -> str:
    if sample and sample[0].startswith(b"{"):
        return "jsonl"
    if sample and sample[0].startswith(_PREFIX):
        return "fasttext"
    try:
        words = _parse_words(sample, _Labels()).texts
    except LineError:
        return "tsv"
    return "words" if sum(b" " not in word for word in words) > len(words) / 2 else "tsv"


def _read_items(sources: Any) -> Iterator[Batch]:
    items = iter(_labelled(sources) if isinstance(sources, Mapping) else sources)
    first = list(islice(items, 1))
    width = 3 if first and isinstance(first[0], tuple | list) and len(first[0]) == 3 else 2
    parts = _batched(chain(first, items))
    return parsed(parts, partial(_parse_items, labels=_Labels(), width=width), lambda number: f"item {number}")


def _batched(items: Iterator[T]) -> Iterator[list[T]]:
    return iter(lambda: list(islice(items, BATCH)), [])


def _labelled(texts: Mapping[str, Iterable[Text]]) -> Iterator[Item]:
    for label, language in texts.items():
        if isinstance(language, str | bytes):
            raise CorpusError(f"{label}: one text where a list of texts is expected")
    return chain.from_iterable(_not_empty(label, zip(repeat(label), own)) for label, own in texts.items())


def _not_empty(name: object, items: Iterable[T]) -> Iterator[T]:
    """Pass items on; a language that has none is an error, because it would vanish without a word."""
    rest = iter(items)
    for first in rest:
        return chain([first], rest)
    raise CorpusError(f"{name}: no text for this language; add some or leave it out")


def _read_path(path: Path, form: str | None, fields: tuple[str, str], progress: Progress | None) -> Iterator[Batch]:
    if path.is_dir():
        if form not in (None, "folder"):
            raise CorpusError(f"{path}: is a folder; give its {form} files by name")
        return chain.from_iterable(
            _not_empty(file, (batch for batch in _read_lines(file, "folder", fields, progress) if batch.labels))
            for file in _language_files(path)
        )
    form = form or _format_of_name(path)
    if form == "parquet":
        return _read_parquet(path, fields, progress)
    if form == "wili":
        return _read_wili(path, progress)
    return _read_lines(path, form, fields, progress)


def _read_parquet(path: Path, fields: tuple[str, str], progress: Progress | None) -> Iterator[Batch]:
    rows = parquet_columns(path, fields, BATCH, progress)
    return parsed(rows, partial(_parse_items, labels=_Labels(), width=2), lambda number: f"{path}: row {number}")


def _read_wili(path: Path, progress: Progress | None) -> Iterator[Batch]:
    beside = _wili_labels(path)
    labels, texts = (chain.from_iterable(files.lines(file, progress)) for file in (beside, path))
    parts = _batched(zip_longest(labels, texts))
    return parsed(parts, partial(_parse_wili, labels=_Labels()), lambda number: f"{beside}:{number}")


def _read_lines(path: Path, form: str | None, fields: tuple[str, str], progress: Progress | None) -> Iterator[Batch]:
    blocks = files.lines(path, progress)
    if form is None:
        head: list[bytes] = []
        while len(sample := [line for line in head if line]) < _SAMPLE and (block := next(blocks, None)):
            head += block
        form = _format_of_lines(sample[:_SAMPLE])
        blocks = chain([head], blocks)
    return parsed(parts_of(blocks, BATCH), _parser(path, form, fields), lambda number: f"{path}:{number}")


def _parser(path: Path, form: str, fields: tuple[str, str]) -> Callable[[list[bytes]], Batch]:
    labels = _Labels()
    if form == "folder":
        try:
            return partial(_parse_language, label=labels[files.base_name(path)])
        except LineError as fault:
            raise CorpusError(f"{path}: {fault}") from None
    if form == "jsonl":
        return partial(_parse_jsonl, labels=labels, fields=fields)
    return partial({"tsv": _parse_tsv, "words": _parse_words, "fasttext": _parse_fasttext}[form], labels=labels)
