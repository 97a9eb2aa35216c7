"""``unilid spans``: which stretch of a mixed text is in which language."""

from __future__ import annotations

import argparse
import os

from unilid.cli.options import (
    add_codes,
    add_competitors,
    add_model,
    add_output,
    add_to,
    by_suffix,
    competitors,
    file_name,
    load_model,
    on_terminal,
    output_file,
    positive,
)
from unilid.display import console
from unilid.errors import UnilidError

ABOUT = (
    "Say which stretch of a mixed text is in which language: start, end, label, probability and text, one line for "
    "each stretch; on a terminal, the text in colours. A file is one text."
)
EXAMPLE = "unilid spans -t 'Er sagte: that is none of your business. Dann ging er nach Hause.'"


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add what this verb takes."""
    command.add_argument(
        "file",
        nargs="?",
        type=file_name,
        metavar="FILE",
        help="plain text, perhaps compressed; the default is standard input",
    )
    command.add_argument("-t", "--text", help="take this text instead of a file")
    add_model(command)
    add_competitors(command)
    command.add_argument(
        "--switch",
        type=float,
        metavar="NATS",
        help="the penalty for switching language (default: 12); a lower one finds shorter quotations",
    )
    command.add_argument(
        "--least", type=positive, default=1, metavar="N", help="the fewest letters of a stretch (default: 1)"
    )
    command.add_argument("--most", type=positive, metavar="N", help="the most languages of the text (default: all)")
    command.add_argument(
        "--bytes", action="store_true", help="let start and end count bytes; the default is characters"
    )
    add_output(command)
    add_to(command, ("colours", "tsv", "jsonl"), "the default is colours on a terminal, and TSV elsewhere")
    add_codes(command, "what to write for a label")


def run(options: argparse.Namespace) -> None:
    """Find the languages of one text."""
    from unilid.cli import records  # after the parser, which has shown --help by now
    from unilid.spans import view

    if options.text is not None and options.file is not None:
        raise UnilidError("give a text with -t, or a file, not both")
    model = load_model(options.model, ready=True)
    asked = {
        **competitors(options),
        "least": options.least,
        "most": options.most,
        **({} if options.switch is None else {"switch": options.switch}),
    }
    model.spans("", **asked)  # what is asked for is checked before anything is read
    form = options.to or by_suffix(options.output) or ("colours" if on_terminal(options) else "tsv")
    read = [] if options.text is not None else [options.file or records.STANDARD_INPUT]
    with output_file(options, model, read) as file:
        data = records.read_whole(options.file) if options.text is None else os.fsencode(options.text)
        text = data if options.bytes else data.decode("utf-8", "surrogateescape")
        spans = model.spans(text, **asked)
        if form == "colours":
            view.show(text, spans, console(file=file, soft_wrap=True), options.codes)
        elif form == "tsv":
            view.write_tsv(file.buffer, text, spans, options.codes)
        else:
            view.write_jsonl(file.buffer, text, spans, options.codes)
