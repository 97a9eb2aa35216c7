"""The programs that print the figures start, also where fastText is not installed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TypeAlias

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"
PROGRAMS = sorted(path for path in FOLDER.glob("*.py") if "arguments(__doc__" in path.read_text(encoding="utf-8"))
MUST_NOT_BE_MISSED = {"unilid", "numpy", "common", "fasttext"}
Answers: TypeAlias = dict[str, tuple[int | None, str | None, str]]  # exit code, missing module, output
ENVIRONMENT = {**os.environ, "PYTHON_COLORS": "0"}

# One process for all: what takes time is to import numpy.
HELP_OF_ALL = """
import contextlib, io, json, runpy, sys, traceback
folder, *programs = sys.argv[1:]
sys.path.insert(0, folder)  # as if they were started by name
sys.modules["fasttext"] = None  # cannot be imported
answers = {}
for program in programs:
    sys.argv = [program, "--help"]
    written = io.StringIO()
    code = missing = None
    with contextlib.redirect_stdout(written), contextlib.redirect_stderr(written):
        try:
            runpy.run_path(program, run_name="__main__")
        except SystemExit as end:
            code = end.code
        except BaseException as error:
            missing = error.name if isinstance(error, ModuleNotFoundError) else None
            traceback.print_exc()
    answers[program] = [code, missing, written.getvalue()]
print(json.dumps(answers))
"""


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Answers:
    command = [sys.executable, "-c", HELP_OF_ALL, str(FOLDER), *map(str, PROGRAMS)]
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=elsewhere, env=ENVIRONMENT, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert list(elsewhere.iterdir()) == []
    found: Answers = json.loads(done.stdout)
    return found


def test_there_are_programs() -> None:
    assert len(PROGRAMS) > 15


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_every_program_says_how_it_is_used(answers: Answers, program: Path) -> None:
    code, missing, written = answers[str(program)]
    if missing and missing.split(".")[0] not in MUST_NOT_BE_MISSED:
        pytest.skip(f"needs {missing}, which is not installed")
    assert code == 0, written
    assert written.startswith(f"usage: {program.name}")
    assert "--quick" in written
    assert "--data" in written
    assert f"python benchmarks/{program.name}" in written


def test_a_program_started_by_name_finds_what_it_shares_with_the_others(tmp_path: Path) -> None:
    command = [sys.executable, str(FOLDER / "domains.py"), "--help"]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=tmp_path, env=ENVIRONMENT, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("usage: domains.py")
