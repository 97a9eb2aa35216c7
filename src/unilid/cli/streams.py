"""Texts in, answers out: one output line for each input line, as soon as the input line is there."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from functools import partial
from io import BufferedReader
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from unilid import files
from unilid.corpus.formats import LineError, json_field, json_object, parsed, string
from unilid.corpus.parquet import parquet_columns
from unilid.corpus.reading import parts_of
from unilid.errors import CorpusError
from unilid.texts import utf8

FORMATS = ("text", "tsv", "jsonl", "parquet")

_BY_SUFFIX = {".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl", ".parquet": "parquet"}


class TextBatch(NamedTuple):
    """Texts and what they came from: the line's bytes, the JSON object, or None for a row of a parquet file."""

    texts: list[bytes | None]
    records: list[Any]


def read_texts(
    path: str | Path | None,
    *,
    format: str | None = None,  # noqa: A002
    field: str | None = None,
    column: int | None = None,
    batch_lines: int = 4096,
) -> Iterator[TextBatch]:
    """Yield the texts of a file, or of standard input for None and "-", one for each line, empty lines included.

    Without a format, the file's suffix tells it, else a `column` means tsv, a `field` jsonl, and neither plain text.
    A JSON null, or an empty line among JSON objects, is the text None. Columns count from 1.
    """
    standard_input = path is None or str(path) == "-"
    name = "standard input" if standard_input else str(path)
    form = format or _format(None if standard_input else path, field, column)
    if form not in FORMATS:
        raise CorpusError(f"unknown text format {form!r}; the formats are {', '.join(FORMATS)}")
    if column is not None and column < 1:
        raise CorpusError(f"there is no column {column}; columns count from 1")
    if form == "parquet":
        if standard_input:
            raise CorpusError("parquet cannot be read from standard input; give the file's name")
        for rows in parquet_columns(Path(name), [field or "text"], batch_lines):
            yield TextBatch([text for (text,) in rows], [None] * len(rows))
        return
    parse: Callable[[list[bytes]], TextBatch] = _parse_text
    if form == "tsv":
        parse = partial(_parse_tsv, column=column or 1)
    elif form == "jsonl":
        parse = partial(_parse_jsonl, field=field or "text")
    blocks = _standard_input() if standard_input else files.lines(name)
    yield from parsed(parts_of(blocks, batch_lines), parse, lambda number: f"{name}:{number}")


def read_lines(path: str | Path) -> Iterator[bytes]:
    """Yield the lines of plain text in a file, or of standard input for "-", empty ones included."""
    for batch in read_texts(path, format="text"):
        yield from (text or b"" for text in batch.texts)


def read_whole(path: str | Path | None) -> bytes:
    """Return all of a file, or of standard input for None and "-", as one text; UTF-16 as UTF-8."""
    if path is None or str(path) == "-":
        return _all_of(_stdin(), "standard input")
    if " " in str(path) and not Path(path).exists():
        raise CorpusError(f"there is no file {str(path)!r}; to ask about a text, give it with -t")
    with files.naming(path), files.open_bytes(path) as file:
        return _all_of(file, path)


def _all_of(file: BufferedReader, name: str | Path) -> bytes:
    pieces, size = [], 0
    while piece := file.read1(files.CHUNK):
        pieces.append(piece)
        size += len(piece)
        if size > files.MAX_LINE:
            raise CorpusError(f"{name}: has more than {files.MAX_LINE:,} bytes, too many for one text; cut it up")
    return utf8(b"".join(pieces))


def write_tsv(out: BinaryIO, batch: TextBatch, answers: list[list[str]], *, keep: bool = False) -> None:
    r"""Write a line of cells for each text; with `keep`, the input line follows after a tab.

    >>> import io
    >>> out = io.BytesIO()
    >>> write_tsv(out, TextBatch([b"Guten Tag"], [b"Guten Tag"]), [["deu", "0.98"]], keep=True)
    >>> out.getvalue()
    b'deu\t0.98\tGuten Tag\n'
    """
    rows = ["\t".join(cells).encode() for cells in answers]
    if keep:
        inputs = map(_input_line, batch.texts, batch.records)
        rows = [b"%s\t%s" % row for row in zip(rows, inputs, strict=True)]
    out.write(b"".join([row + b"\n" for row in rows]))


def write_jsonl(out: BinaryIO, batch: TextBatch, answers: list[dict[str, object]], *, keep: bool = False) -> None:
    r"""Write a JSON object for each text; with `keep`, the fields of the input come first.

    An answer takes the place of an input field of the same name.

    >>> import io
    >>> out = io.BytesIO()
    >>> write_jsonl(out, TextBatch([b"Guten Tag"], [b"Guten Tag"]), [{"label": "deu"}], keep=True)
    >>> out.getvalue()
    b'{"text": "Guten Tag", "label": "deu"}\n'
    """
    if keep:
        inputs = map(_input_fields, batch.texts, batch.records)
        answers = [{**fields, **answer} for fields, answer in zip(inputs, answers, strict=True)]
    out.write(b"".join([_json(answer) + b"\n" for answer in answers]))


def _format(path: str | Path | None, field: str | None, column: int | None) -> str:
    by_option = "tsv" if column is not None else "jsonl" if field is not None else "text"
    return by_option if path is None else _BY_SUFFIX.get(files.format_suffix(path), by_option)


def _stdin() -> BufferedReader:
    if sys.stdin is None:
        raise CorpusError("there is no standard input to read from; give a file")
    return cast(BufferedReader, sys.stdin.buffer)


def _standard_input() -> Iterator[list[bytes]]:
    # read1 returns what is there, so that the answers of `tail -f log | unilid identify` do not wait.
    stdin = _stdin()
    return files.split_lines(iter(lambda: stdin.read1(files.CHUNK), b""), "standard input")


def _parse_text(lines: list[bytes]) -> TextBatch:
    return TextBatch([*lines], lines)


def _parse_tsv(lines: list[bytes], column: int) -> TextBatch:
    texts: list[bytes | None] = []
    for line in lines:
        cells = line.split(b"\t", column)
        if len(cells) < column and line:
            raise LineError(f"no column {column}; the line has {len(cells)}")
        texts.append(cells[column - 1] if line else b"")
    return TextBatch(texts, lines)


def _parse_jsonl(lines: list[bytes], field: str) -> TextBatch:
    texts: list[bytes | None] = []
    records = [json_object(line) if line else {} for line in lines]
    for line, record in zip(lines, records, strict=True):
        value = json_field(record, field) if line else None
        texts.append(None if value is None else utf8(string("text", value)))
    return TextBatch(texts, records)


def _json(value: object) -> bytes:
    # What backslashreplace makes of a lone surrogate is its JSON escape.
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace")


def _input_line(text: bytes | None, record: Any) -> bytes:
    if isinstance(record, bytes):
        return record
    if record is not None:
        return _json(record)
    return (text or b"").replace(b"\r", b" ").replace(b"\n", b" ")


def _input_fields(text: bytes | None, record: Any) -> dict[str, object]:
    if isinstance(record, dict):
        return record
    return {"text": None if text is None else text.decode("utf-8", "replace")}
