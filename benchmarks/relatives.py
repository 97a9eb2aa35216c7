"""Close relatives: what corrections of the context model are worth, what they leave alone, and what they cost.

    pip install scikit-learn
    python benchmarks/relatives.py

FLORES, lines 1 to 500 of every label train, 501 to 997 measure. Before: `relatives=None`; after: the default.
"""

import random
from collections import Counter
from collections.abc import Sequence
from functools import partial

import numpy as np
from common import Figures, Report, Test, arguments, evaluated, flores, linear_svms, predict, timed
from noise import any_script

import unilid
from unilid.languages.labels import split
from unilid.model import Model

PAIRS = 30
ALONE = 8
"""Of these pairs, how many a classifier is taught that knows nothing else."""
SCRIPTS = ("Latn", "Arab", "Deva", "Hant")
TELLING = {
    ("yue_Hant", "cmn_Hant"): (
        "嘅喺佢係唔咗嘢啲冇俾咁嗰睇嚟哋攞諗乜咩揾搵啱",
        "in words that written Cantonese has and Mandarin hardly uses",
    ),
    ("pes_Arab", "prs_Arab"): (
        "\u200c",
        "inside words of Persian, where Dari has a space",
    ),
    ("aka_Latn", "twi_Latn"): ("ԑↄ", "letters of other alphabets that some translators of Akan type for ɛ and ɔ"),
}
"""Characters that tell the labels of a pair apart, and what they are."""
GROUP = ("bos_Latn", "hrv_Latn")
"""The first is added to a model that does not know it; the second is its relative."""
LESSONS = 100
"""Of the training lines of each, how many are kept to tell the two apart."""


def main() -> None:
    options = arguments(__doc__)
    report = Report("relatives", "Close relatives on FLORES, 500 lines a label", options.quick)
    train, held = flores(options.data, options.quick)
    test = Test.of(held)
    plain, plain_seconds = timed(lambda: unilid.train(train, relatives=None))
    told, told_seconds = timed(lambda: unilid.train(train))
    models = {"before": plain, "after": told}
    said = {name: predict(model, test.texts) for name, model in models.items()}
    figures = {name: evaluated(test.gold, answers) for name, answers in said.items()}

    report.say(f"{len(train)} labels, {len(test.texts)} test lines. Held-out lines let corrections pass: "
               f"{'yes' if told.info['relatives'] else 'no'}.\n\n## Macro F1\n")  # fmt: skip
    report.header("labels", "number", "before", "after")
    for script in SCRIPTS:
        number = sum(split(label)[1] == script for label in train)
        if number > 1:
            report.row(script, number, *(f1(own, script) for own in figures.values()))
    report.row("all", len(train), *(own.macro.f1 for own in figures.values()))
    report.row("all, accuracy", len(train), *(own.accuracy for own in figures.values()))

    report.say("\n## What else they change\n")
    report.header("", "before", "after")
    for rate in (0.1, 0.25):
        noisy = test.changed(partial(any_script, generator=random.Random(1), rate=rate))
        report.row(f"accuracy, {rate:.0%} of the characters replaced", *(right(m, noisy) for m in models.values()))
    report.row("expected calibration error", *(calibration_error(m, test) for m in models.values()))
    report.row("size of the model, MB", *(f"{len(m.to_bytes()) / 1e6:.1f}" for m in models.values()))
    seconds = first_passes(list(models.values()), test.texts)
    report.row("seconds of a first pass over the test lines, against before", "1", f"{seconds[1] / seconds[0]:.2f}")
    report.row("seconds of training, against before", "1", f"{told_seconds / plain_seconds:.1f}")

    confusions = {name: confused(test.gold, answers) for name, answers in said.items()}
    report.say(f"\n## The {PAIRS} pairs that are confused most\n\nLines of either that are taken for the other.\n")
    report.header("pair", "before", "after")
    for pair, lines in confusions["before"].most_common(PAIRS):
        report.row(" / ".join(pair), lines, confusions["after"][pair])
    both = [sum(own[pair] for pair, _ in confusions["before"].most_common(PAIRS)) for own in confusions.values()]
    report.row("all of these", *both)
    compare_pairs(report, train, held, told, [pair for pair, _ in confusions["before"].most_common(ALONE)])

    look_for_characters(report, train, held)
    add_to_group(report, train, test, GROUP if set(GROUP) <= set(train) else tuple(sorted(train)[:2]))
    report.write()


def f1(figures: Figures, script: str) -> float:
    return next(stratum.f1_global for stratum in figures.by_script if stratum.name == script)


def right(model: Model, test: Test) -> float:
    return evaluated(test.gold, predict(model, test.texts)).accuracy


def calibration_error(model: Model, test: Test) -> float:
    answers = model.identify(test.texts, abstain=False)
    found = evaluated(test.gold, [a.label for a in answers], [a.probability for a in answers]).ece
    return float("nan") if found is None else found


def first_passes(models: Sequence[Model], texts: Sequence[bytes], rounds: int = 5) -> list[float]:
    """Return the least seconds of a first pass over texts, with empty caches; the models take turns."""
    seconds = [float("inf")] * len(models)
    for _ in range(rounds):
        for place, model in enumerate(models):
            fresh = Model.from_bytes(model.to_bytes())
            fresh.identify(["ready"])
            seconds[place] = min(seconds[place], timed(partial(fresh.identify, texts, threads=1))[1])
    return seconds


def confused(gold: Sequence[str], said: Sequence[str]) -> Counter[tuple[str, ...]]:
    pairs = zip(gold, said, strict=True)
    return Counter(tuple(sorted(pair)) for pair in pairs if pair[0] != pair[1])


def compare_pairs(
    report: Report,
    train: dict[str, list[bytes]],
    held: dict[str, list[bytes]],
    model: Model,
    pairs: Sequence[tuple[str, ...]],
) -> None:
    """Say how well a classifier does that is taught a pair and nothing else, from the same lines."""
    report.say(
        "\n## What the same lines teach a linear SVM of a pair\n\nMacro F1 on the test lines of a pair, where only "
        "the two may be named. The SVM (tf-idf of character n-grams or words) learns the two alone, and has "
        "the best of a few settings on the test lines; ours is the model of all labels.\n"
    )
    report.header("pair", "ours, among the two", "linear SVM")
    for pair in pairs:
        own = Test.of({label: held[label] for label in pair})
        among = [answer.label for answer in model.identify(own.texts, languages=pair, abstain=False)]
        ours = evaluated(own.gold, among).macro.f1
        answers = linear_svms({label: train[label] for label in pair}, own.texts)
        report.row(" / ".join(pair), ours, max(evaluated(own.gold, said).macro.f1 for _, said in answers))


def look_for_characters(report: Report, train: dict[str, list[bytes]], held: dict[str, list[bytes]]) -> None:
    """Say in how many lines there is a character that tells the labels of a pair apart."""
    asked = {pair: told for pair, told in TELLING.items() if set(pair) <= set(train)}
    if not asked:
        return
    report.say("\n## What there is to see\n\nShare of lines that have one of some characters.\n")
    report.header("characters", "label", "training lines", "test lines, first half", "second half")
    for pair, (characters, what) in asked.items():
        named = "U+200C" if characters == "\u200c" else characters
        for label in pair:
            lines = held[label]
            half = len(lines) // 2
            parts = (train[label], lines[:half], lines[half:])
            shares = [np.mean([bool(set(characters) & set(line.decode())) for line in part]) for part in parts]
            report.row(f"{named}, {what}", label, *map(float, shares))


def add_to_group(report: Report, train: dict[str, list[bytes]], test: Test, group: Sequence[str]) -> None:
    """Add a language to a model that knows a relative of it, tell the two apart, and see what else changes."""
    new, known = group
    lessons = min(LESSONS, len(train[new]) // 5)
    rest = {label: lines[lessons:] if label in group else lines for label, lines in train.items()}
    before = unilid.train({label: lines for label, lines in rest.items() if label != new}, bound=None)
    added = before.add_language(new, rest[new])
    after = unilid.tell_apart(added, {label: train[label][:lessons] for label in group})
    report.say(
        f"\n## A language added to a group\n\n{new} is added to a model of all other labels, and told from {known} by "
        f"{lessons} lines of each that neither step had seen. Accuracy on the test lines of the two, among all labels; "
        "and in how many of all test lines the score of any other label changed, by any bit. The model has no "
        "bound: with one, what a word costs in other labels may change where its best language does.\n"
    )
    own = Test(
        *map(list, zip(*((t, g) for t, g in zip(test.texts, test.gold, strict=True) if g in group), strict=True))
    )
    report.header("", new, known, "scores of other labels that changed")
    others = [row for row, label in enumerate(added.languages) if label not in group]
    scores = before.scores(test.texts)
    for name, model in (("added", added), ("told apart", after)):
        answers = predict(model, own.texts)
        shares = [np.mean([a == g for a, g in zip(answers, own.gold, strict=True) if g == label]) for label in group]
        earlier = [before.languages.index(added.languages[row]) for row in others]
        changed = int((model.scores(test.texts)[:, others] != scores[:, earlier]).sum())
        report.row(name, *map(float, shares), changed)


if __name__ == "__main__":
    main()
