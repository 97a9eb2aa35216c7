"""What a probability means: how much is kept at a threshold, and how much of that is right, with the default model.

    python benchmarks/probability.py

Tatoeba `test` and the `test` half of WiLI's ten languages: `recipes/default/corpora.py` trains on neither, though it
trains on other lines of both, and its choices were made with a look at WiLI's half. Lines that stand word for word in a
corpus that it does train on are left out. The model is asked as users ask it. A line is kept if its probability is at
least the threshold and the answer is a language: neither `und` nor `zxx`.

Labels are exact. A label that the recipe merged into another counts as the other; a line of a label that the model does
not have counts as wrong, if it is kept. The expected calibration error (ECE) is that of `unilid.evaluation.metrics`,
over 15 bins of probability, and of the answers that are a language: what `und` and `zxx` have is no probability of
being right.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from common import Report, Test, arguments, evaluated, every, labelled

import unilid
from unilid.decisions.answers import Prediction
from unilid.languages.labels import RESERVED
from unilid.model import Model

THRESHOLDS = (0.5, 0.8, 0.9, 0.95, 0.99)
WORDS = (None, 4, 2, 1)
"""What is left of a line; None: all of it."""
TRAINED_ON = ("tatoeba/train", "common_voice/train", "oldi_seed/train", "ebible_open/train", "wili10/train",
              "nusax/train", "gatitos/words", "wikimedia_ui/train", "firefox_ui/train",
              "flores200/dev", "udhr/test")  # fmt: skip
"""The text that the model learned from: `SOURCES` and `SHIPPED` of the recipe, without its word lists."""
WILI = {"ara": "arb_Arab", "arz": "arz_Arab", "dan": "dan_Latn", "deu": "deu_Latn", "eng": "eng_Latn",
        "fas": "pes_Arab", "fin": "fin_Latn", "hin": "hin_Deva", "swe": "swe_Latn", "urd": "urd_Arab"}  # fmt: skip
"""Labels of the model for WiLI's own codes, as `recipes/default/labels.tsv` has them; Egyptian Arabic is not trained on
WiLI there, but it is what those lines are."""


def main() -> None:
    options = arguments(__doc__)
    packages = ("unilid", "numpy")
    report = Report("probability", "What a probability means: the default model", options.quick, packages=packages)
    model = unilid.load()
    seen = learned_from(options.data)
    merged: Mapping[str, str] = model.info.get("merged", {})
    for name, test in corpora(options.data):
        unseen = [i for i, text in enumerate(test.texts) if text not in seen]
        part = Test([test.texts[i] for i in unseen], [test.gold[i] for i in unseen])
        part = every(part, 20) if options.quick else part
        truth = [merged.get(label, label) for label in part.gold]
        known = set(model.languages)
        strange = sum(label not in known for label in truth)
        report.say(
            f"\n## {name}\n\n{len(part.texts):,} lines of {len(set(truth))} labels; "
            f"{len(test.texts) - len(unseen):,} others also stand in a training corpus and are left out. {strange:,} "
            "lines have a label that the model does not have. In each cell: the share of the lines that is kept, and "
            "how much of that is right.\n"
        )
        report.header("lines", *(f"at least {threshold:g}" for threshold in THRESHOLDS), "`und` or `zxx`", "ECE")
        for words in WORDS:
            report.row(*row(model, part, truth, words))
    report.say(
        "\nECE: of the answers that are a language. A shorter line is taken whole; where no spaces are written, a word "
        "is a line. Precision cannot be better than the labels of the corpora, which their contributors gave."
    )
    report.write()


def learned_from(data: Path) -> set[bytes]:
    """Return the lines of all training corpora that are at hand."""
    paths = [path for name in TRAINED_ON if (path := data / f"{name}.tsv.xz").exists()]
    return {text for path in paths for lines in labelled(path).values() for text in lines}


def corpora(data: Path) -> Iterator[tuple[str, Test]]:
    """Yield the test sets with labels of the model."""
    yield "Tatoeba `test`", Test.of(labelled(data / "tatoeba/test.tsv.xz"))
    wili = labelled(data / "wili10/test.tsv.xz")
    yield "WiLI, ten languages, `test`", Test.of({WILI.get(label, label): lines for label, lines in wili.items()})


def row(model: Model, test: Test, truth: list[str], words: int | None) -> list[object]:
    """Return what is kept of lines that are cut to so many words."""
    texts = test.texts if words is None else [b" ".join(text.split()[:words]) for text in test.texts]
    answers = model.identify(texts)
    named = [(label, answer) for label, answer in zip(truth, answers, strict=True) if answer.label not in RESERVED]
    name = "whole" if words is None else f"the first {words} words" if words > 1 else "the first word"
    cells = [kept(named, len(texts), threshold) for threshold in THRESHOLDS]
    return [name, *cells, f"{1 - len(named) / len(texts):.2%}", ece(named)]


def ece(named: list[tuple[str, Prediction]]) -> float | str:
    """Return the expected calibration error of answers, if there are any."""
    if not named:
        return ""
    labels, answers = zip(*named, strict=True)
    error = evaluated(labels, [a.label for a in answers], [a.probability for a in answers]).ece
    assert error is not None  # probabilities were given
    return error


def kept(named: list[tuple[str, Prediction]], lines: int, threshold: float) -> str:
    """Return the share of the lines that is kept at a threshold, and the precision there."""
    hits = [answer.label == label for label, answer in named if answer.probability >= threshold]
    return f"{len(hits) / lines:.1%}, {sum(hits) / len(hits):.2%}" if hits else "none"


if __name__ == "__main__":
    main()
