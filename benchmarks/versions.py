"""Two versions of unilid: whether they answer the same, to the bit, and which is faster.

    python benchmarks/versions.py [OLD_PYTHON [NEW_PYTHON]]

Each is the Python of an environment in which one version is installed; both are this one unless said. A program
(`benchmarks/versions/worker.py`) asks each of them about all lines of FLORES `dev` and Tatoeba `test`, with the models
in its package; digests of the answers to 10,000 lines are compared, and where they differ, the first line that does is
looked for. Both run one thread. What the old version calls "garbled" is the reason "mojibake" of the new one: they
count as the same.

Then both are timed in turn, each time in a new process; the other begins every second time.
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from common import Report, Test, arguments, labelled

WORKER = Path(__file__).parent / "versions/worker.py"
FORMS = ("compact", "default")
"""Models in the package."""
GROUP = 10_000
"""Lines of one digest."""
PART = 20_000
"""Lines that are also asked with other options."""
FEW = 2_000
"""Lines whose spans and scores are compared."""
FEW_GROUP = 500
TIMED = 20_000
ROUNDS = 10
COMMAND = ("identify", "-t", "Morgen")


@dataclass(frozen=True)
class Version:
    """A version in its environment."""

    name: str
    python: str

    def ask(self, *words: object) -> Any:
        """Return what the worker says."""
        done = subprocess.run(
            [self.python, str(WORKER), *map(str, words)], check=True, stdout=subprocess.PIPE, env=environment()
        )
        return json.loads(done.stdout)

    def bare(self) -> Spent:
        """Return what the interpreter takes to start in its environment."""
        return self.spent(self.python, "-c", "pass")

    def start(self) -> Spent:
        """Return what a command takes that does next to nothing, as it is installed beside the interpreter."""
        return self.spent(str(Path(self.python).with_name("unilid")), *COMMAND)

    @staticmethod
    def spent(*command: str) -> Spent:
        before, begin = _processor(), time.perf_counter()
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL, capture_output=True, env=environment())
        return Spent(time.perf_counter() - begin, _processor() - before)


class Spent(NamedTuple):
    """Seconds of a command."""

    wall: float
    processor: float


def environment() -> dict[str, str]:
    """Return variables with which compiled modules are kept, as where a package is installed."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def _processor() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def main() -> None:
    options = arguments(
        __doc__,
        ("OLD_PYTHON", sys.executable),
        ("NEW_PYTHON", sys.executable),
        old="the commit before",
        new="this commit",
    )
    old, new = Version("old", options.OLD_PYTHON), Version("new", options.NEW_PYTHON)
    report = Report("versions", "Two versions", options.quick, "versions.py OLD_PYTHON NEW_PYTHON", packages=("numpy",))
    facts = [version.ask("about") for version in (old, new)]
    said = [
        f"{name} is {what}: unilid {fact['unilid']}, numpy {fact['numpy']}, Python {fact['python']}"
        f"{', an editable install' if fact['editable'] else ''}"
        for name, what, fact in zip(("Old", "new"), (options.old, options.new), facts, strict=True)
    ]
    models = "the same bytes" if facts[0]["models"] == facts[1]["models"] else "not the same bytes"
    report.say(f"{'; '.join(said)}. The models in the two packages are {models}.\n")
    corpora = {
        "FLORES `dev`": labelled(options.data / "flores200/dev.tsv.xz"),
        "Tatoeba `test`": labelled(options.data / "tatoeba/test.tsv.xz"),
    }
    forms = FORMS[:1] if options.quick else FORMS
    sets = {name: flat(corpus, 20 if options.quick else 1) for name, corpus in corpora.items()}
    with tempfile.TemporaryDirectory() as folder:
        compare(report, old, new, forms, sets, Path(folder))
        mixed = Test.of(corpora["FLORES `dev`"]).texts[: 1000 if options.quick else TIMED]
        measure(report, old, new, forms, mixed, Path(folder), 2 if options.quick else ROUNDS)
    report.write()


def flat(corpus: dict[str, list[bytes]], step: int) -> list[bytes]:
    return [text.replace(b"\n", b" ") for lines in corpus.values() for text in lines][::step]


def spread_out(texts: Sequence[bytes], count: int) -> list[bytes]:
    """Return so many of the texts, from everywhere."""
    return list(texts[:: max(1, len(texts) // count)][:count])


# ---- to the bit


def questions(sets: dict[str, list[bytes]]) -> Iterator[tuple[str, str, list[bytes], int]]:
    """Yield what is asked, about what, the texts, and how many of them have one digest."""
    for name, texts in sets.items():
        yield "identify", f"{name}, all lines", texts, GROUP
        for ask in ("k=3", "abstain=False"):
            yield ask, f"{name}, a part", spread_out(texts, PART), GROUP
    for name, texts in sets.items():
        few = spread_out(texts, FEW)
        yield "spans", name, few, FEW_GROUP
        joined = [a + b" " + b for a, b in zip(few, few[len(few) // 2 :], strict=False)]
        yield "spans", f"{name}, two lines joined", joined, FEW_GROUP
        yield "scores", name, few, FEW_GROUP


def compare(
    report: Report, old: Version, new: Version, forms: Sequence[str], sets: dict[str, list[bytes]], folder: Path
) -> None:
    """Compare the answers."""
    report.say("## To the bit\n")
    report.say(
        "Of `identify`: label, probability, score, reason and guess; `k=3` and `abstain=False` are its options. Of "
        "`spans`: label, beginning, end, letters and probability. Of `scores`: all of them. Probabilities and scores "
        f"are compared by their 64 bits. A group is {GROUP:,} lines, {FEW_GROUP} for `spans` and `scores`. The reason "
        '"garbled" of the old version counts as "mojibake", its name in the new one.\n'
    )
    report.header("model", "what", "text", "lines", "groups", "groups that differ", "first difference")
    path = folder / "texts"
    for form in forms:
        for ask, name, texts, size in questions(sets):
            path.write_bytes(b"\n".join(texts))
            one, two = (version.ask("digests", ask, form, path, size) for version in (old, new))
            unequal = [group for group, (a, b) in enumerate(zip(one, two, strict=True)) if a != b]
            where = first_difference(old, new, ask, form, path, texts, unequal[0] * size, size) if unequal else ""
            report.row(form, f"`{ask}`", name, f"{len(texts):,}", len(one), len(unequal), where)


def first_difference(
    old: Version, new: Version, ask: str, form: str, path: Path, texts: Sequence[bytes], first: int, size: int
) -> str:
    """Return the first line of a group to which the answers differ."""
    one, two = (version.ask("answers", ask, form, path, first, first + size) for version in (old, new))
    for number, (a, b) in enumerate(zip(one, two, strict=True), first):
        if a != b:
            text = texts[number].decode("utf-8", "replace").replace("|", "\\|")
            return f"line {number}, “{text[:60]}”: {shortened(a)} / {shortened(b)}"
    return "none when asked again"


def shortened(answer: object) -> str:
    written = json.dumps(answer, ensure_ascii=False)
    return written if len(written) < 200 else f"{written[:150]}… ({hashlib.sha256(written.encode()).hexdigest()[:8]})"


# ---- time


def measure(
    report: Report, old: Version, new: Version, forms: Sequence[str], texts: Sequence[bytes], folder: Path, rounds: int
) -> None:
    """Time both in turn."""
    path = folder / "texts"
    path.write_bytes(b"\n".join(text.replace(b"\n", b" ") for text in texts))
    for version in (old, new):  # fills caches, and compiles modules
        version.start()
    rows = [f"`identify`, {form} model, {which} pass" for form in forms for which in ("first", "second")]
    command = f"`unilid {' '.join(COMMAND)}`"
    rows += [f"{what}, {of}" for what in ("`python -c pass`", command) for of in ("clock", "processor")]
    taken: dict[tuple[str, str], list[float]] = {}
    for number in range(rounds):
        for version in (old, new) if number % 2 == 0 else (new, old):
            found = [seconds for form in forms for seconds in version.ask("times", form, path)]
            found += [*version.bare(), *version.start()]
            for row, seconds in zip(rows, found, strict=True):
                taken.setdefault((row, version.name), []).append(seconds)
    report.say(
        f"\n## Time\n\n`identify`: seconds of the processor for {len(texts):,} FLORES lines in random order, one "
        "thread, in a new process each time; second pass: the same lines again. Commands: from their start to "
        "their end, by the clock and of the processor; `python -c pass` is what the environment itself takes, which is "
        f"more where an install is editable. {rounds} times each, in turn, on cores that others use too: medians "
        "(least to most), and the median of new divided by that of old. The last column: new divided by old of the "
        "least, which noise touches least.\n"
    )
    report.header("what", "old, ms", "new, ms", "new / old", "least: new / old")
    for row in rows:
        before, after = taken[row, "old"], taken[row, "new"]
        ratios = [f"{of(after) / of(before):.3f}" for of in (statistics.median, min)]
        report.row(row, summary(before), summary(after), *ratios)


def summary(seconds: Sequence[float]) -> str:
    median, least, most = (1000 * value for value in (statistics.median(seconds), min(seconds), max(seconds)))
    return f"{median:.0f} ({least:.0f} to {most:.0f})"


if __name__ == "__main__":
    main()
