"""``unilid train``: the model of the library, written whole, and a run that can be interrupted."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.commands import PATIENCE, on_terminal, posix, run, start
from support.small_corpus import CORPUS, write_corpus

import unilid


def test_training_writes_the_model_that_the_library_makes(tmp_path: Path) -> None:
    corpus, output = write_corpus(tmp_path / "corpus.tsv"), tmp_path / "new.unilid"
    options = "--vocabulary 400 --context characters --order 3 --prune 0 --unseen additive --bound 5 --no-tune"
    done = run("train", corpus, "-o", output, *options.split(), "--cap", 5, "--seed", 3)
    assert done.returncode == 0, done.stderr
    expected = unilid.train(
        corpus,
        vocabulary=400,
        context="characters",
        order=3,
        prune=0.0,
        unseen="additive",
        bound=5.0,
        tune=False,
        cap=5,
        seed=3,
    )
    assert output.read_bytes() == expected.to_bytes()


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ([], {}),
        (["--bound", "none"], {"bound": None}),
        (["--context", "none"], {"context": None}),
        (["--prune", "none"], {"prune": None}),
        (["--fragments", "none"], {"fragments": None}),
        (["--spellings", "none"], {"spellings": None}),
        (["--spellings", "2"], {"spellings": 2.0}),
        (["--threads", "1"], {"threads": 2}),
    ],
)
def test_the_defaults_of_the_command_are_those_of_the_library(
    tmp_path: Path, arguments: list[str], options: dict[str, Any]
) -> None:
    corpus, output = write_corpus(tmp_path / "corpus.tsv"), tmp_path / "new.unilid"
    assert run("train", corpus, "-o", output, *arguments).returncode == 0
    assert output.read_bytes() == unilid.train(corpus, **options).to_bytes()


def test_a_corpus_can_be_several_files_with_fields_of_any_name(tmp_path: Path) -> None:
    rows = [{"lang": label, "body": text} for label, texts in CORPUS.items() for text in texts]
    for name, part in (("a.jsonl", rows[:9]), ("b.dat", rows[9:])):
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in part))
    fields = ["--text-field", "body", "--label-field", "lang"]
    done = run("train", "a.jsonl", "b.dat", "-o", "new.unilid", "--format", "jsonl", *fields, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "new.unilid").read_bytes() == unilid.train(CORPUS).to_bytes()


def test_a_tokenizer_file_can_give_the_vocabulary(tmp_path: Path) -> None:
    (tmp_path / "tiny.tiktoken").write_text("IHRoZQ== 0\n")  # " the"
    write_corpus(tmp_path / "corpus.tsv")
    done = run("train", "corpus.tsv", "-o", "new.unilid", "--vocabulary", "tiny.tiktoken", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    model = unilid.load(tmp_path / "new.unilid")
    assert len(model.vocabulary) == 257
    assert b" the" in model.vocabulary.tokens


def test_training_leaves_the_model_and_nothing_else(tmp_path: Path) -> None:
    corpus, output = write_corpus(tmp_path / "corpus.tsv"), tmp_path / "new.unilid"
    output.write_bytes(b"the model before")
    done = run("train", corpus, "-o", output)
    assert done.returncode == 0
    assert sorted(tmp_path.iterdir()) == [corpus, output]
    assert unilid.load(output).languages == ("deu", "ell", "eng")
    # Not a terminal: one line of text, no bars and no escape codes.
    assert done.stdout == b""
    size = output.stat().st_size
    tokens = len(unilid.load(output).vocabulary)
    assert done.stderr.decode() == f"{output}: 3 languages, {tokens} tokens, {size:,} bytes\n"


def test_a_model_is_replaced_only_by_a_finished_one(tmp_path: Path) -> None:
    corpus, output = write_corpus(tmp_path / "corpus.tsv"), tmp_path / "new.unilid"
    output.write_bytes(b"the model before")
    assert run("train", corpus, "-o", output, "--vocabulary", 3).returncode == 2
    assert output.read_bytes() == b"the model before"
    assert not list(tmp_path.glob(".*"))


@posix
def test_a_terminal_shows_the_stages(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus.tsv")
    arguments = ["train", corpus, "-o", tmp_path / "new.unilid", "--context", "characters"]
    shown = on_terminal(*arguments, stream="stderr", COLUMNS="100")
    stages = ["counting words", "learning the vocabulary", "estimating", "choosing constants", "learning contexts"]
    assert all(stage in shown for stage in stages)
    assert "\x1b[" in shown
    assert "3 languages" in shown


# ---- what is wrong


def test_a_missing_folder_is_found_out_before_the_work(tmp_path: Path) -> None:
    done = run("train", tmp_path / "no-corpus.tsv", "-o", tmp_path / "nowhere/new.unilid")
    assert done.returncode == 2
    assert b"there is no folder" in done.stderr
    assert b"no-corpus" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_training_on_an_empty_file_says_that_it_is_empty(folder: Path) -> None:
    done = run("train", "empty.txt", "-o", "new.unilid", cwd=folder)
    assert done.returncode == 2
    assert b"corpus is empty" in done.stderr
    assert b"Traceback" not in done.stderr


def test_a_negative_seed_is_named(folder: Path) -> None:
    done = run("train", "corpus.tsv", "-o", "new.unilid", "--cap", "3", "--seed=-1", cwd=folder)
    assert done.returncode == 2
    assert b"seed" in done.stderr
    assert b"Traceback" not in done.stderr


def test_a_file_in_the_place_of_the_work_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "new.unilid.work").write_text("something else")
    done = run("train", write_corpus(tmp_path / "corpus.tsv"), "-o", tmp_path / "new.unilid")
    assert done.returncode == 2
    assert b"new.unilid.work" in done.stderr
    assert b"Traceback" not in done.stderr


# ---- interrupted


def test_fresh_reuses_nothing(tmp_path: Path) -> None:
    corpus, output = write_corpus(tmp_path / "corpus.tsv"), tmp_path / "new.unilid"

    unilid.train(corpus, work=tmp_path / "new.unilid.work")
    assert b"reusing finished stage: counts" in run("train", corpus, "-o", output).stderr
    unilid.train(corpus, work=tmp_path / "new.unilid.work")
    assert b"reusing" not in run("train", corpus, "-o", output, "--fresh").stderr
    assert sorted(tmp_path.iterdir()) == [corpus, output]


@pytest.fixture(scope="module")
def large_corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """So many different words that learning a vocabulary takes seconds."""
    random = np.random.default_rng(0)
    path = tmp_path_factory.mktemp("large") / "large.tsv"
    with path.open("w") as file:
        for label, alphabet in (("aaa", "abcdefghijklm   "), ("bbb", "hijklmnopqrst   ")):
            letters = np.array(list(alphabet))[random.integers(0, len(alphabet), (20_000, 60))]
            file.writelines(f"{label}\t{''.join(line)}\n" for line in letters)
    return path


def wait_for(condition: Callable[[], Any], process: subprocess.Popen[bytes]) -> None:
    patience = time.monotonic() + PATIENCE
    while not condition():
        assert process.poll() is None, "it was over too soon"
        assert time.monotonic() < patience
        time.sleep(0.005)


@posix
def test_training_interrupted_by_ctrl_c_goes_on_when_started_again(tmp_path: Path, large_corpus: Path) -> None:
    output, work = tmp_path / "new.unilid", tmp_path / "new.unilid.work"
    output.write_bytes(b"the model before")
    arguments = ["train", large_corpus, "-o", output, "--context", "none", "--no-tune", "--threads", 1]
    process = start(*arguments, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    with process:
        wait_for(lambda: list(work.glob("counts-*.stage")), process)
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 130
        assert (process.stdout.read(), process.stderr.read()) == (b"", b"")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["new.unilid", "new.unilid.work"]
    assert output.read_bytes() == b"the model before"
    [stage] = work.iterdir()

    done = run(*arguments)
    assert (done.returncode, done.stdout) == (0, b"")
    said, summary = done.stderr.decode().splitlines()
    assert said == f"unilid: reusing finished stage: counts ({stage})"
    assert re.match(rf"{re.escape(str(output))}: 2 languages, \d+ tokens, [\d,]+ bytes", summary)
    assert list(tmp_path.iterdir()) == [output]
    assert unilid.load(output).lines.tolist() == [20_000, 20_000]


@posix
def test_ctrl_c_while_the_corpus_is_read_leaves_nothing(tmp_path: Path) -> None:
    pipe, output = tmp_path / "pipe", tmp_path / "new.unilid"
    os.mkfifo(pipe)
    process = start("train", pipe, "-o", output, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    with process, pipe.open("wb") as corpus:  # opened when the other side reads
        corpus.write(b"deu\tGuten Tag\n")
        corpus.flush()
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 130
        assert (process.stdout.read(), process.stderr.read()) == (b"", b"")
    assert list(tmp_path.iterdir()) == [pipe]
