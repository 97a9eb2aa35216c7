"""The fuzzer of model files: a short run with a fixed seed."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

from support.fuzzing import FOLDER, attack, watched


@watched
def test_mutants_of_model_files_are_refused_or_answer_everything(tmp_path: Path) -> None:
    assert "300 mutants of 11 models, seed 0: " in attack("model_files.py", 300, tmp_path)


@watched
def test_a_seed_and_a_number_give_the_same_mutant() -> None:
    program = f"""
import sys
sys.path.insert(0, {str(FOLDER)!r})
import hashlib, model_mutations
print(hashlib.sha256(b"".join(model_mutations.mutant(7, number)[0] for number in range(20))).hexdigest())
"""
    outputs = {
        subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True, timeout=120).stdout
        for _ in range(2)
    }
    assert len(outputs) == 1
    assert len(outputs.pop().strip()) == hashlib.sha256().digest_size * 2


@watched
def test_what_crashes_hangs_grows_or_raises_is_found_and_kept(tmp_path: Path) -> None:
    program = f"""
import sys
sys.path.insert(0, {str(FOLDER)!r})
import os, model_files, model_mutations, questions, small_models, watching
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
questions.ask_everything, model_mutations.mutant = ask, mutant
sys.argv += ["--count", "5", "--workers", "1", "--keep", {str(tmp_path)!r}]
sys.exit(model_files.main())
"""
    done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1, done.stderr
    found = ("crash: SIGABRT", "hang: more than ", "OSError at ?: not ours", "memory: ")
    for said in (*found, "1 loaded and answered everything, 4 failed"):
        assert said in done.stdout
    assert {path.name for path in tmp_path.iterdir()} == {f"seed0-{number}.unilid" for number in range(4)}
