"""Size of the vocabulary on FLORES: accuracy, file, and time on one core beside fastText in the same run.

    python benchmarks/vocabulary_size.py

Lines 1 to 500 of each label train, every second of lines 501 to 997 measures. Time is of the first pass: nothing was
seen before; medians of three, fastText between them.
"""

import statistics
from math import log10

from common import SYSTEMS, FastText, Report, Test, accuracy, arguments, draw, every, flores, timed

import unilid
from unilid.evaluation import plots
from unilid.model import Model

SIZES = (2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 200_000)
EPOCHS = (25, 50)
RUNS = 3


def main() -> None:
    options = arguments(__doc__)
    report = Report("vocabulary_size", "Size of the vocabulary on FLORES, 500 lines a label", options.quick)
    train, held = flores(options.data, options.quick)
    test = Test.of(held) if options.quick else every(Test.of(held), 2)
    decoded = [text.decode() for text in test.texts]
    trained = {n: FastText(train, epoch=n, lr=1.0) for n in EPOCHS}
    accuracies = {n: system.measure(test).accuracy for n, system in trained.items()}
    best = max(accuracies, key=lambda n: accuracies[n])
    fasttext = trained[best].model
    report.say(
        f"{len(train)} labels, {len(test.texts)} test lines. The learner returns fewer tokens than asked for where the "
        f"text has no more. fastText: minn 2, maxn 5, dim 16, lr 1, the best of {EPOCHS} epochs.\n"
    )
    report.header(
        "tokens wanted", "learned", "system", "accuracy", "file, MB", "µs a line", "fastText's µs", "fastText's / this"
    )
    report.row("", "", f"fastText, {best} epochs", accuracies[best], "", "", "", "")
    points: dict[str, list[tuple[float, float]]] = {name: [] for name in SYSTEMS}
    sizes = SIZES[:2] if options.quick else SIZES
    for size in sizes:
        for name, settings in SYSTEMS.items():
            model = unilid.train(train, vocabulary=size, **settings)
            right = accuracy(model, test)
            points[name].append((log10(size), right))
            content = model.to_bytes()
            ours, theirs = [], []
            for _ in range(RUNS):
                ours.append(first_pass(Model.from_bytes(content), test.texts))
                theirs.append(timed(lambda: fasttext.predict(decoded))[1])
            mine, other = (1e6 * statistics.median(seconds) / len(decoded) for seconds in (ours, theirs))
            report.row(
                f"{size:,}", f"{len(model.vocabulary):,}", name, right, f"{len(content) / 1e6:.1f}", f"{mine:.1f}",
                f"{other:.1f}", f"{other / mine:.2f}",
            )  # fmt: skip
    points["fastText"] = [(log10(size), accuracies[best]) for size in sizes]
    ticks = [(log10(n), f"{n / 1000:g}k") for n in sizes]
    low = min(right for line in points.values() for _, right in line)
    scale = [(y / 100, f"{y / 100:.2f}") for y in range(int(100 * low), 101)][:: 1 if low > 0.9 else 2]
    draw(report, plots.lines(plots.Axes(report.title, "tokens wanted", "accuracy", ticks, scale), points))
    report.write()


def first_pass(model: Model, texts: list[bytes]) -> float:
    model.identify("warm", threads=1)
    return timed(lambda: model.identify(texts, threads=1))[1]


if __name__ == "__main__":
    main()
