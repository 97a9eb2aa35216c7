"""``unilid identify``: the language of every line."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from unilid.cli.options import (
    add_answering,
    add_budget,
    add_codes,
    add_model,
    add_output_format,
    add_threads,
    answering,
    budget,
    load_model,
    output_format,
    positive,
)
from unilid.errors import UnilidError

if TYPE_CHECKING:
    from unilid.decisions.answers import Prediction

ABOUT = "Name the language of every line: label and probability, one output line for each input line."
EXAMPLE = "echo 'Wo ist der Bahnhof?' | unilid identify"


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add what this verb takes."""
    command.add_argument(
        "files", nargs="*", metavar="FILE", help="text, TSV, JSONL or Parquet; the default is standard input"
    )
    command.add_argument("-t", "--text", action="append", help="identify this text instead of files")
    add_model(command)
    command.add_argument("-k", type=positive, metavar="N", help="write the N best languages of each text")
    add_answering(command)
    add_budget(command)
    command.add_argument(
        "--format",
        choices=("text", "tsv", "jsonl", "parquet"),
        help="the format of the input; the default is that of the file's suffix, and text",
    )
    command.add_argument("--field", metavar="NAME", help="the field (JSONL) or column (Parquet) with the text")
    command.add_argument("--column", type=positive, metavar="N", help="the column (TSV) with the text, from 1")
    add_output_format(command, "a table has names, bars and texts; ")
    add_codes(command, "what to write for a label")
    command.add_argument("--keep", action="store_true", help="repeat the input behind (TSV) or in (JSONL) the answer")
    add_threads(command)


def run(options: argparse.Namespace) -> None:
    """Answer line by line."""
    from unilid.cli import streams, terminal  # after the parser, which has shown --help by now
    from unilid.languages.labels import written_as

    model = load_model(options.model)
    asked = {"k": options.k or 1, "threads": options.threads, **answering(options), **budget(options)}
    if options.text and options.files:
        raise UnilidError("give texts with -t, or files, not both")
    model.identify([], **asked)  # what is asked for is checked before anything is read
    out = sys.stdout.buffer
    output = output_format(options)
    table = None
    if output == "table":
        table = terminal.Answers(
            model.languages, width=terminal.width(), colour=terminal.coloured(sys.stdout), codes=options.codes
        )

    def written(label: str) -> str:
        return written_as(label, options.codes)

    def answer(batch: streams.TextBatch) -> None:
        answers = model.identify(batch.texts, **asked)
        if table is not None:
            for text, ranked in zip(batch.texts, answers, strict=True):
                out.write("".join(f"{line}\n" for line in table.lines(text, ranked)).encode())
        elif output == "jsonl":
            records = [_record(ranked, options.k, written) for ranked in answers]
            streams.write_jsonl(out, batch, records, keep=options.keep)
        else:
            streams.write_tsv(out, batch, [_cells(ranked, written) for ranked in answers], keep=options.keep)

    if options.text:
        texts = [os.fsencode(text) for text in options.text]  # the bytes that were typed
        answer(streams.TextBatch(list(texts), list(texts)))
        return
    if not options.files and sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty():
        print("unilid: type a text a line, and Ctrl-D at the end", file=sys.stderr)
    for file in options.files or ["-"]:
        if " " in file and not Path(file).exists():
            raise UnilidError(f"there is no file {file!r}; to identify a text, give it with -t")
        for batch in streams.read_texts(file, format=options.format, field=options.field, column=options.column):
            answer(batch)
            out.flush()


def _cells(ranked: list[Prediction], written: Callable[[str], str]) -> list[str]:
    return [cell for p in ranked for cell in (written(p.label), f"{p.probability:.4f}")]


def _record(ranked: list[Prediction], k: int | None, written: Callable[[str], str]) -> dict[str, object]:
    records: list[dict[str, object]] = []
    for p in ranked:
        record: dict[str, object] = {
            "label": written(p.label),
            "probability": round(p.probability, 6),
            "score": p.score,
        }
        guess = None if p.guess is None else written(p.guess)
        records.append(record | {k: v for k, v in (("reason", p.reason), ("guess", guess)) if v is not None})
    return records[0] if k is None else {"predictions": records}
