"""Lines a second on one core and on two, FLORES lines of all languages in random order, beside fastText and peers.

    python benchmarks/speed.py

At the 204 labels of FLORES, and at five times as many: each language also four times with its letters exchanged. First
pass: nothing was seen before. Second pass: the same lines again. Medians of the runs, which take turns; compare ratios.
CLD2, CLD3 and heliport know other languages than these; they run as programs of their own (see peers.py).
"""

import random
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from common import FastText, Report, Test, arguments, exchange, flores, timed
from peers import Peer, peer

import unilid
from unilid import plain
from unilid.model import Model

BESIDE = ("CLD2", "CLD3", "heliport")


def main() -> None:
    options = arguments(__doc__, runs=5, environments=str(Path.home() / ".cache/unilid-peers"))
    report = Report("speed", "Speed", options.quick)
    train, held = flores(options.data, options.quick)
    test = Test.of(held)
    test = Test(test.texts[::2], test.gold[::2])
    runs = 1 if options.quick else options.runs
    peers = [] if options.quick else [peer(name, Path(options.environments)) for name in BESIDE]
    models = at(report, train, test, runs, 25, [one for one in peers if isinstance(one, Peer)])
    one_word(report, models, test, runs)
    many = {label: lines[:100] for label, lines in train.items()}
    for copy in range(4):
        many |= {f"{label}_{copy}": exchange(lines[:100], copy) for label, lines in train.items()}
    at(report, many, test, runs, 5, [])
    report.write()


def at(
    report: Report, train: dict[str, list[bytes]], test: Test, runs: int, epochs: int, peers: list[Peer]
) -> dict[str, Model]:
    """Time all systems at a number of labels."""
    trained = {}
    models: dict[str, Model] = {}
    fasttext = FastText(train, epoch=epochs)
    trained[f"fastText, {epochs} epochs"] = fasttext.seconds
    for name, context in (("unigram", None), ("with context", "characters")):
        models[name], trained[name] = timed(lambda context=context: unilid.train(train, context=context))
    decoded = [text.decode() for text in test.texts]
    times: dict[str, list[float]] = {}

    def run(name: str, work: Callable[[], object]) -> None:
        times.setdefault(name, []).append(timed(work)[1])

    for _ in range(runs):
        run("fastText", lambda: fasttext.model.predict(decoded))
        for name, model in models.items():
            for threads in (1, 2):
                fresh = Model.from_bytes(model.to_bytes())
                fresh.identify("warm")
                suffix = ", two threads" if threads == 2 else ""
                ask = lambda fresh=fresh, threads=threads: fresh.best_rows(test.texts, threads=threads)  # noqa: E731
                run(f"{name}, first pass{suffix}", ask)
                run(f"{name}, second pass{suffix}", ask)
        for one in peers:
            times.setdefault(one.name, []).extend(one.predict([text.replace("\n", " ") for text in decoded])[1])
    report.say(f"\n## {len(train)} labels, {len(test.texts)} lines\n")
    report.header("system", "µs a line", "fastText's time / this")
    base = statistics.median(times["fastText"])
    for name, seconds in times.items():
        median = statistics.median(seconds)
        report.row(name, f"{1e6 * median / len(test.texts):.1f}", f"{base / median:.2f}")
    sizes = ", ".join(f"{name} {len(model.to_bytes()) / 1e6:.1f} MB" for name, model in models.items())
    report.say(
        f"\nFiles: {sizes}. Training, two cores, constants chosen on held-out lines: "
        + ", ".join(f"{name} {seconds:.0f} s" for name, seconds in trained.items())
        + "."
    )
    return models


def one_word(report: Report, models: dict[str, Model], test: Test, runs: int) -> None:
    """Time texts of one word: what a word that was never seen costs."""
    words = sorted({word.text for text in test.texts[:10_000] for word in plain.words(text)})
    random.Random(0).shuffle(words)
    words = words[:10_000]
    report.say(f"\nA text of one word, one core, µs ({len(words)} distinct words of running text):\n")
    report.header("model", "new", "known", "difference: the word itself")
    for name, model in models.items():
        cold, warm = [], []
        for _ in range(runs):
            fresh = Model.from_bytes(model.to_bytes())
            fresh.identify("warm")
            for seconds in (cold, warm):
                start = time.perf_counter()
                fresh.best_rows(words)
                seconds.append(1e6 * (time.perf_counter() - start) / len(words))
        new, known = statistics.median(cold), statistics.median(warm)
        report.row(name, f"{new:.2f}", f"{known:.2f}", f"{new - known:.2f}")


if __name__ == "__main__":
    main()
