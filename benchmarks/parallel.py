"""Parallel text: how it is told from other text, and what it is worth to hold translations out together.

    python benchmarks/parallel.py

FLORES, lines 1 to 500 of every label train, 501 to 997 measure.
"""

import random
from collections.abc import Mapping, Sequence

from common import Report, Test, arguments, evaluated, flores, labelled, predict

import unilid
from unilid.corpus.counts import Counter
from unilid.corpus.parallel import COMPARED, ENOUGH, LINKED, LINKS, MOST, are_translations, linked, shared_words
from unilid.corpus.reading import read

PARALLEL = ("nusax/train", "oldi_seed/train")
OTHERS = (
    "common_voice/train", "ebible_open/train", "tatoeba/test", "wikimedia_ui/train", "firefox_ui/train", "udhr/test",
    "wili10/train", "dialects/dsl_ml_2024.train", "dialects/gdi_2019.train", "dialects/adi_mgb3.train",
)  # fmt: skip
ARABIC = {f"{code}_Arab" for code in ("acm", "acq", "aeb", "ajp", "apc", "arb", "ars", "ary", "arz")}
FEW = 5
SAME = 500
"""Lines of every label that has them: then the number of lines does not tell."""


def main() -> None:
    options = arguments(__doc__)
    report = Report("parallel", "Parallel text", options.quick, packages=("unilid", "numpy"))
    train, held = flores(options.data, options.quick)
    report.say(
        f"Of at most {COMPARED} lines of each label: words that occur in one line of a label and in one of the next, "
        "in the order of their names; and how many of them are in lines of the same number. Where these are "
        f"{MOST:.0%} of them, and {ENOUGH} at least, lines of the same number are taken for translations; else lines "
        f"that share {LINKS} such words, if these are {LINKED:.0%} of all lines.\n"
    )
    report.header("text", "labels", "lines of a label", "words", "in lines of the same number", "translations are")
    pair = {label: train[label] for label in list(train)[:2]}
    shuffled = {label: random.Random(n).sample(own, len(own)) for n, (label, own) in enumerate(train.items())}
    add(report, "FLORES", train)
    add(report, f"FLORES, {FEW} lines", {label: own[:FEW] for label, own in train.items()})
    add(report, "FLORES, two labels", pair)
    add(report, "FLORES, half of the labels cut short", {
        label: own[: len(own) * 3 // 5] if n % 2 else own for n, (label, own) in enumerate(train.items())
    })  # fmt: skip
    add(report, "FLORES, each label in an order of its own", shuffled)
    if not options.quick:
        for name in (*PARALLEL, *OTHERS):
            corpus = labelled(options.data / f"{name}.tsv.xz")
            add(report, name, corpus)
            same = {label: own[:SAME] for label, own in corpus.items() if len(own) >= SAME}
            if name in OTHERS and len(same) > 1:
                add(report, f"{name}, {SAME} lines", same)

    report.say(
        "\n## What it is worth\n\nMacro F1 on FLORES. `text`: a translation of a held-out line may be learned from. "
        "With gaps: a tenth of the lines is missing, others in each label.\n"
    )
    report.header("training lines", "labels", '`key="text"`', "the default")
    arabic = {label: own for label, own in train.items() if label in ARABIC} or pair
    for name, some in (("varieties of Arabic", arabic), ("all labels", train)):
        test = Test.of({label: held[label] for label in some})
        gaps = {label: [line for line in own if not missing(label, line)] for label, own in some.items()}
        ways = {"": some, ", with gaps": gaps, ", each label in an order of its own": {k: shuffled[k] for k in some}}
        for way, lines in ways.items():
            models = (unilid.train(lines, key=key) for key in ("text", "auto"))
            report.row(name + way, len(some), *(evaluated(test.gold, predict(m, test.texts)).macro.f1 for m in models))
    report.write()


def missing(label: str, line: bytes) -> bool:
    return random.Random(label.encode() + line).random() < 0.1


def add(report: Report, name: str, corpus: Mapping[str, Sequence[bytes]]) -> None:
    counter = Counter(hold_out=True, may_be_parallel=True)
    for batch in read(corpus, key="number"):
        counter.add(batch)
    numbered, others = counter.numbered_lines(), [counter.candidates_of(row) for _, row in sorted(counter.rows.items())]
    shared, same = shared_words(numbered)
    sizes = sorted(map(len, corpus.values()))
    lines = f"{sizes[0]:,} to {sizes[-1]:,}" if sizes[0] < sizes[-1] else f"{sizes[0]:,}"
    by_words = "found by words" if linked(others) != others else "not found"
    found = "found by number" if are_translations(numbered) else by_words
    report.row(name, len(corpus), lines, shared, f"{same / shared:.4f}" if shared else "", found)


if __name__ == "__main__":
    main()
