"""Answers out: as cells of TSV, and as a table for people. Their JSON is that of `unilid.records`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, BinaryIO, Protocol

from unilid.display import one_line
from unilid.records.answers import Answer, Fields, is_rows, to_json
from unilid.records.reading import Records


class Writer(Protocol):
    """Writes records and their answers in some format."""

    def write(self, records: Records, answers: Sequence[Answer], places: Sequence[int] | None, file: str) -> None:
        """Write the records at these places, None for all, which came from a file."""
        ...

    def close(self) -> None:
        """Write what is left."""
        ...


class TsvWriter:
    r"""Writes a line of cells for each record; where the input is kept, it follows.

    >>> import io
    >>> from unilid import Prediction
    >>> out = io.BytesIO()
    >>> answers = [Answer([Prediction("deu_Latn", 0.98, -20.0)])]
    >>> TsvWriter(out, Fields(keep=True)).write(Records([b"Guten Tag"], [b"Guten Tag"]), answers, None, "a.txt")
    >>> out.getvalue()
    b'deu_Latn\t0.9800\tGuten Tag\n'
    """

    def __init__(self, out: BinaryIO, fields: Fields) -> None:
        self._out, self._fields = out, fields

    def write(self, records: Records, answers: Sequence[Answer], places: Sequence[int] | None, file: str) -> None:
        """Write the records at these places, None for all; of a bad one, ``error`` and what is wrong."""
        fields, inputs = self._fields, records.inputs if is_rows(records) else [None] * len(answers)
        name = [file.replace("\t", " ").replace("\n", " ")] if fields.file else []
        lines = []
        for place in range(len(answers)) if places is None else places:
            error = records.errors.get(place)
            cells = fields.cells(answers[place]) if error is None else ["error", _one_cell(error)]
            line = "\t".join([*cells, *name] if fields.keep else cells).encode("utf-8", "surrogateescape")
            if fields.keep:
                line += b"\t" + _input_line(records.texts[place], inputs[place])
            lines.append(line + b"\n")
        self._out.write(b"".join(lines))

    def close(self) -> None:
        """Nothing is left."""


class TableWriter:
    """Writes names, bars and texts, for people."""

    def __init__(self, out: BinaryIO, fields: Fields, languages: Sequence[str], *, on_terminal: bool) -> None:
        from unilid.cli import terminal  # a pipe does without

        self._out, self._fields = out, fields
        self._table = terminal.Answers(
            languages,
            width=terminal.width() if on_terminal else terminal.WIDTH_OF_A_PIPE,
            colour=on_terminal and terminal.coloured(sys.stdout),
            codes=fields.codes,
        )

    def write(self, records: Records, answers: Sequence[Answer], places: Sequence[int] | None, file: str) -> None:  # noqa: ARG002  # what Writer asks for
        """Write the records at these places, None for all; of a bad one, what is wrong."""
        lines = []
        for place in range(len(answers)) if places is None else places:
            answer, error = answers[place], records.errors.get(place)
            if error is not None:
                lines.append(f"error     {one_line(error)}")
                continue
            shares = self._fields.written_shares(answer).encode() + b"  " if self._fields.shares else b""
            lines += self._table.lines(shares + (records.texts[place] or b""), answer.ranked)
        self._out.write("".join(f"{line}\n" for line in lines).encode())
        self._out.flush()

    def close(self) -> None:
        """Nothing is left."""


def _one_cell(text: str) -> str:
    return " ".join(text.split())


def _input_line(text: bytes | None, record: Any) -> bytes:
    if isinstance(record, bytes):
        return record
    if record is not None:
        return to_json(record)
    return (text or b"").replace(b"\r", b" ").replace(b"\n", b" ")
