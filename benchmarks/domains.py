"""Out of domain: trained on FLORES or Tatoeba, measured on UDHR and on the other; beside fastText.

    python benchmarks/domains.py

Constants are chosen on held-out training lines by `unilid.train` itself.
"""

from common import FastText, Report, Test, accuracy, arguments, first, flores, labelled

import unilid


def main() -> None:
    options = arguments(__doc__)
    report = Report("domains", "Out of domain, accuracy", options.quick)
    train, _ = flores(options.data, options.quick)
    udhr = {k: v for k, v in labelled(options.data / "udhr/test.tsv.xz").items() if k in train and len(v) >= 20}
    report.say(
        f"FLORES, 500 lines a label, to UDHR ({len(udhr)} labels of 20 lines or "
        "more); Tatoeba, labels of 100 lines or more, at most 4,000 each, to FLORES dev.\n"
    )
    report.header("training text", "measured on", "UniLID", "with context", "fastText")
    compare(report, "FLORES-500", "UDHR", train, Test.of(udhr))
    short = {k: v for k, v in labelled(options.data / "tatoeba/train.tsv.xz").items() if len(v) >= 100}
    short = first(short, 200 if options.quick else 4000)
    whole = labelled(options.data / "flores200/dev.tsv.xz")
    test = Test.of({k: v[: 10 if options.quick else None] for k, v in whole.items() if k in short})
    compare(report, f"Tatoeba, {len(short)} labels", f"FLORES, {len(set(test.gold))} labels", short, test)
    report.write()


def compare(report: Report, source: str, target: str, train: dict[str, list[bytes]], test: Test) -> None:
    found = [accuracy(unilid.train(train, context=context), test) for context in (None, "auto")]
    report.row(source, target, *found, FastText(train, epoch=25 if len(train) < 250 else 10).accuracy(test))


if __name__ == "__main__":
    main()
