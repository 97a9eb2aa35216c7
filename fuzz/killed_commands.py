"""Kills commands that write files at random moments, and looks at what is left.

    python fuzz/killed_commands.py --count 200 --seed 0 [--seconds 600] [--first 0] [--workers 2]
    python fuzz/killed_commands.py --again 12 --seed 0            one of them

`unilid train`, `add` and `identify -o` run as their users run them, to a file that is there or not, and to a folder.
They are killed (SIGKILL) at any moment of their run, or soon after they have begun to write. Afterwards each output is
absent, the old one whole or the new one whole; the same command succeeds then, its output is what it would have been,
and nothing else is left. All else is a failure: it is listed, and the exit status is 1.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

import program
from outcomes import Outcome, expect, failure
from small_models import LINES, models
from watching import Attack

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from support.commands import ENVIRONMENT, MODULE, PATIENCE

ABSENT, OLD, NEW, SOME = "left no output", "left the old one", "left the new one", "left some of a folder"
OLD_CONTENT = b"what was there before\n"
RECORDS = 20_000
"""Lines of a text, so that writing its answers takes a moment."""


@dataclass(frozen=True)
class Task:
    """A command that writes something."""

    arguments: tuple[str, ...]
    output: str
    """A file, or a folder."""


TASKS = {
    "train": Task(("train", "corpus.tsv", "--vocabulary", "300", "-o", "model.unilid"), "model.unilid"),
    "add": Task(("add", "tok_Latn", "tok.txt", "-m", "small.unilid", "-o", "more.unilid"), "more.unilid"),
    "identify": Task(("identify", "text.txt", "-m", "small.unilid", "-o", "answers.jsonl"), "answers.jsonl"),
    "compress": Task(("identify", "text.txt", "-m", "small.unilid", "-o", "answers.tsv.zst"), "answers.tsv.zst"),
    "folder": Task(("identify", "texts", "-m", "small.unilid", "--resume", "-o", "answers/"), "answers"),
}  # fmt: skip


def write_inputs(folder: Path) -> None:
    """Write what commands read."""
    lines = [f"{label}\t{line}" for label, own in LINES.items() for line in own * 12]
    (folder / "corpus.tsv").write_text("\n".join(lines))
    (folder / "tok.txt").write_text("mi lukin e waso lili\nona li moku e kili\n" * 8)
    (folder / "small.unilid").write_bytes(models()["whole-words"])
    (folder / "text.txt").write_text("".join(f"{number} der alte Mann, the old man\n" for number in range(RECORDS)))
    (folder / "texts").mkdir()
    for number in range(4):
        (folder / "texts" / f"{number}.txt").write_text("der alte Mann\n" * 3000)
    (folder / "tmp").mkdir()


def start(task: Task, folder: Path) -> subprocess.Popen[bytes]:
    """Start a command in a folder."""
    environment = {**ENVIRONMENT, "TMPDIR": str(folder / "tmp")}
    return subprocess.Popen(
        [*MODULE, *task.arguments], cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )


def finish(task: Task, folder: Path) -> None:
    """Run a command to its end, which must be a good one."""
    process = start(task, folder)
    said = process.communicate(timeout=PATIENCE)[1].decode()
    expect(process.returncode == 0, f"the next run ends with {process.returncode}: {said[-200:]}")


def content_of(path: Path) -> dict[str, bytes]:
    """Return the content of the files below a path, by their names; that of a file itself has none."""
    if path.is_dir():
        return {str(file.relative_to(path)): file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file()}
    return {"": path.read_bytes()} if path.exists() else {}


@dataclass
class Reference:
    """What a command does when nobody kills it."""

    content: dict[str, bytes]
    seconds: float
    left: list[str]


REFERENCES: dict[str, Reference] = {}


@contextmanager
def known() -> Iterator[None]:
    """Run all commands once, in peace."""
    for name, task in TASKS.items():
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            write_inputs(folder)
            begun = time.monotonic()
            finish(task, folder)
            seconds = time.monotonic() - begun
            REFERENCES[name] = Reference(content_of(folder / task.output), seconds, names_in(folder))
    yield


def names_in(folder: Path) -> list[str]:
    """Return the names of all that is in a folder."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


@dataclass(frozen=True)
class Plan:
    """What is killed, and when."""

    name: str
    is_old: bool
    """Whether the output was there."""
    writing: bool
    """Whether it is killed soon after it began to write, or at any moment."""
    moment: float
    """From 0 to 1."""


def plan_of(seed: int, number: int) -> Plan:
    """Return what a seed and a number say."""
    chance = Random(f"{seed} {number}")
    name = list(TASKS)[number % len(TASKS)]
    return Plan(name, name != "folder" and chance.random() < 0.5, chance.random() < 0.6, chance.random())


def kill(process: subprocess.Popen[bytes], folder: Path, plan: Plan) -> None:
    """Kill a command at its moment, where it has not ended by then."""
    seconds = REFERENCES[plan.name].seconds
    until = time.monotonic() + 1.1 * seconds * plan.moment
    if plan.writing:
        until = time.monotonic() + PATIENCE
        while process.poll() is None and not is_written(folder) and time.monotonic() < until:
            time.sleep(0.0002)
        until = time.monotonic() + 0.02 * plan.moment**2
    while process.poll() is None and time.monotonic() < until:
        time.sleep(0.0002)
    process.kill()
    process.communicate()


def is_written(folder: Path) -> bool:
    """Say whether something is being written."""
    places = [folder, *(path for path in folder.iterdir() if path.is_dir())]
    return any(name.endswith(".tmp") for place in places for name in os.listdir(place))  # noqa: PTH208  # it is quick


def attempt(seed: int, number: int, folder: Path) -> Outcome:
    """Kill a command, see what is left, and run it again."""
    plan = plan_of(seed, number)
    task, reference = TASKS[plan.name], REFERENCES[plan.name]
    place = folder / "place"
    place.mkdir()
    try:
        write_inputs(place)
        output = place / task.output
        before = {}
        if plan.is_old:
            output.write_bytes(OLD_CONTENT)
            before = {"": OLD_CONTENT}
        kill(start(task, place), place, plan)
        outcome = what_is_left(content_of(output), before, reference.content)
        finish(task, place)
        expect(content_of(output) == reference.content, "the next run writes something else")
        more = sorted({*names_in(place)} ^ {*reference.left})
        expect(not more, f"the next run leaves or lacks {more}")
    except Exception as error:  # noqa: BLE001  # whatever it is, it is what is looked for
        return failure(error, folder)
    finally:
        shutil.rmtree(place)
    return outcome, ""


def what_is_left(left: dict[str, bytes], before: dict[str, bytes], new: dict[str, bytes]) -> str:
    """Return what a killed command left of its output, which must be whole."""
    left = {name: content for name, content in left.items() if not name.endswith(".tmp")}  # of a folder
    if left == new:
        return NEW
    if left == before:
        return OLD if before else ABSENT
    wrong = [name for name, content in left.items() if new.get(name) != content]
    expect(not wrong and not before, f"it is not whole: {wrong}")
    return SOME


def shown(seed: int, number: int) -> tuple[bytes, str]:
    """Return what was killed, and when."""
    plan = plan_of(seed, number)
    return repr(plan).encode(), repr(plan)


def main() -> int:
    """Run, and print what was found."""
    attack = Attack("killed commands", (ABSENT, OLD, NEW, SOME), attempt, shown, ".txt", known)
    return program.run(attack, __doc__, "killed")


if __name__ == "__main__":
    sys.exit(main())
