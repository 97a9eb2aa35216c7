"""Explanations of FLORES lines by the default model: whether they add up, how long they take, what changed answers.

    python benchmarks/explain.py

10,000 of lines 501 to 997 of all labels, drawn at random. An explanation adds up if the differences of its words and of
the prior are the difference of the two languages' scores and priors, which `Model.scores` and the model's prior give:
in nats, of words exactly, because their scores are eighths, and up to rounding with the prior.
"""

import random
import statistics
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from common import Report, Test, arguments, flores

import unilid
from unilid.explanation.explainer import Explanation
from unilid.model import Model

LINES = 10_000
T = TypeVar("T")


def main() -> None:
    options = arguments(__doc__)
    report = Report("explain", "Explanations", options.quick)
    _, held = flores(options.data, options.quick)
    texts = Test.of(held).texts[: 100 if options.quick else LINES]
    model = unilid.load()
    for _ in range(2):  # the first asks for all tables
        model.explain(texts[0])
        model.identify(texts[0])
    usual = statistics.median(timed(partial(model.identify, text, threads=1))[1] for text in texts)
    report.say(f"The default model, {len(model.languages)} labels; {len(texts)} lines, one at a time, one thread.\n")
    report.header(
        "explained",
        "lines",
        "largest deviation of the words",
        "with the prior",
        "words a line",
        "median CPU ms",
        "mean CPU ms",
    )
    draw = random.Random(0)
    changed: Counter[str] = Counter()
    for name, at_random in (("the answer and the runner-up", False), ("two labels at random", True)):
        times: list[float] = []
        deviations: list[tuple[float, float]] = []
        words: list[int] = []
        for text in texts:
            asked = draw.sample(model.languages, 2) if at_random else []
            explanation, took = timed(partial(model.explain, text, *asked))
            times.append(took)
            deviations.append(deviation(model, explanation))
            words.append(len(explanation.words))
            if not at_random:
                changed.update({one.name: int(one.changed) for one in explanation.without})
        averages = [f"{1000 * average(times):.2f}" for average in (statistics.median, statistics.mean)]
        report.row(
            name,
            len(texts),
            *(f"{max(each):.1e}" for each in zip(*deviations, strict=True)),
            f"{statistics.mean(words):.1f}",
            *averages,
        )
    report.say(f"\n`identify` takes {1000 * usual:.2f} CPU ms for one of these lines (median).\n")
    report.say("Lines with another answer without one of these (the model may have seen the lines):\n")
    report.header("without", "lines")
    for name, count in changed.items():
        report.row(f"`{name}`", count)
    report.write()


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """Return the result of a piece of work and the seconds of the processor that it took: others may use it too."""
    start = time.process_time()
    return work(), time.process_time() - start


def deviation(model: Model, explanation: Explanation) -> tuple[float, float]:
    """Return how far an explanation is from what the model says: its words from the scores, its sum from both."""
    row, other = (model.row_of(label or "") for label in (explanation.language, explanation.instead))
    scores, prior = model.scores([explanation.text])[0], model._answerer.log_prior(None, "model")
    words = sum(word.difference for word in explanation.words)
    whole = scores + prior
    return (
        abs(words - float(scores[row] - scores[other])),
        abs(words + explanation.prior - float(whole[row] - whole[other])),
    )


if __name__ == "__main__":
    main()
