"""Accuracy on FLORES by training lines a label, repeated random subsamples, beside fastText.

    python benchmarks/sample_efficiency.py

Subsamples of lines 1 to 500 of each label train, every fifth of lines 501 to 997 measures. The text is parallel: a
subsample has the same line numbers for all labels, or translations would leak into lines that are held out. Vocabulary,
distributions and constants come from the training lines alone; fastText's epochs are its best on the test lines.
"""

import random
import statistics
from math import log10

from common import SYSTEMS, Report, Test, accuracy, arguments, best_fasttext, draw, every, flores

import unilid
from unilid.evaluation import plots

SEEDS = (1, 2, 3)
EPOCHS = {5: (200, 400), 10: (200, 400), 25: (100, 200), 50: (50, 100), 100: (50, 100), 200: (25, 50),
          500: (25, 50)}  # fmt: skip
MORE = (25,)


def main() -> None:
    options = arguments(__doc__)
    report = Report("sample_efficiency", "Sample efficiency on FLORES: accuracy", options.quick)
    train, held = flores(options.data, options.quick)
    test = Test.of(held) if options.quick else every(Test.of(held), 5)
    whole = len(next(iter(train.values())))
    sizes = (5, 25) if options.quick else (5, 10, 25, 50, 100, 200, 300, 400, 500)
    report.say(
        f"{len(train)} labels, {len(test.texts)} test lines. Mean and standard deviation over subsamples with seeds "
        f"{', '.join(map(str, SEEDS))}; all {whole} lines once. fastText: minn 2, maxn 5, dim 16, learning rate 1, the "
        f"best of {', '.join(f'{e} at {n} lines' for n, e in EPOCHS.items())} epochs, {MORE[0]} at 300 and 400.\n"
    )
    report.header("lines a label", "tokens", *SYSTEMS, "fastText", "epochs")
    points: dict[str, list[tuple[float, float]]] = {name: [] for name in (*SYSTEMS, "fastText")}
    for size in sizes:
        found: dict[str, list[float]] = {name: [] for name in points}
        tokens, epochs = 0, []
        for seed in SEEDS[: 1 if size == whole else 2 if options.quick else 3]:
            numbers = sorted(random.Random(seed).sample(range(whole), size))
            corpus = {label: [lines[n] for n in numbers] for label, lines in train.items()}
            for name, settings in SYSTEMS.items():
                model = unilid.train(corpus, **settings)
                tokens = len(model.vocabulary)
                found[name].append(accuracy(model, test))
            sweep = EPOCHS.get(size, MORE)
            fasttext, best = best_fasttext(corpus, test, sweep[:1] if options.quick else sweep)
            found["fastText"].append(fasttext.accuracy)
            epochs.append(best)
        for name, accuracies in found.items():
            points[name].append((log10(size), statistics.mean(accuracies)))
        cells = [f"{statistics.mean(a):.4f}" + (f" ± {statistics.stdev(a):.4f}" if len(a) > 1 else "")
                 for a in found.values()]  # fmt: skip
        report.row(size, tokens, *cells, ", ".join(map(str, sorted(set(epochs)))))
    ticks = [(log10(n), str(n)) for n in sizes if n not in (300, 400)]
    draw(report, plots.lines(plots.Axes("Sample efficiency, FLORES", "lines a label", "accuracy", ticks), points))
    report.write()


if __name__ == "__main__":
    main()
