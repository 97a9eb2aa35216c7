"""How long a command takes before it does its work.

    python benchmarks/startup.py

Every command is a process of its own, started again and again in turn. The verbs are asked for as little as can be:
their help, or one line with a model of two languages, so that what is left is starting. What the models in the package
take to load is shown apart.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from common import Report, arguments

import unilid
from unilid.cli import main as cli

CORPUS = {"deu": ["Wo ist der Bahnhof?", "Guten Morgen"], "eng": ["Where is the station?", "Good morning"]}
UNILID = [sys.executable, "-m", "unilid"]
VERBS = {
    "identify": "-m my.unilid -t Morgen",
    "explain": "-m my.unilid Morgen",
    "spans": "-m my.unilid -t Morgen",
    "train": "corpus.tsv -o new.unilid --no-tune --context none --vocabulary 256",
    "calibrate": "corpus.tsv -m my.unilid -o new.unilid",
    "evaluate": "corpus.tsv -m my.unilid",
    "add": "fra french.txt -m my.unilid -o new.unilid",
    "subset": "deu -m my.unilid -o new.unilid",
    "languages": "-m my.unilid",
    "info": "-m my.unilid",
    "completion": "bash",
}


class Spent(NamedTuple):
    """What a command took."""

    seconds: float
    processor: float  # seconds, of all threads


def spent(command: list[str], folder: Path, environment: dict[str, str]) -> Spent:
    before, start = _processor(), time.perf_counter()
    subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    return Spent(time.perf_counter() - start, _processor() - before)


def _processor() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def main() -> None:
    options = arguments(__doc__)
    report = Report("startup", "Starting", options.quick)
    [action] = [action for action in cli.parser()._actions if isinstance(action, argparse._SubParsersAction)]
    commands = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "python -c 'import numpy'": [sys.executable, "-c", "import numpy"],
        "python -c 'import unilid'": [sys.executable, "-c", "import unilid"],
        "python -c 'import unilid.model'": [sys.executable, "-c", "import unilid.model"],
        "unilid --help": [*UNILID, "--help"],
        **{f"unilid {verb} --help": [*UNILID, verb, "--help"] for verb in action.choices},
        **{f"unilid {verb} {words}": [*UNILID, verb, *words.split()] for verb, words in VERBS.items()},
        "unilid identify -t Morgen -m compact": [*UNILID, "identify", "-t", "Morgen", "-m", "compact"],
        "unilid identify -t Morgen": [*UNILID, "identify", "-t", "Morgen"],
    }
    first, rounds = (0, 1) if options.quick else (1, 15)  # the first ones fill caches
    taken: dict[str, list[Spent]] = {name: [] for name in commands}
    # As it is installed: compiled modules are kept. One thread for numpy's linear algebra, as the command line has it.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["OPENBLAS_NUM_THREADS"] = "1"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = [f"{label}\t{text}\n" for label, texts in CORPUS.items() for text in texts]
        (folder / "corpus.tsv").write_text("".join(rows))
        (folder / "french.txt").write_text("Où est la gare ?\n")
        unilid.train(CORPUS, tune=False).save(folder / "my.unilid")
        for number in range(first + rounds):
            for command, words in commands.items():
                once = spent(words, folder, environment)
                if number >= first:
                    taken[command].append(once)
    report.say(
        f"{rounds} runs of each. On cores that others use too, the least is nearest to what it takes. The processor's "
        "time is that of all threads; the last two columns compare it.\n"
    )
    processor = "least of the processor, ms"
    report.header("command", "median, ms", "least, ms", processor, "times `python -c pass`", "times `import numpy`")
    bare, numpy = (
        min(once.processor for once in taken[command]) for command in ("python -c pass", "python -c 'import numpy'")
    )
    for command, times in taken.items():
        seconds = [once.seconds for once in times]
        least = min(once.processor for once in times)
        whole = [round(1000 * value) for value in (statistics.median(seconds), min(seconds), least)]
        report.row(f"`{command}`", *whole, f"{least / bare:.1f}", f"{least / numpy:.2f}")
    report.write()


if __name__ == "__main__":
    main()
