"""``unilid add``: a new language for a model."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from unilid.cli.options import add_model, add_output_model, check_writable, load_model
from unilid.display import sentence

ABOUT = "Teach a model a new language from a few lines of plain text. The other languages are not touched."
EXAMPLE = "unilid add xyz_Latn lines.txt -o my.unilid"


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add what this verb takes."""
    command.add_argument("label", metavar="LABEL", help="the label of the new language, for example xyz_Latn")
    command.add_argument("files", nargs="*", metavar="FILE", help="plain text; the default is standard input")
    add_model(command)
    add_output_model(command)


def run(options: argparse.Namespace) -> None:
    """Add a language."""
    from unilid.cli import records  # after the parser, which has shown --help by now

    output = Path(options.output)
    check_writable(output, options.files)
    model = load_model(options.model)
    lines = [text for file in options.files or ["-"] for text in records.read_lines(file) if text]
    model = model.add_language(options.label, lines).save(output)
    learned = f"{len(lines)} line" + "s" * (len(lines) != 1)
    print(sentence(f"{output}: {len(model.languages)} languages, {options.label} from {learned}"), file=sys.stderr)
