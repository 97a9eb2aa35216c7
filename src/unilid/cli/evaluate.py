"""``unilid evaluate``: how good answers are."""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from unilid.cli.options import (
    add_answering,
    add_budget,
    add_codes,
    add_corpus_format,
    add_model,
    add_threads,
    answering,
    budget,
    check_writable,
    corpus_format,
    file_name,
    file_to_write,
    load_model,
)
from unilid.errors import UnilidError

if TYPE_CHECKING:
    from unilid.model import Model

ABOUT = "Say how good a model's answers, or those in a file, are on labelled text."
EXAMPLE = "unilid evaluate test.tsv -m my.unilid --html report.html"

_USUAL = {"languages": None, "prior": "model", "calibrated": None, "abstain": "yes", "budget": "usual"}
"""The options of an answer, as they are where none is given."""


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add what this verb takes."""
    command.add_argument(
        "corpus", nargs="+", type=file_name, metavar="CORPUS", help="labelled text, in any format that train reads"
    )
    add_model(command)
    command.add_argument(
        "--predictions", type=file_name, metavar="FILE", help="answers, one a line, instead of asking a model"
    )
    command.add_argument("--against", type=file_name, metavar="FILE", help="predictions or a model to compare with")
    add_answering(command)
    add_budget(command)
    add_codes(command, "what labels are compared as, in the corpus and in the answers")
    command.add_argument("--macrolanguages", action="store_true", help="compare labels by their macrolanguages")
    command.add_argument("--script-blind", action="store_true", help="compare labels without their scripts")
    command.add_argument("--json", type=file_to_write, metavar="FILE", help="write all figures as JSON")
    command.add_argument("--markdown", type=file_to_write, metavar="FILE", help="write all tables as Markdown")
    command.add_argument("--html", type=file_to_write, metavar="FILE", help="write a page with plots")
    command.add_argument(
        "--errors",
        type=file_to_write,
        metavar="FILE",
        help="write the wrong lines, and what `explain` says of each; JSONL by that suffix, else TSV",
    )
    add_corpus_format(command)
    add_threads(command)


def run(options: argparse.Namespace) -> None:
    """Evaluate and report."""
    from unilid.cli import terminal  # after the parser, which has shown --help by now
    from unilid.corpus.reading import stored_files
    from unilid.evaluation import evaluate, metrics, view
    from unilid.evaluation.errors import ErrorWriter
    from unilid.files import format_suffix, refuse_foreign, write_compressed
    from unilid.store.repository import WEIGHTS, is_repository

    outputs = {name: path for name in ("json", "markdown", "html", "errors") if (path := getattr(options, name))}
    for path in outputs.values():
        refuse_foreign(path, "give it another suffix", done="written", here=[".parquet"])
    asking = [place for place in (options.predictions, options.against, options.model) if place is not None]
    files = [Path(place, WEIGHTS) if is_repository(place) else Path(place) for place in asking]
    check_writable(outputs.values(), [*stored_files(options.corpus, options.format), *files])
    shared = {
        "codes": options.codes,
        "macrolanguages": options.macrolanguages,
        "script_blind": options.script_blind,
        **corpus_format(options),
    }
    asked = {"threads": options.threads, **answering(options), **budget(options)}
    model = None if options.predictions and not options.model else load_model(options.model)
    rival = None
    if options.against and (Path(options.against).suffix == ".unilid" or is_repository(options.against)):
        rival = load_model(options.against)
    if options.predictions and rival is None:
        for name, default in _USUAL.items():
            if getattr(options, name) != default:
                raise UnilidError(f"--{name} is for asking a model; answers in --predictions were given without it")
    for answers in (options.predictions, None if rival else options.against):
        if answers and not Path(answers).exists():  # before the work, not after it
            raise UnilidError(f"{answers}: cannot be read: No such file or directory")
        if answers and Path(answers).is_dir():
            raise UnilidError(f"{answers}: cannot be read: Is a directory")
        if answers:
            evaluate.check_predictions(answers)
    if options.errors and model is None:
        raise UnilidError("--errors explains by a model, and --predictions has none; give one with -m")
    lines = None if model is None else dict(zip(model.languages, model.lines.tolist(), strict=True))

    def measure(asking: Model | None, answers: str | None, errors: ErrorWriter | None = None) -> metrics.Report:
        told: dict[str, Any] = {"progress": progress, "errors": errors}
        if asking is None:
            assert answers is not None
            return evaluate.evaluate_predictions(answers, options.corpus, lines=lines, **told, **shared)
        calibrated = asked["calibrated"] if asking is model else "auto"  # what the other one may have or not
        return evaluate.evaluate(asking, options.corpus, **{**asked, "calibrated": calibrated}, **told, **shared)

    with terminal.Bars() as progress, ExitStack() as stack:
        errors = None
        if path := outputs.pop("errors", None):
            assert model is not None
            form: Literal["tsv", "jsonl"] = "jsonl" if format_suffix(path) in (".jsonl", ".json") else "tsv"
            file = stack.enter_context(write_compressed(path))
            errors = ErrorWriter(file, form, model, answering(options))
        report = measure(None if options.predictions else model, options.predictions, errors)
        differences: list[metrics.Difference] = []
        if options.against:
            differences = metrics.compare(measure(rival, options.against), report)
    corpora = ", ".join(Path(path).name for path in options.corpus)
    title = f"{options.predictions or options.model or 'unilid'} on {corpora}"
    write = {
        "json": lambda: report.to_json(differences) + "\n",
        "markdown": lambda: view.markdown(report, differences, title=title),
        "html": lambda: view.html(report, differences, title=title),
    }
    for name, path in outputs.items():
        with write_compressed(path) as file:
            file.write(write[name]().encode())
    view.show(report, terminal.console(), differences)
