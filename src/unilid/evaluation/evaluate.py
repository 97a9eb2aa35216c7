"""Evaluating a model, or a file of anybody's answers, on labelled text."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from unilid import files
from unilid.corpus import reading
from unilid.corpus.reading import Source
from unilid.display import escaped
from unilid.errors import CorpusError, UnilidError
from unilid.evaluation.metrics import Relabel, Report, Tally
from unilid.languages.labels import RESERVED, with_macrolanguage, without_script, written_as
from unilid.languages.usual import CODES, Codes
from unilid.model import Model
from unilid.progress import Progress, watched_by
from unilid.texts import check_corpus
from unilid.threads import Threads

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from unilid.decisions.options import Options


Errors: TypeAlias = Callable[[str, bytes, str, float | None], None]
"""Called with the label and the text of a line, the answer and its probability, if there is one."""


def evaluate(
    model: Model,
    corpus: Source,
    *,
    codes: Codes = "label",
    macrolanguages: bool = False,
    script_blind: bool = False,
    format: str = "auto",  # noqa: A002
    text_field: str = "text",
    label_field: str = "label",
    threads: Threads = "auto",
    progress: Progress | None = None,
    errors: Errors | None = None,
    **options: Unpack[Options],
) -> Report:
    """Ask a model about labelled text and return how good its answers are.

    Parameters
    ----------
    model
        Any model.
    corpus
        Labelled text, in any format that training reads; it is streamed, and never held in memory.
    codes
        What labels are compared as, in the corpus and in the answers: ``"label"``, as they are, ``"bcp47"``,
        ``"iso639_1"`` or ``"macro"``. With ``"iso639_1"`` a corpus may say ``de`` or ``deu`` where the model says
        ``deu_Latn``.
    macrolanguages
        Compare labels by their macrolanguages: Egyptian for Standard Arabic is then right.
    script_blind
        Compare labels without their scripts.
    format, text_field, label_field
        The format of the files, and where in JSON Lines and Parquet the text and its label stand; ``"auto"``
        recognises the format.
    threads
        How many threads work; ``"auto"``: as many as this process has cores.
    progress
        Is told how far the work is.
    errors
        Is called with each line that is answered wrongly: its label, its text, the answer and its probability.
    options
        How texts are answered: see `Options`. Of long texts, as much is read as `identify` reads.

    Examples
    --------
    >>> import unilid
    >>> report = unilid.evaluate(unilid.load(), [("deu_Latn", "Guten Morgen!"), ("fra_Latn", "Où est la gare ?")])
    >>> report.accuracy, report.macro.f1
    (1.0, 1.0)
    """
    if options.get("languages") is not None:
        options["languages"] = list(options["languages"] or ())  # asked for again with every batch
    if not isinstance(model, Model):
        raise UnilidError(f"expected a model first and the corpus after it, not {type(model).__name__}")
    check_corpus(corpus)
    model.identify([], threads=threads, **options)  # what is asked for is checked before anything is read
    tally = Tally(relabelling(codes=codes, macrolanguages=macrolanguages, script_blind=script_blind))
    fields: dict[str, Any] = {"format": format, "text_field": text_field, "label_field": label_field}
    progress = watched_by(progress)
    with progress.stage("evaluating", reading.size(corpus)) as advance:
        for batch in reading.read(corpus, progress=advance, **fields):
            answers = model.identify(batch.texts, threads=threads, **options)
            for label, text, answer in zip(batch.labels, batch.texts, answers, strict=True):
                sure = None if answer.label in RESERVED else answer.probability
                if not tally.add(label, answer.label, text, sure) and errors is not None:
                    errors(label, text, answer.label, answer.probability)
    return tally.report(dict(zip(model.languages, model.lines.tolist(), strict=True)), known=model.languages)


def evaluate_predictions(
    predictions: str | Path,
    corpus: Source,
    *,
    codes: Codes = "label",
    macrolanguages: bool = False,
    script_blind: bool = False,
    lines: Mapping[str, int] | None = None,
    format: str = "auto",  # noqa: A002
    text_field: str = "text",
    label_field: str = "label",
    progress: Progress | None = None,
    errors: Errors | None = None,
) -> Report:
    """Return how good the answers in a file are: one a line, as `unilid identify` writes them (TSV or JSONL).

    TSV: label, and the probability behind it if there is one; fastText's ``__label__`` is taken off. The other options
    are those of `evaluate`: answers in codes are compared with labels by `codes`.
    """
    if not isinstance(predictions, str | os.PathLike):
        raise UnilidError(f"predictions are a file with an answer on each line, not {type(predictions).__name__}")
    check_predictions(predictions)
    check_corpus(corpus)
    tally = Tally(relabelling(codes=codes, macrolanguages=macrolanguages, script_blind=script_blind))
    fields: dict[str, Any] = {"format": format, "text_field": text_field, "label_field": label_field}
    progress = watched_by(progress)
    answers = _answers(Path(predictions))
    number = 0
    with progress.stage("evaluating", reading.size(corpus)) as advance:
        for batch in reading.read(corpus, progress=advance, **fields):
            for label, text in zip(batch.labels, batch.texts, strict=True):
                answer = next(answers, None)
                if answer is None:
                    raise CorpusError(f"{predictions}: has {number} answers, and the corpus more lines")
                number += 1
                if not tally.add(label, answer[0], text, answer[1]) and errors is not None:
                    errors(label, text, *answer)
    if next(answers, None) is not None:
        raise CorpusError(f"{predictions}: has more answers than the corpus has lines ({number})")
    return tally.report(lines)


def check_predictions(path: str | Path) -> None:
    """Refuse a file whose suffix says that it does not have an answer on each line."""
    files.refuse_foreign(path, "make TSV or JSON Lines of it", here=[".parquet"])


def relabelling(*, codes: Codes = "label", macrolanguages: bool, script_blind: bool) -> Relabel | None:
    """Return what labels are compared as; None: as they are."""
    if codes not in CODES:
        raise UnilidError(f"codes must be one of {', '.join(CODES)}, not {codes!r}")
    steps: list[Relabel] = [] if codes == "label" else [partial(written_as, codes=codes)]
    steps += [with_macrolanguage] if macrolanguages else []
    steps += [without_script] if script_blind else []
    if not steps:
        return None

    def relabel(label: str) -> str:
        for step in steps:
            label = step(label)
        return label

    return relabel


def _answers(path: Path) -> Iterator[tuple[str, float | None]]:
    number = 0
    for block in files.lines(path):
        for line in block:
            number += 1
            yield _answer(line, f"{path}:{number}")


def _answer(line: bytes, where: str) -> tuple[str, float | None]:
    probability: Any = None
    if line.startswith(b"{"):
        try:
            record = json.loads(line)
            record = record.get("predictions", [record])[0]  # of several answers the best one
            label, probability = record["label"], record.get("probability")
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise CorpusError(f"{where}: not an answer: {error!r}") from None
    else:
        # fastText writes a space before the probability.
        cells = line.decode("utf-8", "replace").split(None if line.startswith(b"__label__") else "\t")
        label = cells[0]
        if len(cells) > 1:
            probability = _number(cells[1])
    if isinstance(label, str):  # of any system: what cannot be shown or written is written out
        label = escaped(label.removeprefix("__label__"))
    if not isinstance(label, str) or not label:
        raise CorpusError(f"{where}: no label")
    if probability is not None and (not isinstance(probability, int | float) or not 0 <= probability <= 1.0001):
        raise CorpusError(f"{where}: {probability!r} is not a probability")
    if label in RESERVED:
        probability = None
    return label, None if probability is None else min(float(probability), 1.0)


def _number(written: str) -> float | None:
    try:
        return float(written)
    except ValueError:
        return None
