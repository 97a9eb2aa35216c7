"""Lines a second on one core and on two, beside fastText and peers, as ratios within one run.

    python benchmarks/speed.py

FLORES lines of all languages in random order, at the 204 labels of FLORES, and at five times as many: each language
also four times with its letters exchanged. First pass: a new process's worth, nothing was seen before. Second pass: the
same lines again. Then the models in the package on Tatoeba `test`, in the order of the file. Medians of the runs, which
take turns; compare ratios. CLD2, CLD3 and heliport know other languages than these; they run as programs of their own
(see peer_systems.py).
"""

import random
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from common import CONTEXTS, FastText, Report, Test, arguments, exchange, flores, labelled, timed
from peer_systems import Peer, peer

import unilid
from unilid import plain
from unilid.model import Model

BESIDE = ("CLD2", "CLD3", "heliport")
LINES = 20_000
CACHE = {"few": 160, "many": 480}
"""Megabytes at the smaller and at the larger number of labels: room for the words of these lines, for each thread."""
SHORT = (
    "Wo ist der Bahnhof?",
    "Good morning!",
    "Сколько это стоит?",
    "¿Dónde está el mercado?",
    "今日はいい天気ですね",
)


def main() -> None:
    options = arguments(__doc__, runs=5, environments=str(Path.home() / ".cache/unilid-peers"))
    report = Report("speed", "Speed", options.quick)
    train, held = flores(options.data, options.quick)
    test = Test.of(held)
    test = Test(test.texts[:LINES], test.gold[:LINES])
    runs = 1 if options.quick else options.runs
    environments = Path(options.environments)
    found = {} if options.quick else {name: peer(name, environments) for name in (*BESIDE, "lid.176")}
    peers = {name: one for name, one in found.items() if isinstance(one, Peer)}
    models = at(report, train, test, runs, 25, {name: peers[name] for name in BESIDE if name in peers}, CACHE["few"])
    one_word(report, models, test, runs)
    many = {label: lines[:100] for label, lines in train.items()}
    for copy in range(4):
        many |= {f"{label}_{copy}": exchange(lines[:100], copy) for label, lines in train.items()}
    at(report, many, test, runs, 5, {}, CACHE["many"])
    in_the_package(report, options.data, runs, {name: one for name, one in peers.items() if name != "CLD3"})
    report.write()


def at(
    report: Report,
    train: dict[str, list[bytes]],
    test: Test,
    runs: int,
    epochs: int,
    peers: dict[str, Peer],
    cache_megabytes: int,
) -> dict[str, Model]:
    """Time all systems at a number of labels."""
    trained = {}
    models: dict[str, Model] = {}
    fasttext = FastText(train, epoch=epochs)
    trained[f"fastText, {epochs} epochs"] = fasttext.seconds
    for name, context in CONTEXTS.items():
        models[name], trained[name] = timed(partial(unilid.train, train, context=context, threads=2))
    decoded = [text.decode() for text in test.texts]
    times: dict[str, list[float]] = {}

    def run(name: str, work: Callable[[], object]) -> None:
        times.setdefault(name, []).append(timed(work)[1])

    for _ in range(runs):
        run("fastText", lambda: fasttext.model.predict(decoded))
        for name, model in models.items():
            for threads in (1, 2):
                fresh = Model.from_bytes(model.to_bytes(), cache_megabytes=cache_megabytes)
                fresh.identify("warm", threads=1)
                suffix = ", two threads" if threads == 2 else ""
                for which in ("first", "second"):
                    run(f"{name}, {which} pass{suffix}", partial(fresh.identify, test.texts, threads=threads))
        for one in peers.values():
            times.setdefault(one.name, []).extend(one.predict([text.replace("\n", " ") for text in decoded])[1])
    report.say(f"\n## {len(train)} labels, {len(test.texts):,} lines, a cache of {cache_megabytes} MB\n")
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
    words = sorted({word.text for text in test.texts[:10_000] for word in plain.split_words(text)})
    random.Random(0).shuffle(words)
    words = words[:10_000]
    report.say(f"\nA text of one word, one core, µs ({len(words)} distinct words of running text):\n")
    report.header("model", "new", "known", "difference: the word itself")
    for name, model in models.items():
        cold: list[float] = []
        warm: list[float] = []
        for _ in range(runs):
            fresh = Model.from_bytes(model.to_bytes())
            fresh.identify("warm", threads=1)
            for seconds in (cold, warm):
                start = time.perf_counter()
                fresh.identify(words, threads=1)
                seconds.append(1e6 * (time.perf_counter() - start) / len(words))
        new, known = statistics.median(cold), statistics.median(warm)
        report.row(name, f"{new:.2f}", f"{known:.2f}", f"{new - known:.2f}")


def in_the_package(report: Report, data: Path, runs: int, peers: dict[str, Peer]) -> None:
    """Time the models in the package on Tatoeba, and single texts."""
    corpus = labelled(data / "tatoeba/test.tsv.xz")
    texts = [text for lines in corpus.values() for text in lines]
    models = {"default": unilid.load(), "compact": unilid.load("compact")}
    times: dict[str, list[float]] = {}
    for number in range(runs + 1):
        for name, model in models.items():
            for threads, suffix in ((1, ""), (2, ", two threads")):
                _, seconds = timed(partial(model.identify, texts, threads=threads))
                times.setdefault(f"{name}{suffix}", []).append(seconds)
        if number:
            for one in peers.values():
                plain_texts = [text.decode().replace("\n", " ") for text in texts]
                times.setdefault(one.name, []).extend(one.predict(plain_texts)[1])
    report.say(f"\n## The models in the package, {len(texts):,} lines of Tatoeba test, in the order of the file\n")
    report.say("`identify`, pass after pass over the same lines; the first one apart.\n")
    report.header("system", "first pass, µs a line", "later passes", "lines a second", "lid.176's time / this")
    base = statistics.median(times["lid.176"]) if "lid.176" in times else None
    for name, taken in times.items():
        own = name.split(",")[0] in models
        later = statistics.median(taken[1:] if own else taken)
        first = f"{1e6 * taken[0] / len(texts):.1f}" if own else ""
        ratio = f"{base / later:.2f}" if base else ""
        report.row(name, first, f"{1e6 * later / len(texts):.1f}", f"{len(texts) / later:,.0f}", ratio)
    report.say("\nA single short text through `model.identify` as it stands, warm, the Python call included, µs:\n")
    report.header("model", "median", "least")
    for name, model in models.items():
        rounds = []
        for _ in range(20 * runs):
            start = time.perf_counter()
            for _ in range(20):
                for text in SHORT:
                    model.identify(text)
            rounds.append(1e6 * (time.perf_counter() - start) / (20 * len(SHORT)))
        report.row(name, f"{statistics.median(rounds):.1f}", f"{min(rounds):.1f}")


if __name__ == "__main__":
    main()
