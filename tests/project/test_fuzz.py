"""The fuzzer of model files: a short run with a fixed seed."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[2] / "fuzz" / "model_files.py"

needs_fork = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="watches processes in /proc")


def run(*options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(PROGRAM), *options], check=False, capture_output=True, text=True, timeout=280
    )


@needs_fork
def test_mutants_of_model_files_are_refused_or_answer_everything(tmp_path: Path) -> None:
    done = run("--mutants", "300", "--seed", "0", "--keep", str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("300 mutants of 11 models, seed 0: ")
    assert " 0 failed" in done.stdout
    assert list(tmp_path.iterdir()) == []


@needs_fork
def test_a_seed_and_a_number_give_the_same_mutant() -> None:
    program = f"""
import sys
sys.path.insert(0, {str(PROGRAM.parent)!r})
import hashlib, mutations
print(hashlib.sha256(b"".join(mutations.mutant(7, number)[0] for number in range(20))).hexdigest())
"""
    outputs = {
        subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True, timeout=120).stdout
        for _ in range(2)
    }
    assert len(outputs) == 1
    assert len(outputs.pop().strip()) == hashlib.sha256().digest_size * 2


@needs_fork
def test_what_crashes_hangs_grows_or_raises_is_found_and_kept(tmp_path: Path) -> None:
    program = f"""
import sys
sys.path.insert(0, {str(PROGRAM.parent)!r})
import os, model_files, mutations, questions, small_models, watching
watching.MOST_SECONDS = 2.0
watching.MOST_MEMORY = 400 << 20
def ask(model, folder):
    number = asked[0]
    if number == 0:
        os.abort()
    elif number == 1:
        while True:
            pass
    elif number == 2:
        raise OSError("not ours")
    elif number == 3:
        b"x" * watching.MOST_MEMORY
def mutant(seed, number):
    asked[:] = [number]
    return small_models.models()["one"], "no change"
asked = []
questions.ask_everything, mutations.mutant = ask, mutant
sys.argv += ["--mutants", "5", "--workers", "1", "--keep", {str(tmp_path)!r}]
sys.exit(model_files.main())
"""
    done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1, done.stderr
    found = ("crash: SIGABRT", "hang: more than ", "OSError at ?: not ours", "memory: ")
    for said in (*found, "1 loaded and answered everything, 4 failed"):
        assert said in done.stdout
    assert {path.name for path in tmp_path.iterdir()} == {f"seed0-{number}.unilid" for number in range(4)}
