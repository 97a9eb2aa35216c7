"""Records in: a line, a JSON object or a row of Parquet, each with its text, or with what is wrong with it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Any, cast

from unilid import files
from unilid.corpus.formats import LineError, json_object
from unilid.corpus.reading import parts_of
from unilid.errors import CorpusError, UnilidError
from unilid.progress import Advance, ignore
from unilid.records.reading import Records, collision, json_text, parsed
from unilid.texts import utf8

FORMATS = ("text", "tsv", "jsonl", "parquet")
BATCH = 4096
"""Records of a batch, at most; of Parquet, there may be more."""
STANDARD_INPUT = "-"

_LOOKED_AT = 1 << 20
"""Bytes of a first line whose fields are looked at before the work."""
_BY_SUFFIX = {".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl", ".parquet": "parquet"}
_WITH_FIELDS = [suffix for suffix, form in _BY_SUFFIX.items() if form in ("jsonl", "parquet")]
"""Suffixes of what is no plain text, although identify reads it."""


@dataclass(frozen=True, slots=True)
class Input:
    """Where records come from, and where in each of them its text is."""

    path: str
    """A file, or ``-`` for standard input."""
    form: str
    """One of `FORMATS`."""
    field: str = "text"
    """The field of JSONL or the column of Parquet."""
    column: int = 1
    """The column of TSV, from 1."""

    @staticmethod
    def of(
        path: str,
        *,
        format: str | None = None,  # noqa: A002
        field: str | None = None,
        column: int | None = None,
    ) -> Input:
        """Return an input whose form, if none is given, its suffix tells.

        Without a suffix, a `column` means TSV, a `field` JSONL, and neither plain text.

        >>> Input.of("a.JSONL.gz").form, Input.of("-", column=2).form, Input.of("-").form
        ('jsonl', 'tsv', 'text')
        """
        by_option = "tsv" if column is not None else "jsonl" if field is not None else "text"
        if format is None and path != STANDARD_INPUT:
            files.refuse_foreign(path, "make TSV, JSON Lines or Parquet of it, or say with --format what it is")
        form = format or (by_option if path == STANDARD_INPUT else form_of(path) or by_option)
        if form == "parquet" and path == STANDARD_INPUT:
            raise CorpusError("parquet cannot be read from standard input; give the file's name")
        return Input(path, form, field or "text", column or 1)

    @property
    def name(self) -> str:
        """What messages call it."""
        return "standard input" if self.path == STANDARD_INPUT else self.path

    @property
    def size(self) -> int | None:
        """Its bytes on the disk; None where nobody knows."""
        path = Path(self.path)
        return path.stat().st_size if self.path != STANDARD_INPUT and path.is_file() else None

    def check(self, added: Sequence[str]) -> None:
        """Fail before the work where the input cannot be read, or has one of the fields that are to be added."""
        if self.path == STANDARD_INPUT:
            return
        if self.form == "parquet":
            from unilid.cli import parquet  # needs an extra, and time

            parquet.check(self, added)
            return
        path = Path(self.path)
        if path.exists() and not path.is_file() and not path.is_dir():
            return  # what is read from a pipe is gone
        with files.naming(path), files.open_bytes(path) as file:
            first = file.readline(_LOOKED_AT)
        if self.form == "jsonl":
            try:
                record = json_object(first)
            except LineError:
                return  # answered in its turn
            if problem := collision(record, added):
                raise UnilidError(f"{self.name}: {problem}")

    def read(self, added: Sequence[str] = (), advance: Advance = ignore, *, batch: int = BATCH) -> Iterator[Records]:
        """Yield the records, one for each line, empty lines included.

        A JSON null, or an empty line among JSON objects, is the text None. A record that has one of the fields to be
        `added` is bad. `advance` is called with bytes as they were stored.
        """
        if self.form == "parquet":
            from unilid.cli import parquet  # needs an extra, and time

            yield from parquet.read(self, advance)
            return
        parse: Callable[[bytes], tuple[bytes | None, Any]] = {
            "text": lambda line: (line, line),
            "tsv": self._tsv,
            "jsonl": lambda line: json_text(line, self.field, added),
        }[self.form]
        blocks = _standard_input(advance) if self.path == STANDARD_INPUT else files.lines(self.path, advance)
        done = 0
        for part in parts_of(blocks, batch):
            if self.form == "text":
                yield Records([*part], part)
            else:
                yield parsed(part, parse, self.name, done)
            done += len(part)

    def _tsv(self, line: bytes) -> tuple[bytes, bytes]:
        cells = line.split(b"\t", self.column)
        if len(cells) < self.column and line:
            raise LineError(f"no column {self.column}; the line has {len(cells)}")
        return cells[self.column - 1] if line else b"", line


def form_of(path: str | Path) -> str | None:
    """Return the format that a file's suffix tells, if it does.

    >>> form_of("a.tsv.zst"), form_of("a.txt"), form_of("a")
    ('tsv', 'text', None)
    """
    suffix = files.format_suffix(path)
    return "text" if suffix == ".txt" else _BY_SUFFIX.get(suffix)


def read_lines(path: str | Path) -> Iterator[bytes]:
    """Yield the lines of plain text in a file, or of standard input for "-", empty ones included."""
    _check_plain(path)
    for records in Input(str(path), "text").read():
        yield from (text or b"" for text in records.texts)


def read_whole(path: str | Path | None) -> bytes:
    """Return all of a file, or of standard input for None and "-", as one text; UTF-16 as UTF-8."""
    if path is None or str(path) == STANDARD_INPUT:
        return _all_of(_stdin("a text"), "standard input")
    _check_plain(path)
    if " " in str(path) and not Path(path).exists():
        raise CorpusError(f"there is no file {str(path)!r}; to ask about a text, give it with -t")
    with files.naming(path), files.open_bytes(path) as file:
        return _all_of(file, path)


def _check_plain(path: str | Path) -> None:
    files.refuse_foreign(path, "make plain text of it", here=_WITH_FIELDS)


def _all_of(file: BufferedReader, name: str | Path) -> bytes:
    pieces, size = [], 0
    while piece := file.read1(files.CHUNK):
        pieces.append(piece)
        size += len(piece)
        if size > files.MAX_WHOLE:
            raise CorpusError(f"{name}: has more than {files.MAX_WHOLE:,} bytes, too many for one text; cut it up")
    return utf8(b"".join(pieces))


def _stdin(what: str) -> BufferedReader:
    """Return standard input; on a terminal, say what to type."""
    if sys.stdin is None:
        raise CorpusError("there is no standard input to read from; give a file")
    if sys.stdin.isatty() and sys.stderr.isatty():
        print(f"unilid: type {what}, and Ctrl-D at the end", file=sys.stderr)
    return cast(BufferedReader, sys.stdin.buffer)


def _standard_input(advance: Advance) -> Iterator[list[bytes]]:
    stdin = _stdin("a text a line")

    def chunks() -> Iterator[bytes]:
        # read1 returns what is there, so that the answers of `tail -f log | unilid identify` do not wait.
        while chunk := stdin.read1(files.CHUNK):
            advance(len(chunk))
            yield chunk

    return files.split_lines(chunks(), "standard input")
