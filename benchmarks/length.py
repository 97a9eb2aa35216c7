"""Accuracy by input length: the first words and the first characters of FLORES lines, beside fastText.

    python benchmarks/length.py

Lines 1 to 500 of each label train, every second of lines 501 to 997 measures. Words are what spaces separate: without
spaces a whole line may be one.
"""

from collections.abc import Callable
from functools import partial
from math import log10

from common import SYSTEMS, FastText, Report, Test, accuracy, arguments, draw, every, flores

import unilid
from unilid.evaluation import plots

WORDS = (1, 2, 3, 5, 10, 20)
CHARACTERS = (10, 20, 40, 80, 160)
EPOCHS = (25, 50)


def main() -> None:
    options = arguments(__doc__)
    report = Report("length", "Input length: FLORES-500, accuracy", options.quick)
    train, held = flores(options.data, options.quick)
    test = Test.of(held) if options.quick else every(Test.of(held), 2)
    systems: dict[str, Callable[[Test], float]] = {}
    for name, settings in SYSTEMS.items():
        systems[name] = partial(accuracy, unilid.train(train, **settings))
    fasttexts = [FastText(train, epoch=n, lr=1.0) for n in EPOCHS]
    systems["fastText"] = lambda changed: max(fasttext.accuracy(changed) for fasttext in fasttexts)
    report.say(
        f"{len(train)} labels, {len(test.texts)} test lines; a shorter line is taken whole. fastText: minn 2, maxn 5, "
        f"dim 16, lr 1, in each row the best of {EPOCHS} epochs.\n"
    )
    report.header("input", *systems)

    def row(name: str, changed: Test) -> list[float]:
        accuracies = [system(changed) for system in systems.values()]
        report.row(name, *accuracies)
        return accuracies

    for n in WORDS:
        row(f"first {n} word{'s' * (n > 1)}", test.changed(partial(first_words, n=n)))
    points: dict[str, list[tuple[float, float]]] = {name: [] for name in systems}
    for n in CHARACTERS:
        found = row(f"first {n} characters", test.changed(partial(first_characters, n=n)))
        for name, right in zip(systems, found, strict=True):
            points[name].append((log10(n), right))
    row("whole lines", test)
    ticks = [(log10(n), str(n)) for n in CHARACTERS]
    draw(report, plots.lines(plots.Axes(report.title, "first characters", "accuracy", ticks), points))
    report.write()


def first_words(text: bytes, n: int) -> bytes:
    return b" ".join(text.split()[:n])


def first_characters(text: bytes, n: int) -> bytes:
    return text.decode()[:n].encode()


if __name__ == "__main__":
    main()
