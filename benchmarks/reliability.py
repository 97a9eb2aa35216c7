"""Whether probabilities mean what they say: expected calibration error, overall, by length, and out of domain.

    python benchmarks/reliability.py

A model of FLORES lines 1 to 500 on lines 501 to 997, whole and cut short, and on UDHR lines of languages that it knows;
a model of Tatoeba `train` on `test`, with the prior of the training lines. `abstain=False`: every text has a language.
The error and the bins of the diagram are those of `unilid.evaluation.metrics`.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import numpy as np
from common import FastText, Figures, Report, Test, arguments, draw, evaluated, every, flores, labelled

import unilid
from unilid.decisions.held_out import cut
from unilid.decisions.prior import Prior
from unilid.evaluation import plots
from unilid.model import Model

CUTS = (8, 16, 32, 64, 128)
BUCKETS = (0, 10, 20, 40, 80, 160, 10**9)
"""Characters; finer among short texts than those of `unilid.evaluation.metrics`."""
LEAST = 20
"""Answers of a bin that is drawn."""


@dataclass(frozen=True)
class Answers:
    """The answers of a system to a test set, with their probabilities."""

    test: Test
    labels: list[str]
    probabilities: list[float]

    @cached_property
    def figures(self) -> Figures:
        return evaluated(self.test.gold, self.labels, self.probabilities)

    @property
    def ece(self) -> float:
        assert self.figures.ece is not None  # probabilities were given
        return self.figures.ece

    def cells(self) -> list[object]:
        """Return lines, accuracy, mean probability, ECE."""
        mean = sum(self.probabilities) / len(self.probabilities)
        return [len(self.labels), self.figures.accuracy, mean, self.ece]

    def diagram(self) -> list[tuple[float, float]]:
        return [(one.probability, one.accuracy) for one in self.figures.reliability if one.lines >= LEAST]

    def by_length(self) -> list[str]:
        """Return the ECE of texts of about the same length, where there are enough."""
        size = [len(text.decode()) for text in self.test.texts]
        cells = []
        for a, b in pairwise(BUCKETS):
            own = [i for i, characters in enumerate(size) if a <= characters < b]
            part = Answers(
                Test([self.test.texts[i] for i in own], [self.test.gold[i] for i in own]),
                [self.labels[i] for i in own],
                [self.probabilities[i] for i in own],
            )
            cells.append(f"{part.ece:.4f} ({len(own)})" if len(own) >= 100 else "")
        return cells


def ask(model: Model, test: Test, prior: Prior = None) -> Answers:
    answers = model.identify(test.texts, prior=prior, abstain=False)
    return Answers(test, [answer.label for answer in answers], [answer.probability for answer in answers])


def raw(model: Model, test: Test) -> Answers:
    """Return what the bare likelihoods would promise, for comparison."""
    labels: list[str] = []
    probabilities: list[float] = []
    for start in range(0, len(test.texts), 2000):
        scores = model.scores(test.texts[start : start + 2000])
        below = scores - scores.max(axis=1, keepdims=True)
        probabilities += (1 / np.exp(below).sum(axis=1)).tolist()
        labels += [model.languages[row] for row in scores.argmax(axis=1).tolist()]
    return Answers(test, labels, probabilities)


def ask_fasttext(train: dict[str, list[bytes]], test: Test) -> Answers:
    found, scores = FastText(train).model.predict([text.decode().replace("\n", " ") for text in test.texts])
    labels = [label[0].removeprefix("__label__") for label in found]
    return Answers(test, labels, [min(float(score[0]), 1.0) for score in scores])


def main() -> None:
    options = arguments(__doc__)
    report = Report("reliability", "Reliability: expected calibration error (15 bins)", options.quick)
    train, held = flores(options.data, options.quick)
    model = unilid.train(train)
    whole = Test.of(held)
    short = Test.of({k: [c for t in lines[::4] for n in CUTS if (c := cut(t, n))] for k, lines in held.items()})
    mixed = Test(whole.texts[::4] + short.texts, whole.gold[::4] + short.gold)
    udhr = Test.of({k: v for k, v in labelled(options.data / "udhr/test.tsv.xz").items() if k in train})
    plotted: dict[str, Answers] = {}
    report.header("measured on", "lines", "accuracy", "mean probability", "ECE", "ECE of the bare posterior")
    for name, test in {"FLORES, whole lines": whole, "FLORES, whole and cut": mixed, "UDHR": udhr}.items():
        plotted[name] = ask(model, test)
        report.row(name, *plotted[name].cells(), raw(model, every(test, 5)).ece)
    plotted["fastText, whole and cut"] = ask_fasttext(train, mixed)
    report.row("fastText: FLORES, whole and cut", *plotted["fastText, whole and cut"].cells(), "")
    short_model, test = tatoeba(options.data, options.quick)
    plotted["Tatoeba"] = ask(short_model, test, "training")
    bare = raw(short_model, every(test, 5)).ece
    report.row("Tatoeba, prior of the training lines", *plotted["Tatoeba"].cells(), bare)

    report.say("\n## By length, in characters: ECE (lines)\n")
    report.header("model", *(f"{a} to {b - 1}" if b < 10**9 else f"{a} or more" for a, b in pairwise(BUCKETS)))
    for name in ("FLORES, whole and cut", "Tatoeba"):
        report.row(name, *plotted[name].by_length())
    axes = plots.Axes("Reliability", "probability", "accuracy", [(i / 5, f"{i / 5:.1f}") for i in range(6)])
    points = {name: answers.diagram() for name, answers in plotted.items()}
    draw(report, plots.lines(axes, points, diagonal=True))
    report.write()


def tatoeba(data: Path, quick: bool) -> tuple[Model, Test]:
    """Return a model of Tatoeba `train`, and `test`."""
    train, held = (labelled(data / f"tatoeba/{part}.tsv.xz") for part in ("train", "test"))
    if quick:
        train, held = ({k: v[:100] for k, v in list(c.items())[::12]} for c in (train, held))
    return unilid.train(train), Test.of(held)


if __name__ == "__main__":
    main()
