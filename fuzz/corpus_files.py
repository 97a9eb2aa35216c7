"""Mutates corpora of every format, reads and counts them, and gives a share to commands.

    python fuzz/corpus_files.py --count 100000 --seed 0 [--seconds 600] [--first 0] [--workers 2]
    python fuzz/corpus_files.py --again 1234 --seed 0            one corpus, in this process

A corpus is refused with an error of the package, or read and counted. One in ten goes through `unilid identify`, one
in twenty through `train` (a tiny model), and one in forty through `evaluate` and through `add`: they succeed, or end
with one sentence. It is a failure if a process ends by a signal, works for more than 5 seconds, needs more than 1 GB,
or if anything else is raised or said: then the corpus is kept in the folder (`--keep`) and listed, and the exit status
is 1.
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path

import corpus_mutations
import program
from outcomes import REFUSED, Outcome, expect, failure
from small_models import models
from watching import Attack

from unilid import UnilidError
from unilid.cli.main import main as command
from unilid.corpus.counts import Counter
from unilid.corpus.reading import read

READ, USED = "read", "read and used by a command"
MODELS: list[Path] = []
"""The model that is asked, once it is stored."""


@contextmanager
def stored() -> Iterator[None]:
    """Store a small model."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "small.unilid"
        path.write_bytes(models()["whole-words"])
        MODELS[:] = [path]
        yield


def attempt(seed: int, number: int, folder: Path) -> Outcome:
    """Read a corpus, and let a command have it."""
    corpus, _ = corpus_mutations.mutant(seed, number)
    place, output = folder / "corpus", folder / "output"
    try:
        for made in (place, output):
            made.mkdir()
        for name, content in corpus.encode().items():
            (place / name).write_bytes(content)
        path = place / corpus.read_path
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            outcome = READ if is_read(path) else REFUSED
            for arguments in commands(number, path, output):
                if run(arguments):
                    outcome = USED
    except Exception as error:  # noqa: BLE001  # whatever it is, it is what is looked for
        return failure(error, folder)
    finally:
        for made in (place, output):
            shutil.rmtree(made, ignore_errors=True)
    return outcome, ""


def is_read(path: Path) -> bool:
    """Read and count a corpus; return whether it was not refused."""
    counter = Counter(hold_out=True)
    try:
        for batch in read(path):
            expect(len(batch.labels) == len(batch.texts), "as many labels as texts")
            counter.add(batch)
        if counter.rows:
            counter.corpus()
    except UnilidError as error:
        expect(str(error).strip(), "an error that says nothing")
        return False
    return True


def commands(number: int, path: Path, output: Path) -> Iterator[list[str]]:
    """Yield the commands that a corpus is given to."""
    [model] = MODELS
    if number % 10 == 0:
        suffix = (".jsonl", ".tsv", ".tsv.zst", ".parquet")[number // 10 % 4]
        where = output / f"answers{suffix}" if path.is_file() else output / "answers"
        yield ["identify", str(path), "-m", str(model), "--threads", "1", "-o", f"{where}{'/' * path.is_dir()}"]
    if number % 20 == 1:
        trained = ["--vocabulary", "300", "--threads", "1", "-o", str(output / "model.unilid")]
        yield ["train", str(path), *trained]
    if number % 40 == 2:
        yield ["evaluate", str(path), "-m", str(model), "--threads", "1", "--json", str(output / "figures.json")]
    if number % 40 == 3:
        added = [str(path)] if path.is_dir() else ["xyz_Latn", str(path)]
        yield ["add", *added, "-m", str(model), "-o", str(output / "more.unilid")]


def run(arguments: list[str]) -> bool:
    """Run a command in this process, and return whether it succeeded; check what it says where it did not."""
    said = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace", write_through=True)
    answers = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace", write_through=True)
    with redirect_stdout(answers), redirect_stderr(said):
        status = command(arguments)
    said.seek(0)
    told = said.read()
    expect(status in (0, 2, 3), f"{arguments[0]} ends with the status {status}")
    expect("should not happen" not in told and "Traceback" not in told, f"{arguments[0]}: {told[-300:]}")
    expect(status != 2 or "unilid: " in told, f"{arguments[0]} does not say what is wrong: {told!r}")
    expect(told.replace("\n", "").isprintable(), f"{arguments[0]} would steer a terminal: {told[-300:]!r}")
    return status == 0


def shown(seed: int, number: int) -> tuple[bytes, str]:
    """Return the first file of a corpus, and what was changed."""
    corpus, changes = corpus_mutations.mutant(seed, number)
    return next(iter(corpus.encode().values()), b""), changes


def main() -> int:
    """Run, and print what was found."""
    attack = Attack("corpora", (REFUSED, READ, USED), attempt, shown, ".corpus", stored)
    return program.run(attack, __doc__, "corpora")


if __name__ == "__main__":
    sys.exit(main())
