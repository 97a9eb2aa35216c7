"""Lines a second on one core, FLORES lines of all languages in random order, beside fastText in the same run.

    python benchmarks/speed.py

First pass: nothing was seen before. Second pass: the same lines again. Medians of the runs; compare the ratios.
"""

import random
import statistics
import time
from collections.abc import Callable

from common import FastText, Report, Test, arguments, flores

import unilid
from unilid import plain
from unilid.model import Model


def main() -> None:
    options = arguments(__doc__, runs=5)
    train, held = flores(options.data, options.quick)
    test = Test.of(held)
    fasttext = FastText(train)
    models = {
        "UniLID": unilid.train(train, context=None),
        "UniLID with context": unilid.train(train, context="characters"),
    }
    decoded = [text.decode() for text in test.texts]
    times: dict[str, list[float]] = {}

    def run(name: str, work: Callable[[], object]) -> None:
        start = time.perf_counter()
        work()
        times.setdefault(name, []).append(time.perf_counter() - start)

    for _ in range(options.runs):
        run("fastText", lambda: fasttext.model.predict(decoded))
        for name, model in models.items():
            fresh = Model.from_bytes(model.to_bytes())
            fresh.identify("warm")
            run(f"{name}, first pass", lambda fresh=fresh: fresh.best_rows(test.texts))
            run(f"{name}, second pass", lambda fresh=fresh: fresh.best_rows(test.texts))
            run(f"{name}, second pass, as objects", lambda fresh=fresh: fresh.identify(test.texts))
            run(f"{name}, second pass, two threads", lambda fresh=fresh: fresh.best_rows(test.texts, threads=2))
    report = Report("speed", f"Speed at {len(train)} labels, one core", options.quick)
    report.header("system", "µs a line", "fastText's time / this")
    base = statistics.median(times["fastText"])
    for name, seconds in times.items():
        median = statistics.median(seconds)
        report.row(name, f"{1e6 * median / len(test.texts):.1f}", f"{base / median:.2f}")

    sizes = ", ".join(f"{name} {len(model.to_bytes()) / 1e6:.1f} MB" for name, model in models.items())
    report.say(f"\nThe models' files: {sizes}.")

    words = sorted({word for text in test.texts[:20_000] for word in plain.words(text)})
    random.Random(0).shuffle(words)
    words = words[:10_000]
    report.say(
        f"\nA text of one word at {len(train)} labels, one core, µs ({len(words)} distinct words of running text):\n"
    )
    report.header("model", "new", "known", "difference: the word itself")
    for name, model in models.items():
        cold, warm = [], []
        for _ in range(options.runs):
            fresh = Model.from_bytes(model.to_bytes())
            fresh.identify("warm")
            for seconds in (cold, warm):
                start = time.perf_counter()
                fresh.best_rows(words)
                seconds.append(1e6 * (time.perf_counter() - start) / len(words))
        new, known = statistics.median(cold), statistics.median(warm)
        report.row(name, f"{new:.2f}", f"{known:.2f}", f"{new - known:.2f}")
    report.write()


if __name__ == "__main__":
    main()
