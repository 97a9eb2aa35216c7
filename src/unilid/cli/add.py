"""``unilid add``: new languages for a model."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from unilid.cli.options import add_model, add_output_model, check_model_writable, file_name, load_model
from unilid.display import sentence
from unilid.errors import UnilidError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from unilid.training.addition import Addition

ABOUT = (
    "Teach a model a new language from a few lines of plain text, or several from a folder with one file a language. "
    "The other languages are not touched. A fifth of the lines is held out first, to say how well it is told apart."
)
EXAMPLE = "unilid add xyz_Latn lines.txt --name Xyzish -o my.unilid"

_ABOUT_IT = ("name", "autonym", "source", "license")
_MOST = 5
"""Languages that a line names."""


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add what this verb takes."""
    command.add_argument(
        "label", metavar="LABEL", help="the label of the new language, for example xyz_Latn; or a folder of LABEL.txt"
    )
    command.add_argument(
        "files", nargs="*", type=file_name, metavar="FILE", help="plain text; the default is standard input"
    )
    add_model(command)
    add_output_model(command)
    command.add_argument(
        "--anew",
        action="store_true",
        help="learn a language that the model knows anew, from these lines alone: to extend it, give the old lines too",
    )
    command.add_argument("--name", help="what the language is called in English; kept in the model")
    command.add_argument(
        "--autonym", metavar="NAME", help="what it is called in the language itself; kept in the model"
    )
    command.add_argument("--source", metavar="WORDS", help="where the lines come from; kept in the model")
    command.add_argument("--license", metavar="WORDS", help="under which licence they are; kept in the model")


def run(options: argparse.Namespace) -> None:
    """Add languages."""
    from unilid.cli.terminal import say  # after the parser, which has shown --help by now
    from unilid.corpus.reading import stored_files
    from unilid.languages.labels import check_label
    from unilid.training.addition import add

    output = Path(options.output)
    is_folder = bool(options.label) and Path(options.label).is_dir()
    if not is_folder:
        check_label(options.label)
    check_model_writable(options.output, stored_files([options.label]) if is_folder else options.files or ["-"])
    corpus = _corpus(options, is_folder=is_folder)
    about = {name: value for name in _ABOUT_IT if (value := getattr(options, name)) is not None}
    if len(corpus) > 1 and (one := next((name for name in ("name", "autonym") if name in about), None)):
        raise UnilidError(f"--{one} is of one language, and {options.label} has {len(corpus)}; add them one by one")
    model, added = add(load_model(options.model), corpus, anew=options.anew, about=about)
    model = model.save(output)
    for addition in added:
        if addition.known_as:
            say(
                f"{addition.label}: the model knows this language as {', '.join(addition.known_as)} already; "
                "its texts may now get either label"
            )
        if addition.in_another_script:
            say(f"{addition.label}: most words are in the script {addition.scripts[0]}; see whether the label is right")
        print(sentence(_told(addition)), file=sys.stderr)
    lines = sum(addition.lines for addition in added)
    learned = options.label if len(added) == 1 else f"{len(added)} of them"
    told = f"{len(model.languages)} languages, {learned} from {lines} line" + "s" * (lines != 1)
    print(sentence(f"{output}: {told}"), file=sys.stderr)


def _corpus(options: argparse.Namespace, *, is_folder: bool) -> dict[str, list[bytes]]:
    from unilid.cli import records
    from unilid.corpus import reading

    if is_folder:
        if options.files:
            raise UnilidError(f"{options.label}: is a folder, whose files are named for their labels; give no others")
        corpus: dict[str, list[bytes]] = {}
        for batch in reading.read(options.label, format="folder"):
            for label, text in zip(batch.labels, batch.texts, strict=True):
                corpus.setdefault(label, []).append(text)
        return corpus
    files = options.files or [records.STANDARD_INPUT]
    return {options.label: [text for file in files for text in records.read_lines(file) if text]}


def _told(addition: Addition) -> str:
    """Say what is known of a language from the lines that were held out."""
    if not addition.held_out:
        return f"{addition.label}: fewer than 5 lines, too few to hold some out and to say how well it is told apart"
    told = f"{addition.label}: {addition.right} of {addition.held_out} held-out lines are now {addition.label}"
    if addition.before:
        are_all = sum(addition.before.values()) == addition.right  # of one learned anew, some were right before
        told += f"; before, {'they' if are_all else 'some'} were {_counted(addition.before)}"
    if addition.taken_for:
        told += f"; the others are {_counted(addition.taken_for)}"
    return told


def _counted(labels: Mapping[str, int]) -> str:
    shown = [f"{label} ({count})" for label, count in list(labels.items())[:_MOST]]
    return ", ".join([*shown, *(["…"] if len(labels) > _MOST else [])])
