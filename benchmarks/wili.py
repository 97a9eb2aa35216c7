"""WiLI-2018: the ten real languages at hand, official split, beside fastText.

    python benchmarks/wili.py

500 paragraphs of each label train, 500 measure. Constants are chosen on held-out training lines by `unilid.train`
itself; fastText's epochs are its best on the test lines.
"""

from common import SYSTEMS, Figures, Report, Test, arguments, best_fasttext, first, labelled, measure

import unilid

EPOCHS = (5, 10, 25, 50)


def main() -> None:
    options = arguments(__doc__)
    report = Report("wili", "WiLI-2018, ten languages, official split", options.quick)
    train, held = (labelled(options.data / f"wili10/{part}.tsv.xz") for part in ("train", "test"))
    if options.quick:
        train, held = first(train, 50), first(held, 50)
    test = Test.of(held)
    report.say(
        f"{', '.join(train)}: {sum(map(len, train.values()))} training and {len(test.texts)} test paragraphs. "
        f"fastText: minn 2, maxn 5, dim 16, lr 1, the best of {EPOCHS} epochs.\n"
    )
    report.header("system", "accuracy", "macro F1", "macro FPR")
    for name, settings in SYSTEMS.items():
        show(report, name, measure(unilid.train(train, **settings), test))
    fasttext, epochs = best_fasttext(train, test, EPOCHS)
    show(report, f"fastText, {epochs} epochs", fasttext)
    report.write()


def show(report: Report, name: str, figures: Figures) -> None:
    report.row(name, figures.accuracy, figures.macro.f1, f"{figures.macro.fpr:.2e}")


if __name__ == "__main__":
    main()
