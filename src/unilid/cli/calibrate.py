"""``unilid calibrate``: the decisions of a model, fitted to text."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from unilid.cli.options import (
    add_corpus_format,
    add_model,
    add_output_model,
    add_threads,
    check_model_writable,
    corpus_format,
    file_name,
    load_model,
    prior,
)
from unilid.display import sentence

if TYPE_CHECKING:
    from unilid.model import Model

ABOUT = (
    "Fit a model's decisions: the paper's calibrated UniLID from the text it was trained on, probabilities and "
    "rejection from labelled text it has not seen, a prior from a sample of what it will be asked about."
)
EXAMPLE = "unilid calibrate corpus.tsv --validation more.tsv -m my.unilid -o better.unilid"


HELD_OUT = 5
"""Of so many validation lines, one shows what fitting on the others does; all fit the final model."""


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add what this verb takes."""
    command.add_argument(
        "corpus", nargs="*", type=file_name, metavar="CORPUS", help="the text that the model was trained on"
    )
    add_model(command)
    add_output_model(command)
    command.add_argument(
        "--validation", nargs="+", type=file_name, metavar="FILE", help="labelled text that the model has not seen"
    )
    command.add_argument(
        "--preset",
        choices=("paper",),
        help="take exactly the paper's constants; the default is to scale them, or to choose them on validation text",
    )
    command.add_argument(
        "--prior",
        default="model",
        metavar="PRIOR",
        help="the prior that the model will be asked with, as `unilid identify` takes it",
    )
    command.add_argument(
        "--prior-from",
        nargs="+",
        type=file_name,
        metavar="FILE",
        help="plain text to fit a prior to, one sample a line",
    )
    add_corpus_format(command)
    add_threads(command)


def run(options: argparse.Namespace) -> None:
    """Fit decisions and write a model."""
    from unilid.cli import records, terminal  # after the parser, which has shown --help by now
    from unilid.corpus.reading import stored_files
    from unilid.evaluation.evaluate import evaluate
    from unilid.training.calibrate import calibrate

    output = Path(options.output)
    labelled = stored_files([*options.corpus, *(options.validation or [])], options.format)
    check_model_writable(options.output, [*labelled, *(options.prior_from or [])])
    model = load_model(options.model)
    texts = None
    if options.prior_from:
        texts = [text for file in options.prior_from for text in records.read_lines(file)]
    fitting = {
        "rules": options.preset or "auto",
        "prior": prior(options.prior),
        "prior_from": texts,
        **corpus_format(options),
        "threads": options.threads,
    }
    told = None
    with terminal.Bars() as progress:
        if options.validation and (held_out := list(_part(model, options, held_out=True))):
            rest = _part(model, options, held_out=False)
            some = calibrate(model, options.corpus or None, validation=rest, progress=progress, **fitting)
            before, after = (evaluate(one, held_out, threads=options.threads) for one in (model, some))
            told = f"accuracy {before.accuracy:.4f}, then {after.accuracy:.4f}"
            if before.ece is not None and after.ece is not None:
                told += f"; expected calibration error {before.ece:.4f}, then {after.ece:.4f}"
            told = f"on {after.lines:,} lines that were held out of fitting: {told}"
        model = calibrate(model, options.corpus or None, validation=options.validation, progress=progress, **fitting)
    model.save(output)
    if told is not None:
        print(told, file=sys.stderr)
    done = [f"{len(model.languages)} languages"]
    calibration = model.decisions.calibration
    if options.corpus and calibration is not None:
        done.append(f"{int((calibration.thresholds > 0).sum())} of them re-ranked")
    if options.validation:
        done.append("probabilities fitted")
    if texts is not None:
        count = sum(map(bool, texts))
        done.append(f"a prior fitted to {count:,} text{'s' * (count != 1)}")
    print(sentence(f"{output}: {', '.join(done)}"), file=sys.stderr)


def _part(model: Model, options: argparse.Namespace, *, held_out: bool) -> Iterator[tuple[str, bytes]]:
    """Yield every fifth of the validation lines of languages that the model knows, or the others."""
    from unilid.corpus import reading

    known = set(model.languages)
    number = 0
    for batch in reading.read(options.validation, **corpus_format(options)):
        for label, text in zip(batch.labels, batch.texts, strict=True):
            if label in known:
                number += 1
                if (number % HELD_OUT == 0) == held_out:
                    yield label, text
