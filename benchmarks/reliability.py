"""Whether probabilities mean what they say: expected calibration error, overall, by length, and out of domain.

    python benchmarks/reliability.py

A model of FLORES lines 1 to 500 on lines 501 to 997, whole and cut short, and on UDHR lines of languages that it knows;
a model of Tatoeba `train` on `test`, with the prior of the training lines. `abstain=False`: every text has a language.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from common import ROOT, FastText, Report, Test, arguments, flores, labelled

import unilid
from unilid import plots
from unilid.confidence import cut
from unilid.model import Model, Prior

BINS = 15
CUTS = (8, 16, 32, 64, 128)
BUCKETS = (0, 10, 20, 40, 80, 160, 10**9)  # characters


def ece(probability: np.ndarray, right: np.ndarray) -> float:
    """Return the expected calibration error: the gap between probability and accuracy, over bins of probability."""
    bins = np.minimum((probability * BINS).astype(int), BINS - 1)
    gaps = [abs(probability[bins == b].mean() - right[bins == b].mean()) * (bins == b).mean() for b in set(bins)]
    return float(sum(gaps))


def diagram(probability: np.ndarray, right: np.ndarray) -> list[tuple[float, float]]:
    bins = np.minimum((probability * BINS).astype(int), BINS - 1)
    return [
        (float(probability[bins == b].mean()), float(right[bins == b].mean()))
        for b in range(BINS)
        if (bins == b).sum() >= 20
    ]


def ask(model: Model, test: Test, prior: Prior = None) -> tuple[np.ndarray, np.ndarray]:
    answers = model.identify(test.texts, prior=prior, abstain=False, threads=2)
    right = np.array([a.label == gold for a, gold in zip(answers, test.gold, strict=True)])
    return np.array([a.probability for a in answers]), right


def raw(model: Model, test: Test) -> tuple[np.ndarray, np.ndarray]:
    """Return what the bare likelihoods would promise, for comparison."""
    probability, right = [], []
    for start in range(0, len(test.texts), 2000):
        scores = model.scores(test.texts[start : start + 2000], threads=2)
        below = scores - scores.max(axis=1, keepdims=True)
        probability.append(1 / np.exp(below).sum(axis=1))
        right.append(scores.argmax(axis=1) == [model.row(gold) for gold in test.gold[start : start + 2000]])
    return np.concatenate(probability), np.concatenate(right)


def main() -> None:
    options = arguments(__doc__)
    report = Report("reliability", "Reliability: expected calibration error (15 bins)", options.quick)
    train, held = flores(options.data, options.quick)
    model = unilid.train(train)
    whole = Test.of(held)
    short = Test.of({k: [c for t in lines[::4] for n in CUTS if (c := cut(t, n))] for k, lines in held.items()})
    mixed = Test(whole.texts[::4] + short.texts, whole.gold[::4] + short.gold)
    udhr = Test.of({k: v for k, v in labelled(options.data / "udhr/test.tsv.xz").items() if k in train})
    sets = {"FLORES, whole lines": whole, "FLORES, whole and cut": mixed, "UDHR": udhr}
    plotted = {}
    report.header("measured on", "lines", "accuracy", "mean probability", "ECE", "ECE of the bare posterior")
    for name, test in sets.items():
        probability, right = ask(model, test)
        plotted[name] = diagram(probability, right)
        bare = ece(*raw(model, Test(test.texts[::5], test.gold[::5])))
        report.row(name, len(right), float(right.mean()), float(probability.mean()), ece(probability, right), bare)
    fasttext = FastText(train)
    labels, scores = fasttext.model.predict([text.decode().replace("\n", " ") for text in mixed.texts])
    said = np.array([label[0].removeprefix("__label__") for label in labels]) == np.array(mixed.gold)
    sure = np.minimum(np.array([float(score[0]) for score in scores]), 1.0)
    plotted["fastText, whole and cut"] = diagram(sure, said)
    report.row(
        "fastText: FLORES, whole and cut", len(said), float(said.mean()), float(sure.mean()), ece(sure, said), ""
    )

    short_model = tatoeba(report, options, plotted)
    report.say("\n## By length, in characters: ECE (lines)\n")
    report.header(
        "model",
        *(f"{a} to {b - 1}" if b < 10**9 else f"{a} or more" for a, b in pairwise(BUCKETS)),
    )
    for name, (probability, right, test) in {
        "FLORES, whole and cut": (*ask(model, mixed), mixed),
        **short_model,
    }.items():
        report.row(name, *by_length(probability, right, test.texts))
    axes = plots.Axes("Reliability", "probability", "accuracy", [(i / 5, f"{i / 5:.1f}") for i in range(6)])
    svg = plots.lines(axes, plotted, diagonal=True)
    if not options.quick:
        (ROOT / "docs/results/reliability.svg").write_text(svg + "\n")
    report.say("\n![reliability diagram](reliability.svg)")
    report.write()


def tatoeba(report: Report, options, plotted: dict) -> dict:
    train, held = (labelled(options.data / f"tatoeba/{part}.tsv.xz") for part in ("train", "test"))
    if options.quick:
        train, held = ({k: v[:100] for k, v in list(c.items())[::12]} for c in (train, held))
    model, test = unilid.train(train), Test.of(held)
    probability, right = ask(model, test, "training")
    plotted["Tatoeba"] = diagram(probability, right)
    bare = ece(*raw(model, Test(test.texts[::5], test.gold[::5])))
    report.row(
        "Tatoeba, prior of the training lines",
        len(right),
        float(right.mean()),
        float(probability.mean()),
        ece(probability, right),
        bare,
    )
    return {"Tatoeba": (probability, right, test)}


def by_length(probability: np.ndarray, right: np.ndarray, texts: Sequence[bytes]) -> list[str]:
    size = np.array([len(text.decode()) for text in texts])
    cells = []
    for a, b in pairwise(BUCKETS):
        own = (size >= a) & (size < b)
        cells.append(f"{ece(probability[own], right[own]):.4f} ({own.sum()})" if own.sum() >= 100 else "")
    return cells


if __name__ == "__main__":
    main()
