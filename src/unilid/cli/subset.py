"""``unilid subset``: a model of fewer languages."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from unilid.cli.options import add_model, add_output_model, check_model_writable, load_model
from unilid.display import sentence

ABOUT = "Keep some languages of a model, or all but some."
EXAMPLE = "unilid subset deu_Latn eng_Latn -o small.unilid"


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add what this verb takes."""
    command.add_argument(
        "labels",
        nargs="+",
        metavar="LABEL",
        help="the languages to keep, by label or code (`hi`, or `hi-*` for all scripts)",
    )
    command.add_argument("--remove", action="store_true", help="remove these languages instead of keeping them")
    add_model(command)
    add_output_model(command)


def run(options: argparse.Namespace) -> None:
    """Keep or remove languages."""
    output = Path(options.output)
    check_model_writable(options.output)
    model = load_model(options.model)
    codes = [code for written in options.labels for code in written.split(",")]
    model = model.remove_languages(codes) if options.remove else model.subset(codes)
    model.save(output)
    print(sentence(f"{output}: {len(model.languages)} languages"), file=sys.stderr)
