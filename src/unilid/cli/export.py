"""``unilid export``: a model as others publish theirs."""

from __future__ import annotations

import argparse
import sys

from unilid.cli.options import add_model, file_name, load_model
from unilid.display import sentence

ABOUT = (
    "Write a model as a folder that is a Hugging Face model repository: the model file, config.json, and a model card "
    "(README.md) with its languages, licence and figures. `hf upload user/name FOLDER` publishes it, and "
    "-m hf://user/name uses it."
)
EXAMPLE = "unilid export -m my.unilid --hub my-model --name user/my-model --license cc-by-4.0"


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add what this verb takes."""
    command.add_argument(
        "--hub",
        type=file_name,
        required=True,
        metavar="FOLDER",
        help="the folder to write, whole or not at all; what else is in it stays",
    )
    add_model(command)
    command.add_argument(
        "--name", metavar="USER/NAME", help="what the repository is called; the default is the name of the folder"
    )
    command.add_argument(
        "--license",
        metavar="ID",
        help="the licence of the model, as the Hub writes it (cc-by-4.0, apache-2.0); the default is that of this "
        "package for the models in it, and `unknown` for others",
    )
    command.add_argument(
        "--report", type=file_name, metavar="FILE", help="figures for the card: what `evaluate --json` wrote"
    )
    command.add_argument(
        "--overwrite",
        action="store_true",
        help="replace files that are not as an earlier export wrote them, such as a card that was edited",
    )


def run(options: argparse.Namespace) -> None:
    """Export a model."""
    from unilid.hub.export import export  # after the parser, which has shown --help by now

    model = load_model(options.model)
    export(
        model,
        options.hub,
        name=options.name,
        license=options.license,
        report=options.report,
        overwrite=options.overwrite,
    )
    print(sentence(f"{options.hub}: {len(model.languages)} languages; see its README.md"), file=sys.stderr)
