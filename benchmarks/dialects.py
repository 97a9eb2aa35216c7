"""Dialects: DSL-ML 2024 (English, Spanish, Portuguese), Swiss German, Arabic; beside fastText and a linear SVM.

    pip install scikit-learn
    python benchmarks/dialects.py

A line with two labels trains both, and counts as whichever of them was predicted, else as the first. unilid is
`unilid.train(corpus)` with its defaults, which choose by cross-validation on the training lines; fastText and the SVM
have the best of a few settings on the development lines: their favour. The best of options gives unilid the same: it
says what its options could give at most, if they were chosen on the lines that measure.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from common import PAPER, FastText, Report, arguments, evaluated, linear_svms, predict, without_handicaps

import unilid
from unilid.corpus.reading import read
from unilid.model import Model

Lines = list[tuple[str, bytes]]
"""Labels, one or two with a comma between them, and the text."""

TASKS = [("DSL-ML English", "dsl_ml_2024", "EN"), ("DSL-ML Spanish", "dsl_ml_2024", "ES"),
         ("DSL-ML Portuguese", "dsl_ml_2024", "PT"), ("GDI Swiss German", "gdi_2019", ""),
         ("ADI Arabic", "adi_mgb3", "")]  # fmt: skip
EPOCHS = (10, 25, 50)
RATES = (0.5, 1.0)
SYSTEMS = ("the paper's", "no corrections", "unilid", "fastText", "linear SVM", "unilid, best of options")
CONTEXTS: list[dict[str, Any]] = [
    {"context": None},
    *(
        {"context": "characters", "order": order, "relatives": relatives}
        for order, relatives in product((4, 6), (None, "auto"))
    ),
]
OPTIONS = [{"vocabulary": size, **context} for size, context in product((4_000, 16_000), CONTEXTS)]
"""Of `unilid.train`, to say how much a better choice among them could give."""
HANDICAPS = (True, False)
DRAWS = 200
"""Of the development lines, with replacement (bootstrap)."""


def main() -> None:
    options = arguments(__doc__)
    report = Report("dialects", "Dialects: macro F1 on the development lines", options.quick)
    report.say(
        "unilid: the defaults; no corrections: `relatives=None`. fastText: minn 2, maxn 5, dim 16, the best of "
        f"{EPOCHS} epochs and learning rates {RATES}. SVM: LinearSVC on tf-idf, the best of character n-grams (1 to 5, "
        "within words, case kept) and words (1 to 2), a few costs, and classes as they are or balanced. The paper's "
        f"has no handicaps. ± is the standard error of unilid's figure, from {DRAWS} draws of the lines with "
        "replacement: what chance in the choice of these lines may add or take away. The best of options is the best "
        f"of the default and {len(OPTIONS) * len(HANDICAPS)} ways on the development lines themselves: vocabularies of "
        "4,000 and 16,000 tokens, no context or one of order 4 or 6, with corrections and without, asked with "
        "handicaps and without. It is no figure of a system, but a limit: no choice among these ways, however good, "
        "could give more.\n"
    )
    report.header("task", "lines", *SYSTEMS, "±", "what unilid chose")
    for name, file, prefix in TASKS:
        train, dev = (lines(options.data / f"dialects/{file}.{part}.tsv.xz", prefix) for part in ("train", "dev"))
        if options.quick:
            train, dev = train[::20], dev[::10]
        gold, texts = [labels for labels, _ in dev], [text for _, text in dev]
        known = trained(train)
        models = [unilid.train(known, **PAPER), unilid.train(known, relatives=None), unilid.train(known)]
        said = [predict(model, texts) for model in (without_handicaps(models[0]), *models[1:])]
        fasttexts = (FastText(known, epoch=n, lr=rate) for n, rate in product(EPOCHS, RATES))
        fasttext = max(dialect_f1(gold, system.predict(texts)) for system in fasttexts)
        svm = max(dialect_f1(gold, answers) for _, answers in linear_svms(known, texts, (None, "balanced")))
        ours = [dialect_f1(gold, answers) for answers in said]
        limit = max(ours[-1], *limits(known, gold, texts, options.quick))
        report.row(name, len(dev), *ours, fasttext, svm, limit, standard_error(gold, said[-1]), described(models[-1]))
    report.write()


def limits(known: dict[str, list[bytes]], gold: Sequence[str], texts: list[bytes], quick: bool) -> Iterator[float]:
    """Yield what options give on the lines that measure."""
    for own in OPTIONS[:2] if quick else OPTIONS:
        model = unilid.train(known, **own)
        ways = (model if handicaps else without_handicaps(model) for handicaps in HANDICAPS)
        yield from (dialect_f1(gold, predict(way, texts)) for way in ways)


def described(model: Model) -> str:
    """Say what training chose."""
    settings = model.settings
    context = "no context" if settings.order is None else f"order {settings.order}"
    unigram = f"unigram {16 * settings.unigram_weight:g}/16"
    corrected = "corrected" if model.info["relatives"] else "not corrected"
    handicaps = "no handicaps" if model.decisions.handicaps is None else "handicaps"
    return f"{len(model.parameters.vocabulary):,} tokens, {context}, {unigram}, {corrected}, {handicaps}"


def lines(path: Path, prefix: str) -> Lines:
    """Read the lines of a task, in the order of the file."""
    found: Lines = []
    for batch in read(path, format="tsv"):
        found += [pair for pair in zip(batch.labels, batch.texts, strict=True) if pair[0].startswith(prefix)]
    return found


def trained(train: Lines) -> dict[str, list[bytes]]:
    """Return the lines of each label: where two hold, both learn."""
    corpus: dict[str, list[bytes]] = {}
    for labels, text in train:
        for label in labels.split(","):
            corpus.setdefault(label, []).append(text)
    return corpus


def dialect_f1(gold: Sequence[str], predicted: Sequence[str]) -> float:
    """Return macro F1; a line with two labels counts as whichever of them was predicted, else as the first."""
    truth = [said if said in labels.split(",") else labels.split(",")[0]
             for labels, said in zip(gold, predicted, strict=True)]  # fmt: skip
    return evaluated(truth, predicted).macro.f1


def standard_error(gold: Sequence[str], predicted: Sequence[str]) -> float:
    """Return the standard deviation of the figure over draws of as many lines, with replacement."""
    drawn = np.random.default_rng(0).integers(len(gold), size=(DRAWS, len(gold)))
    return float(np.std([dialect_f1([gold[i] for i in own], [predicted[i] for i in own]) for own in drawn]))


if __name__ == "__main__":
    main()
