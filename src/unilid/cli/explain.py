"""``unilid explain``: why a text is in one language rather than in another."""

from __future__ import annotations

import argparse
import os

from unilid.cli.options import add_answering, add_model, add_output, add_to, answering, load_model, output_file

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
    add_output(command)
    add_to(
        command,
        ("text", "jsonl", "html"),
        "the default is that of the output's suffix, and text, in colours on a terminal",
    )


def run(options: argparse.Namespace) -> None:
    """Explain answers."""
    from unilid.cli import records  # after the parser, which has shown --help by now
    from unilid.explanation import view
    from unilid.files import format_suffix

    model = load_model(options.model, ready=True)
    asked = {"language": options.language, "instead": options.instead, **answering(options)}
    suffix = format_suffix(options.output or "")
    form = options.to or {".jsonl": "jsonl", ".json": "jsonl", ".html": "html"}.get(suffix, "text")
    given = [os.fsencode(text) for text in (*options.texts, *options.text)]
    with output_file(options, model, [] if given else [records.STANDARD_INPUT]) as file:
        for number, text in enumerate(given or records.read_lines(records.STANDARD_INPUT)):
            view.write(model.explain(text, **asked), form, file, first=number == 0)
