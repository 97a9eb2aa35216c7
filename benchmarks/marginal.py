"""Viterbi against marginal scoring: accuracy and time on one core, beside the context model and fastText.

    python benchmarks/marginal.py

FLORES, lines 1 to 500 of each label train, every fifth of lines 501 to 997 measures. Marginal: summed over all
segmentations of a word, unbounded. Viterbi remembers the words that it met and marginal scoring does not, so distinct
words, each once, are timed too.
"""

import random
import statistics
from collections.abc import Callable
from functools import partial

from common import PAPER, FastText, Figures, Report, Test, arguments, evaluated, every, flores, timed

import unilid
from unilid import plain
from unilid.model import Model

EPOCHS = (25, 50)
RUNS = 3
CHUNK = 2000


def main() -> None:
    options = arguments(__doc__)
    report = Report("marginal", "Viterbi against marginal scoring: FLORES-500", options.quick)
    train, held = flores(options.data, options.quick)
    test = every(Test.of(held), 1 if options.quick else 5)
    words = sorted({word.text for text in test.texts for word in plain.split_words(text)})
    random.Random(0).shuffle(words)
    words = words[:10_000]
    report.say(
        f"{len(train)} labels, {len(test.texts)} test lines, {len(words)} distinct words of them (seed 0). One core, "
        f"medians of {RUNS}. fastText: minn 2, maxn 5, dim 16, lr 1, the best of {EPOCHS} epochs.\n"
    )
    report.header("model", "scoring", "accuracy", "macro F1", "macro FPR", "µs a line", "µs a new word")
    unbounded = {"context": None, "bound": None}
    for name, settings in {"the paper's": PAPER, "unigram, unbounded": unbounded, "unigram": {"context": None}}.items():
        content = unilid.train(train, **settings).to_bytes()
        for scoring in ("Viterbi", "marginal"):
            if scoring == "marginal" and name == "unigram":  # marginal scores are unbounded: the row above
                continue
            show(report, name, scoring, content, test, words)
    show(report, "with context", "Viterbi", unilid.train(train).to_bytes(), test, words)
    decoded = [text.decode() for text in test.texts]
    systems = [(FastText(train, epoch=n, lr=1.0), n) for n in EPOCHS]
    figures, fasttext, epochs = max(((s.measure(test), s, n) for s, n in systems), key=lambda found: found[0].accuracy)
    line = seconds(lambda: fasttext.model.predict(decoded)) / len(decoded)
    report.row("fastText", f"{epochs} epochs", *cells(figures), f"{1e6 * line:.1f}", "")
    report.write()


def show(report: Report, name: str, scoring: str, content: bytes, test: Test, words: list[bytes]) -> None:
    marginal = scoring == "marginal"
    model = Model.from_bytes(content)
    figures = evaluated(test.gold, [model.languages[row] for row in rows(model, test.texts, marginal)])
    times = []
    for texts in (test.texts, words):
        runs = []
        for _ in range(RUNS):
            fresh = Model.from_bytes(content)
            fresh.identify("warm", threads=1)
            runs.append(timed(partial(rows, fresh, texts, marginal))[1])
        times.append(1e6 * statistics.median(runs) / len(texts))
    report.row(name, scoring, *cells(figures), *(f"{time:.1f}" for time in times))


def rows(model: Model, texts: list[bytes], marginal: bool) -> list[int]:
    """Return the row of the best language of each text, by way of all scores for either scoring."""
    best: list[int] = []
    for start in range(0, len(texts), CHUNK):
        scores = model.scores(texts[start : start + CHUNK], marginal=marginal, threads=1)
        best += scores.argmax(axis=1).tolist()
    return best


def seconds(work: Callable[[], object]) -> float:
    return statistics.median(timed(work)[1] for _ in range(RUNS))


def cells(figures: Figures) -> tuple[float, float, str]:
    return figures.accuracy, figures.macro.f1, f"{figures.macro.fpr:.2e}"


if __name__ == "__main__":
    main()
