"""Speed as users get it, beside fastText and peers, as ratios within one run.

    python benchmarks/speed.py [--models FOLDER]

The defaults of the package everywhere: its cache, `identify` with probabilities and abstention, texts as `str`. Of each
peer the fastest call that it offers: fastText's `model.f.multilinePredict(lines, 1, 0.0, "strict")`, CLD2's `detect`,
heliport's `par_identify` with one thread. One thread unless it says two; medians of the runs, which take turns. A first
pass is that of a model that has seen some made-up words, so that its tables are built; the second is over the same
texts.

- FLORES lines of 204 labels in random order: models trained on lines 1 to 500, fastText on the same.
- The models in the package on Tatoeba `test`, in the order of the file, and on documents of 500 bytes, 5 kB and 50 kB
  in large languages, joined from FLORES and Common Voice lines.
- Single short texts; a Parquet file through the command line; memory.
"""

import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from common import FastText, Report, Test, arguments, flores, labelled, timed
from documents import joined
from peer_systems import Peer, peer

import unilid
from unilid.model import Model

PEERS = ("CLD2", "heliport", "lid.176")
LINES = 20_000
SYSTEMS = {"unigram": {"context": None}, "with context and lexicon": {"lexicon": 1000}}
"""Options of `unilid.train`."""
LARGE = [
    "eng_Latn", "deu_Latn", "fra_Latn", "spa_Latn", "por_Latn", "ita_Latn", "nld_Latn", "pol_Latn", "rus_Cyrl",
    "ukr_Cyrl", "tur_Latn", "arb_Arab", "pes_Arab", "hin_Deva", "ben_Beng", "cmn_Hans", "zho_Hans", "jpn_Jpan",
    "kor_Hang", "vie_Latn", "ind_Latn", "tha_Thai", "swe_Latn", "ces_Latn", "ron_Latn", "hun_Latn", "ell_Grek",
    "fin_Latn",
]  # fmt: skip
SIZES = {"500 bytes": 500, "5 kB": 5_000, "50 kB": 50_000}
DOCUMENTS = 1_000
"""Of each size and corpus, at most."""
SHORT = (
    "Wo ist der Bahnhof?",
    "Good morning!",
    "Сколько это стоит?",
    "¿Dónde está el mercado?",
    "今日はいい天気ですね",
)


class Times:
    """Seconds by name, run after run."""

    def __init__(self) -> None:
        self.of: dict[str, list[float]] = {}

    def run(self, name: str, work: Callable[[], object]) -> None:
        self.of.setdefault(name, []).append(timed(work)[1])

    def median(self, name: str) -> float:
        return statistics.median(self.of[name])


def main() -> None:
    options = arguments(__doc__, runs=3, environments=str(Path.home() / ".cache/unilid-peers"), models="", rows=200_000)
    report = Report("speed", "Speed", options.quick)
    runs = 1 if options.quick else options.runs
    train, held = flores(options.data, options.quick)
    at_flores(report, train, [text.decode() for text in Test.of(held).texts[:LINES]], runs)
    found = [] if options.quick else [peer(name, Path(options.environments)) for name in PEERS]
    peers = [one for one in found if isinstance(one, Peer)]
    files: dict[str, str | None] = {"default": None, "compact": "compact"}
    if options.models:
        files = {name: str(Path(options.models, f"{name}.unilid")) for name in files}
    tatoeba = [text.decode() for lines in labelled(options.data / "tatoeba/test.tsv.xz").values() for text in lines]
    on_lines(report, files, tatoeba, runs, peers)
    on_documents(report, files, documents(options.data, options.quick), runs, peers)
    single(report, files, runs)
    rows = [text for lines in held.values() for text in joined(lines, 500)]
    parquet(report, files["default"], rows, 300 if options.quick else options.rows)
    report.write()


def at_flores(report: Report, train: dict[str, list[bytes]], texts: list[str], runs: int) -> None:
    """Time our systems and fastText, trained on the same lines."""
    fasttext = FastText(train)
    models = {name: unilid.train(train, threads=2, **options) for name, options in SYSTEMS.items()}  # type: ignore[arg-type]
    lines = [text.replace("\n", " ") + "\n" for text in texts]
    times = Times()
    for _ in range(runs):
        times.run("fastText", lambda: fasttext.model.f.multilinePredict(lines, 1, 0.0, "strict"))
        for name, model in models.items():
            for threads, suffix in ((1, ""), (2, ", two threads")):
                fresh = asked(Model.from_bytes(model.to_bytes()))
                for which in ("first", "second"):
                    times.run(f"{name}, {which} pass{suffix}", partial(fresh.identify, texts, threads=threads))
    report.say(f"\n## {len(train)} labels, {len(texts):,} FLORES lines in random order\n")
    report.header("system", "µs a line", "fastText's time / this")
    for name in times.of:
        median = times.median(name)
        report.row(name, f"{1e6 * median / len(texts):.1f}", f"{times.median('fastText') / median:.2f}")


def on_lines(report: Report, files: dict[str, str | None], texts: list[str], runs: int, peers: Sequence[Peer]) -> None:
    """Time the models in the package on lines."""
    times = Times()
    for _ in range(runs):
        for name, file in files.items():
            for threads, suffix in ((1, ""), (2, ", two threads")):
                model = asked(unilid.load(file))
                for which in ("first", "second"):
                    times.run(f"{name}, {which} pass{suffix}", partial(model.identify, texts, threads=threads))
        for one in peers:
            times.of.setdefault(one.name, []).extend(one.seconds([text.replace("\n", " ") for text in texts]))
    report.say(f"\n## The models in the package, {len(texts):,} lines of Tatoeba test, in the order of the file\n")
    report.header("system", "µs a line", "lines a second", *(f"{one.name}'s time / this" for one in peers))
    for name in times.of:
        median = times.median(name)
        ratios = (f"{times.median(one.name) / median:.2f}" for one in peers)
        report.row(name, f"{1e6 * median / len(texts):.1f}", f"{len(texts) / median:,.0f}", *ratios)


def documents(data: Path, quick: bool) -> dict[str, list[str]]:
    """Return documents in large languages, without line breaks."""
    first, rest = flores(data, quick)
    corpora = {"FLORES": {label: first[label] + rest[label] for label in first}}
    if not quick:
        corpora["Common Voice"] = labelled(data / "common_voice/train.tsv.xz")
    sets = {}
    for name, corpus in corpora.items():
        for size, count in SIZES.items():
            own = [d for label in LARGE if label in corpus for d in joined(corpus[label], count)]
            random.Random(0).shuffle(own)
            sets[f"{name}, {size}"] = [text.decode().replace("\n", " ") for text in own[:DOCUMENTS]]
    return {name: texts for name, texts in sets.items() if texts}


def on_documents(
    report: Report, files: dict[str, str | None], sets: dict[str, list[str]], runs: int, peers: Sequence[Peer]
) -> None:
    """Time the models in the package on documents."""
    report.say("\n## Documents in large languages, megabytes a second\n")
    passes = ("first", "second")
    own = [f"{name}, {which} pass" for name in files for which in passes]
    report.header("documents", "number", *own, *(one.name for one in peers))
    for title, texts in sets.items():
        times = Times()
        for _ in range(runs):
            for name, file in files.items():
                model = asked(unilid.load(file))
                for which in passes:
                    times.run(f"{name}, {which} pass", partial(model.identify, texts, threads=1))
            for one in peers:
                times.of.setdefault(one.name, []).extend(one.seconds(texts))
        size = sum(len(text.encode()) for text in texts) / 1e6
        rates = (f"{size / times.median(name):.1f}" for name in (*own, *(one.name for one in peers)))
        report.row(title, len(texts), *rates)


def single(report: Report, files: dict[str, str | None], runs: int) -> None:
    """Time single short texts."""
    report.say("\n## A single short text, warm, the Python call included, µs\n")
    report.header("model", "median", "least")
    for name, file in files.items():
        model = unilid.load(file)
        rounds = []
        for _ in range(20 * runs):
            start = time.perf_counter()
            for _ in range(20):
                for text in SHORT:
                    model.identify(text)
            rounds.append(1e6 * (time.perf_counter() - start) / (20 * len(SHORT)))
        report.row(name, f"{statistics.median(rounds):.1f}", f"{min(rounds):.1f}")


def parquet(report: Report, file: str | None, texts: list[bytes], count: int) -> None:
    """Compare the processor time of the command line with that of `identify` on the same rows."""
    import pyarrow
    from pyarrow import parquet as pq

    rows = [texts[i % len(texts)].decode() for i in range(count)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.parquet")
        pq.write_table(pyarrow.table({"text": rows}), path)
        command = [sys.executable, "-m", "unilid", "identify", str(path), *(["-m", file] if file else [])]
        most = 0
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
            while not os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                most = max(most, resident(process.pid))
                time.sleep(0.05)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0
    model = asked(unilid.load(file))
    before = resource.getrusage(resource.RUSAGE_SELF)
    model.identify(rows)
    after = resource.getrusage(resource.RUSAGE_SELF)
    memory_seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    seconds = usage.ru_utime + usage.ru_stime
    report.say(
        f"\n## {count:,} Parquet rows of about 500 bytes through the command line, all cores, the default model\n\n"
        f"{seconds:.1f} s of processor time, {seconds / memory_seconds:.2f} times what `identify` takes for the same "
        f"rows in memory; at most {most / 1000:.0f} MB of resident memory."
    )


def resident(process: int) -> int:
    """Return the most memory that a process has had so far, in kB; 0 where the system does not tell.

    What `wait4` says is no less than what the parent had when it started the process.
    """
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), 0)


def asked(model: Model) -> Model:
    """Return the model after some made-up words, so that its tables are built; peers build theirs when they load."""
    draw = random.Random(0)
    model.identify(["".join(draw.choices("abcdefghijklmnop", k=8)) for _ in range(1_000)], threads=1)
    return model


if __name__ == "__main__":
    main()
