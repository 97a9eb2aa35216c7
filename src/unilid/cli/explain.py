"""``unilid explain``: why a text is in one language rather than in another."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

from unilid.cli.options import add_answering, add_model, answering, load_model

ABOUT = (
    "Say why a text is in one language rather than in another: what each word says for it and against it, and what "
    "would have been answered without bounding, a prior and so on."
)
EXAMPLE = "unilid explain 'Hva er klokka nå?' --instead da"


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add what this verb takes."""
    command.add_argument("texts", nargs="*", metavar="TEXT", help="the default is the lines of standard input")
    command.add_argument("-t", "--text", action="append", default=[], help="explain this text, which may begin with -")
    add_model(command)
    command.add_argument(
        "--language", metavar="A", help="the language to explain, by label or code; the default is the answer"
    )
    command.add_argument(
        "--instead", metavar="B", help="the language to compare it with; the default is the best of the others"
    )
    add_answering(command)
    command.add_argument(
        "-o",
        "--output",
        choices=("text", "json", "html"),
        default="text",
        help="how to write it: text, in colours on a terminal (default), one line of JSON a text, or HTML",
    )


def run(options: argparse.Namespace) -> None:
    """Explain answers."""
    from unilid.cli import streams  # after the parser, which has shown --help by now
    from unilid.explanation import view

    model = load_model(options.model)
    asked = {"language": options.language, "instead": options.instead, **answering(options)}
    given: list[Any] = [os.fsencode(text) for text in (*options.texts, *options.text)]
    batches: Any = [streams.TextBatch(given, given)] if given else streams.read_texts("-", format="text")
    for number, text in enumerate(text for batch in batches for text in batch.texts):
        view.write(model.explain(text, **asked), options.output, sys.stdout, first=number == 0)
