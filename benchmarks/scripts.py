"""By script on FLORES, beside fastText; and whether a script-balanced vocabulary closes the paper's non-Latin gap.

    python benchmarks/scripts.py

Lines 1 to 500 of each label train, every second of lines 501 to 997 measures. Within: only lines of the script count
(the paper's view); global: every false positive counts.
"""

import unicodedata
from collections import Counter
from collections.abc import Sequence

import numpy as np
from common import PAPER, SYSTEMS, FastText, Figures, Report, Test, arguments, count_words, every, flores, measure

import unilid
from unilid.languages.labels import split
from unilid.models.vocabulary import Vocabulary, default_size

EPOCHS = (25, 50)


def main() -> None:
    options = arguments(__doc__)
    report = Report("scripts", "By script on FLORES, 500 lines a label: macro F1", options.quick)
    train, held = flores(options.data, options.quick)
    test = Test.of(held) if options.quick else every(Test.of(held), 2)
    found: dict[str, Figures] = {}
    for name, settings in SYSTEMS.items():
        found[name] = measure(unilid.train(train, **settings), test)
    tries = [FastText(train, epoch=n, lr=1.0).measure(test) for n in EPOCHS]
    found["fastText"] = max(tries, key=lambda result: result.accuracy)
    report.say(
        f"{len(train)} labels, {len(test.texts)} test lines. fastText: minn 2, maxn 5, dim 16, lr 1, the best of "
        f"{EPOCHS} epochs. Scripts of one label are in the last row.\n"
    )
    number = Counter(split(label)[1] for label in train)
    scripts = [script for script, count in number.most_common() if count > 1]
    for view in ("within", "global"):
        report.say(f"\n## Macro F1, {view}\n")
        report.header("script", "labels", *found)
        for script in scripts:
            report.row(script, number[script], *(f1(result, view, [script]) for result in found.values()))
        rest = [script for script in number if script != "Latn"]
        report.row("all but Latn", total(number, rest), *(f1(result, view, rest) for result in found.values()))
        single = [script for script in number if number[script] == 1]
        report.row("one label each", len(single), *(f1(result, view, single) for result in found.values()))

    report.say("\n## The vocabulary learned from other mixtures of the same lines\n")
    report.say(
        "Global macro F1. Multi-character tokens: those that contain two letters or more, by their first letter.\n"
    )
    report.header(
        "weights", "model", "Latin tokens", "other tokens", "F1, Latn", "F1, all but Latn", "F1, all", "accuracy"
    )
    words = count_words(train)
    labels = sorted(train)
    size = default_size(len({word for language in words for word, _ in language.pairs()}))
    totals = np.array([language.counts.sum() for language in words])
    of_script = np.array([number[split(label)[1]] for label in labels])
    mixtures = {
        "in proportion to text": totals / totals.mean(),
        "languages equal (default)": np.ones(len(labels)),
        "scripts by the root of their labels": 1 / np.sqrt(of_script),
        "scripts equal": 1 / of_script,
    }
    for name, importance in mixtures.items():
        vocabulary = Vocabulary.learn(words, size, importance=importance.tolist(), threads=2)
        latin, other = tokens_by_script(vocabulary)
        for system, settings in (("the paper's", PAPER), ("unigram", {"context": None})):
            model = unilid.train(train, vocabulary=vocabulary, **settings)
            result = measure(model, test)
            report.row(
                name, system, latin, other, *(f1(result, "global", which) for which in (["Latn"], rest, list(number))),
                result.accuracy,
            )  # fmt: skip
    report.write()


def total(number: Counter[str | None], scripts: Sequence[str | None]) -> int:
    return sum(number[script] for script in scripts)


def f1(result: Figures, view: str, scripts: Sequence[str | None]) -> float:
    """Return macro F1 over the labels of scripts, each in its own stratum."""
    strata = [stratum for stratum in result.by_script if stratum.name in scripts]
    values = [stratum.f1_within if view == "within" else stratum.f1_global for stratum in strata]
    return float(np.average(values, weights=[stratum.labels for stratum in strata])) if strata else float("nan")


def tokens_by_script(vocabulary: Vocabulary) -> tuple[int, int]:
    """Return how many tokens of two letters or more are Latin, and how many are not."""
    firsts = []
    for token in vocabulary.tokens:
        letters = [c for c in token.decode("utf-8", "ignore") if c.isalpha()]
        firsts += letters[:1] if len(letters) > 1 else []
    latin = sum(unicodedata.name(c, "").startswith("LATIN") for c in firsts)
    return latin, len(firsts) - latin


if __name__ == "__main__":
    main()
