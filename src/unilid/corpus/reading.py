"""Labelled text, from files or from Python, as a stream of columnar batches."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice, repeat, zip_longest
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from unilid import files
from unilid.corpus.formats import (
    FASTTEXT_PREFIX,
    FORMATS,
    Batch,
    Labels,
    LabelText,
    LineError,
    numbered,
    parse_fasttext,
    parse_items,
    parse_jsonl,
    parse_language,
    parse_rows,
    parse_tsv,
    parse_wili,
    parse_words,
    parsed,
)
from unilid.corpus.parquet import parquet_columns
from unilid.errors import CorpusError
from unilid.progress import Advance

BATCH = 8192
"""Lines of a batch, at most."""

_SAMPLE = 50
"""Lines by which the format of a file is recognised."""
_LOOKED_AT = 1_000_000
"""Lines, empty ones among them, that are read to find these, about."""

Item: TypeAlias = tuple[str, LabelText] | tuple[str, LabelText, float]
Source: TypeAlias = str | Path | Iterable[str | Path] | Iterable[Item] | Mapping[str, Iterable[LabelText]]
"""A corpus: a path, several paths, items of label, text and perhaps a count, or texts by their labels."""

T = TypeVar("T")


def read(
    sources: Source,
    *,
    format: str = "auto",  # noqa: A002
    text_field: str = "text",
    label_field: str = "label",
    key: str = "text",
    progress: Advance | None = None,
) -> Iterator[Batch]:
    """Yield the batches of a path, of several paths, of (label, text[, count]) items or of {label: texts}.

    ``format="auto"`` recognises the format by the file's name and its first lines. `key` says what lines that are held
    out together have in common: their ``"text"``, their ``"number"`` among the lines of their label, or the field of
    JSON Lines and Parquet that it names. `progress` is called with the number of stored bytes consumed since its last
    call.

    >>> list(read([("deu", "Guten Tag"), ("eng", "Good day")]))
    [Batch(labels=['deu', 'eng'], texts=[b'Guten Tag', b'Good day'], counts=None, keys=None)]
    """
    if format not in ("auto", *FORMATS):
        raise CorpusError(f"unknown corpus format {format!r}; the formats are {', '.join(FORMATS)}")
    form = None if format == "auto" else format
    paths = _paths(sources)
    key_field = () if key in ("text", "number") else (key,)
    if paths is None:
        if key_field:
            raise CorpusError(
                f"the key is {key!r}, and only JSON Lines and Parquet have fields; 'number' is a key, too"
            )
        batches = _read_items(sources)
    else:
        fields = (label_field, text_field, *key_field)
        batches = chain.from_iterable(_read_path(path, form, fields, progress) for path in paths)
    batches = (batch for batch in batches if batch.labels)
    yield from numbered(batches) if key == "number" else batches


def fingerprint(sources: Source) -> str | None:
    """Return a hash that changes with the files' names or content; None if they cannot be read twice."""
    import hashlib  # here, because few calls need it

    paths = _paths(sources)
    if paths is None:
        return None
    digest = hashlib.sha256()
    stored = stored_files(paths)
    for path in paths:
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
    paths = _paths(sources)
    if paths is None:
        return None
    stored = stored_files(paths)
    if any(path.exists() and not path.is_file() for path in stored):
        return None
    total = 0
    for path in stored:
        with files.naming(path):
            total += path.stat().st_size
    return total


def can_be_read_again(sources: Source) -> bool:
    """Say whether the sources can be read a second time: files and lists can, pipes and iterators cannot."""
    if _paths(sources) is not None:
        return size(sources) is not None
    texts = sources.values() if isinstance(sources, Mapping) else [sources]
    return all(isinstance(own, Collection) for own in texts)


def stored_files(paths: Iterable[str | Path], format: str = "auto") -> list[Path]:  # noqa: A002
    """Return the files that are read of paths: those of a folder, and with a file of WiLI that of its labels."""
    stored = []
    for path in map(Path, paths):
        if path.is_dir():
            stored += _language_files(path)
            continue
        stored.append(path)
        if format == "wili" or (format == "auto" and _is_wili(path)):
            stored.append(_wili_labels(path))
    return stored


def parts_of(blocks: Iterable[list[T]], length: int) -> Iterator[list[T]]:
    """Cut each block into parts of at most `length`, without waiting for the next block."""
    for block in blocks:
        for start in range(0, len(block), length):
            yield block[start : start + length]


def _paths(sources: Source) -> list[Path] | None:
    if isinstance(sources, str | os.PathLike):
        return [Path(sources)]
    if isinstance(sources, Collection) and not isinstance(sources, Mapping):
        paths = [Path(source) for source in sources if isinstance(source, str | os.PathLike)]
        return paths if len(paths) == len(sources) else None
    return None


def _language_files(folder: Path) -> list[Path]:
    with files.naming(folder):
        entries = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    special = [path for path in entries if path.exists() and not (path.is_file() or path.is_dir())]
    if special:  # a pipe, on which reading might wait for ever
        raise CorpusError(f"{special[0]}: is not an ordinary file; a folder must hold one .txt file a language")
    others = [path.name for path in entries if path.is_dir() or files.format_suffix(path) not in ("", ".txt")]
    others += [path.name for path in entries if _is_wili(path)]
    if others or not entries:
        what = f"found {', '.join(others[:5])}{', ...' * (len(others) > 5)}" if others else "it is empty"
        raise CorpusError(
            f"{folder}: a folder must hold one .txt file a language, but {what}; give files of other formats by name"
        )
    return entries


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
    if sample and sample[0].startswith(FASTTEXT_PREFIX):
        return "fasttext"
    try:
        words = parse_words(sample, Labels()).texts
    except LineError:
        return "tsv"
    return "words" if sum(b" " not in word for word in words) > len(words) / 2 else "tsv"


def _read_items(sources: Any) -> Iterator[Batch]:
    if hasattr(sources, "tolist"):  # an array, whose rows are arrays
        sources = sources.tolist()
    items = iter(_labelled(sources) if isinstance(sources, Mapping) else sources)
    first = list(islice(items, 1))
    width = 3 if first and isinstance(first[0], tuple | list) and len(first[0]) == 3 else 2
    parts = _batched(chain(first, items))
    return parsed(parts, partial(parse_items, labels=Labels(), width=width), lambda number: f"item {number}")


def _batched(items: Iterator[T]) -> Iterator[list[T]]:
    return iter(lambda: list(islice(items, BATCH)), [])


def _labelled(texts: Mapping[str, Iterable[LabelText]]) -> Iterator[Item]:
    for label, language in texts.items():
        if isinstance(language, str | bytes):
            raise CorpusError(f"{label}: one text where a list of texts is expected")
        if not isinstance(language, Iterable):
            raise CorpusError(f"{label}: {type(language).__name__} where a list of texts is expected")
    return chain.from_iterable(_not_empty(label, zip(repeat(label), own)) for label, own in texts.items())


def _not_empty(name: object, items: Iterable[T]) -> Iterator[T]:
    """Pass items on; a language that has none is an error, because it would vanish without a word."""
    rest = iter(items)
    for first in rest:
        return chain([first], rest)
    raise CorpusError(f"{name}: no text for this language; add some or leave it out")


def _read_path(path: Path, form: str | None, fields: Sequence[str], progress: Advance | None) -> Iterator[Batch]:
    if path.is_dir():
        if form not in (None, "folder"):
            raise CorpusError(f"{path}: is a folder; give its {form} files by name")
        return chain.from_iterable(
            _not_empty(file, (batch for batch in _read_lines(file, "folder", fields, progress) if batch.labels))
            for file in _language_files(path)
        )
    if form is None:
        files.refuse_foreign(path, "make TSV, JSON Lines or Parquet of it, or give its format")
    form = form or _format_of_name(path)
    if form == "parquet":
        return _read_parquet(path, fields, progress)
    if form == "wili":
        _refuse_key(path, fields)
        return _read_wili(path, progress)
    return _read_lines(path, form, fields, progress)


def _refuse_key(path: Path, fields: Sequence[str]) -> None:
    if len(fields) > 2:
        raise CorpusError(f"{path}: the key is {fields[2]!r}, and only JSON Lines and Parquet have fields")


def _read_parquet(path: Path, fields: Sequence[str], progress: Advance | None) -> Iterator[Batch]:
    rows = parquet_columns(path, fields, BATCH, progress)
    return parsed(rows, partial(parse_rows, labels=Labels()), lambda number: f"{path}: row {number}")


def _read_wili(path: Path, progress: Advance | None) -> Iterator[Batch]:
    beside = _wili_labels(path)
    labels, texts = (chain.from_iterable(files.lines(file, progress)) for file in (beside, path))
    parts = _batched(zip_longest(labels, texts))
    return parsed(parts, partial(parse_wili, labels=Labels()), lambda number: f"{beside}:{number}")


def _read_lines(path: Path, form: str | None, fields: Sequence[str], progress: Advance | None) -> Iterator[Batch]:
    blocks = files.lines(path, progress)
    if form is None:
        head: list[bytes] = []
        sample: list[bytes] = []
        while len(sample) < _SAMPLE and len(head) < _LOOKED_AT and (block := next(blocks, None)):
            head += block
            sample += filter(None, block)
        form = _format_of_lines(sample[:_SAMPLE])
        blocks = chain([head], blocks)
    return parsed(parts_of(blocks, BATCH), _parser(path, form, fields), lambda number: f"{path}:{number}")


def _parser(path: Path, form: str, fields: Sequence[str]) -> Callable[[list[bytes]], Batch]:
    labels = Labels()
    _refuse_key(path, fields if form != "jsonl" else ())
    if form == "folder":
        try:
            return partial(parse_language, label=labels[files.base_name(path)])
        except LineError as fault:
            raise CorpusError(f"{path}: {fault}") from None
    if form == "jsonl":
        return partial(parse_jsonl, labels=labels, fields=fields)
    return partial({"tsv": parse_tsv, "words": parse_words, "fasttext": parse_fasttext}[form], labels=labels)
