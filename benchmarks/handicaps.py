"""Handicaps: how a label's advantage grows with the text, and what it is worth to take it away.

    pip install scikit-learn
    python benchmarks/handicaps.py

A label that was trained on more text, or on text that is more alike, scores higher on every text. The tasks are those
of classes.py, with 100 lines of a class to train. First, lines to train alone: each fifth is scored, whole and cut, by
a model of the others, and an advantage of each label that is fixed, grows with the root of the letters, or with the
letters is fitted to all of them (a conditional logit; whole lines count as much as cut ones). Then the lines that
measure, whole and cut, by `unilid.train(corpus)` with its defaults, and by the same model without its handicaps.
"""

import random
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from classes import Classes, tasks
from common import Report, Test, arguments, evaluated, without_handicaps
from scipy.optimize import minimize

import unilid
from unilid.corpus.sampling import LabelledTexts
from unilid.decisions.held_out import HeldOut, cut
from unilid.decisions.temperature import Temperature
from unilid.model import Model
from unilid.scoring.scorers import Scorers

LINES = 100
"""Of a class, to train."""
FOLDS = 5
SHORT = 24
"""Characters of a line that is cut."""
GROWTHS: dict[str, float | None] = {"none": None, "fixed": 0.0, "root": 0.5, "letters": 1.0}
"""How an advantage grows with the letters: their power."""
USUAL = 8.0
"""Nats that a label usually has before others in 100 letters (a standard deviation), as in training."""
KINDS = ("dialects", "kinds of text", "kinds of sentences")
Floats = npt.NDArray[np.float64]


class Likelihood(NamedTuple):
    """The mean log-likelihood of the labels of texts."""

    whole: float
    cut: float


def main() -> None:
    options = arguments(__doc__)
    packages = ("unilid", "scipy", "numpy")
    report = Report(
        "handicaps", "Handicaps: the longer the text, the larger the advantage", options.quick, packages=packages
    )
    asked = [task for task in tasks(options.data) if task.kind in KINDS]
    asked = asked[::4] if options.quick else asked
    corpora = [drawn(task.train, 25 if options.quick else LINES) for task in asked]
    report.say(
        f"{LINES} lines of each class, drawn at random; the tasks are those of [classes](classes.md).\n\n"
        "## How it grows\n\n"
        "Training lines, each fifth scored by a model of the others, whole and cut to 6 to 48 characters. Mean "
        "log-likelihood of the labels, where each label has no advantage, one that is fixed, one that grows with the "
        "root of the letters, or with the letters. The higher the better; the best sum of the two is bold.\n"
    )
    names = [f"{growth}, {part}" for growth in GROWTHS for part in Likelihood._fields]
    report.header("task", *names)
    sums = []
    for task, corpus in zip(asked, corpora, strict=True):
        held = held_out(corpus)
        found = [likelihood(held, len(corpus), growth) for growth in GROWTHS.values()]
        sums.append(found)
        report.row(task.name, *cells(found))
    report.row("mean", *cells([Likelihood(*np.mean(own, axis=0)) for own in zip(*sums, strict=True)]))
    report.say(
        "\n## What it is worth\n\n"
        f"Lines that measure, whole and cut to {SHORT} characters: macro F1 and, behind it, how far probabilities are "
        "from the share of answers that are right (expected calibration error), by `unilid.train` with its defaults "
        "and by the same model without its handicaps.\n"
    )
    ways = ("without", "with handicaps")
    report.header("task", *(f"{way}, {part}" for part in ("whole", "cut") for way in ways))
    rows = []
    for task, corpus in zip(asked, corpora, strict=True):
        model = unilid.train(corpus)
        test = Test.of(task.test)
        tests = (test, test.changed(lambda text: cut(text, SHORT) or text))
        rows.append([measured(own, some) for some in tests for own in (without_handicaps(model), model)])
        report.row(task.name, *map(shown, rows[-1]))
    report.row("mean", *map(shown, np.mean(rows, axis=0).tolist()))
    report.write()


def drawn(classes: Classes, lines: int) -> Classes:
    choice = random.Random(0)
    return {label: choice.sample(texts, min(lines, len(texts))) for label, texts in classes.items()}


def held_out(corpus: Classes) -> HeldOut:
    """Return all lines, whole and cut, each as a model of the other folds scores it."""
    parts = []
    for fold in range(FOLDS):
        kept = {label: [t for n, t in enumerate(texts) if n % FOLDS != fold] for label, texts in corpus.items()}
        model = unilid.train(kept)
        pairs = [(model.row_of(label), text) for label, texts in corpus.items() for text in texts[fold::FOLDS]]
        lines = LabelledTexts(np.array([row for row, _ in pairs], np.int64), [text for _, text in pairs])
        parts.append(HeldOut.of(Scorers(model.parameters).scorer, lines, threads=1))
    held = HeldOut.joined(parts)
    return held.take(held.letters > 0)


def likelihood(held: HeldOut, labels: int, growth: float | None) -> Likelihood:
    """Fit temperature and advantages, and return how probable the labels are then."""
    scores = np.empty((len(held.rows), labels))
    np.put_along_axis(scores, held.best, held.top - held.top[:, :1], 1)
    texts, whole = np.arange(len(held.rows)), held.whole
    weights = np.where(whole, 0.5, 0.5 * whole.sum() / max((~whole).sum(), 1))
    hundreds = np.zeros(len(texts)) if growth is None else (held.letters / 100) ** growth
    start = np.concatenate([np.log([Temperature().scale, Temperature().length, Temperature().decay]), np.zeros(labels)])

    def of_each(parameters: Floats) -> Floats:
        exponents = Temperature(*np.exp(parameters[:3])).at(held.letters)
        logits = exponents[:, None] * (scores - hundreds[:, None] * parameters[3:])
        logits -= logits.max(axis=1, keepdims=True)
        return np.asarray(logits[texts, held.rows] - np.log(np.exp(logits).sum(axis=1)))

    def loss(parameters: Floats) -> float:
        usual = ((parameters - start)[:3] ** 2).sum() + (parameters[3:] ** 2).sum() / (2 * USUAL**2)
        return float(usual - (weights * of_each(parameters)).sum())

    found = of_each(minimize(loss, start, method="L-BFGS-B").x)
    return Likelihood(float(found[whole].mean()), float(found[~whole].mean()))


def cells(found: Sequence[Likelihood]) -> list[str]:
    best = max(sum(own) for own in found)
    mark = ["**" if sum(own) == best else "" for own in found]
    return [f"{sign}{value:.4f}{sign}" for sign, own in zip(mark, found, strict=True) for value in own]


def measured(model: Model, test: Test) -> tuple[float, float]:
    """Return macro F1 and the calibration error."""
    answers = model.identify(test.texts, abstain=False)
    figures = evaluated(test.gold, [a.label for a in answers], [a.probability for a in answers])
    assert figures.ece is not None
    return figures.macro.f1, figures.ece


def shown(figures: Sequence[float]) -> str:
    return "{:.4f}, {:.4f}".format(*figures)


if __name__ == "__main__":
    main()
