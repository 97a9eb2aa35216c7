"""``unilid identify FOLDER -o FOLDER/``: one output for each input, and runs that go on where they were killed."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest
from support.commands import answers, posix, run, start
from support.small_corpus import ENGLISH, GERMAN, GREEK

LINES = [GERMAN, ENGLISH, GREEK]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A folder of files, some in another one."""
    folder = tmp_path / "corpus"
    (folder / "more").mkdir(parents=True)
    (folder / "a.txt").write_text(f"{GERMAN}\n{ENGLISH}\n")
    (folder / "b.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in LINES))
    (folder / "more" / "c.jsonl").write_text(json.dumps({"text": GREEK}) + "\n")
    (folder / "more" / "notes").write_text("not to be read")
    (folder / ".hidden.txt").write_text("nor this")
    return folder


def written(folder: Path) -> dict[str, bytes]:
    """The files of a folder but for what it says of itself."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != ".unilid.json")
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_each_file_of_a_folder_becomes_one(corpus: Path, path: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = run("identify", "-m", path, corpus, "-o", f"{out}/")
    assert (done.returncode, done.stdout, done.stderr.decode()) == (0, b"", f"{out}: 3 files, 6 records\n")
    files = written(out)
    assert sorted(files) == ["a.tsv", "b.jsonl", "more/c.jsonl"]
    assert files["a.tsv"].decode().splitlines() == answers("identify", "-m", path, corpus / "a.txt")
    assert files["b.jsonl"].decode().splitlines() == answers("identify", "-m", path, corpus / "b.jsonl")


def test_files_given_by_name_go_to_a_folder_that_is_there(corpus: Path, path: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    done = run("identify", "-m", path, corpus / "a.txt", corpus / "b.jsonl", "-o", tmp_path / "out", "--to", "jsonl")
    assert done.returncode == 0
    assert sorted(written(tmp_path / "out")) == ["a.jsonl", "b.jsonl"]


def test_a_folder_without_an_output_is_many_inputs(corpus: Path, path: Path) -> None:
    lines = answers("identify", "-m", path, corpus, "--to", "jsonl", "--keep")
    assert [Path(json.loads(line)["file"]).name for line in lines] == [*["a.txt"] * 2, *["b.jsonl"] * 3, "c.jsonl"]


def test_the_output_may_be_inside_the_input(corpus: Path, path: Path) -> None:
    for resume in ([], ["--resume"]):
        assert run("identify", "-m", path, corpus, "-o", f"{corpus / 'out'}/", *resume).returncode == 0
    assert sorted(written(corpus / "out")) == ["a.tsv", "b.jsonl", "more/c.jsonl"]


def test_rejected_records_have_a_folder_of_their_own(corpus: Path, path: Path, tmp_path: Path) -> None:
    out, rejected = tmp_path / "out", tmp_path / "rejected"
    asked = ("identify", "-m", path, corpus, "--filter", "de", "-o", f"{out}/", "--rejected", f"{rejected}/")
    assert run(*asked).returncode == 0
    assert sorted(written(out)) == sorted(written(rejected)) == ["a.tsv", "b.jsonl", "more/c.jsonl"]
    assert written(out)["more/c.jsonl"] == b""
    (rejected / "b.jsonl").unlink()
    assert b"1 file, 2 were there" in run(*asked, "--resume").stderr


def test_an_unreadable_file_is_named_and_the_others_go_on(corpus: Path, path: Path, tmp_path: Path) -> None:
    (corpus / "broken.parquet").write_bytes(b"no parquet")
    done = run("identify", "-m", path, corpus, "-o", f"{tmp_path / 'out'}/")
    assert done.returncode == 3
    first, last = done.stderr.decode().splitlines()
    assert first.startswith(f"unilid: {corpus / 'broken.parquet'}: cannot be read")
    assert last.endswith("out: 3 files, 1 cannot be read, 6 records")
    assert len(written(tmp_path / "out")) == 3


def test_a_field_that_is_there_already_stops_the_run_before_any_work(corpus: Path, path: Path, tmp_path: Path) -> None:
    (corpus / "more" / "c.jsonl").write_text(json.dumps({"text": GREEK, "label": "x"}))
    asked = ("identify", "-m", path, corpus, "-o", f"{tmp_path / 'out'}/")
    done = run(*asked)
    assert done.returncode == 2
    assert b"c.jsonl: has a field 'label' already; --prefix" in done.stderr
    assert written(tmp_path / "out") == {}
    assert run(*asked, "--prefix", "my_").returncode == 0


# ---- resuming


def test_finished_files_are_not_done_again(corpus: Path, path: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    asked = ("identify", "-m", path, corpus, "-o", f"{out}/")
    assert run(*asked, "--resume").returncode == 0  # there is nothing to go on with
    expected = written(out)
    (out / "b.jsonl").unlink()
    (out / ".b.jsonl.01234567.tmp").write_bytes(b"half")
    (out / "a.tsv").write_bytes(b"finished")
    done = run(*asked, "--resume")
    assert (done.returncode, done.stderr.decode()) == (0, f"{out}: 1 file, 2 were there, 3 records\n")
    assert written(out) == {**expected, "a.tsv": b"finished"}
    later = time.time() + 10
    os.utime(corpus / "a.txt", (later, later))  # changed since
    assert run(*asked, "--resume").returncode == 0
    assert written(out) == expected


def test_nothing_is_written_over_without_resume(corpus: Path, path: Path, tmp_path: Path) -> None:
    asked = ("identify", "-m", path, corpus, "-o", f"{tmp_path / 'out'}/")
    assert run(*asked).returncode == 0
    done = run(*asked)
    assert done.returncode == 2
    assert b"a.tsv: is there already; go on with --resume" in done.stderr


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--codes", "bcp47"], "codes 'label', and this run has 'bcp47'"),
        (["--keep"], "keep None, and this run has True"),
        (["-m", "compact"], "another model"),
        (["--filter", "de"], "filter None, and this run has 'de'"),
    ],
)
def test_a_run_with_other_options_does_not_go_on(
    corpus: Path, path: Path, tmp_path: Path, options: list[str], named: str
) -> None:
    asked = ("identify", "-m", path, corpus, "-o", f"{tmp_path / 'out'}/")
    assert run(*asked).returncode == 0
    before = written(tmp_path / "out")
    done = run(*asked, *options, "--resume")
    assert done.returncode == 2
    assert f"was begun with {named}" in done.stderr.decode()
    assert written(tmp_path / "out") == before
    assert run(*asked, "--threads", 1, "--resume").returncode == 0  # answers are the same


def test_files_of_unknown_origin_are_not_taken_for_finished(corpus: Path, path: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a.tsv").write_text("mine")
    done = run("identify", "-m", path, corpus, "-o", tmp_path / "out", "--resume")
    assert done.returncode == 2
    assert b"nothing says what its files were made with" in done.stderr
    assert written(tmp_path / "out") == {"a.tsv": b"mine"}


def test_a_bad_record_stops_a_strict_run_before_its_file_is_finished(corpus: Path, path: Path, tmp_path: Path) -> None:
    with (corpus / "b.jsonl").open("a") as file:
        file.write("{\n")
    asked = ("identify", "-m", path, corpus, "-o", f"{tmp_path / 'out'}/", "--strict")
    done = run(*asked)
    assert done.returncode == 2
    assert b"b.jsonl:4: not JSON" in done.stderr
    assert sorted(written(tmp_path / "out")) == ["a.tsv"]


@posix
def test_a_killed_run_goes_on_and_ends_as_an_undisturbed_one_does(path: Path, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    random.seed(1)
    for number in range(12):
        texts = [" ".join(random.choices(LINES, k=3)) for _ in range(3000)]
        (corpus / f"{number:02}.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    asked = ("identify", "-m", path, corpus, "--threads", 1)
    assert run(*asked, "-o", f"{tmp_path / 'whole'}/").returncode == 0
    killed = 0
    for _ in range(4):
        process = start(*asked, "-o", f"{tmp_path / 'out'}/", "--resume", stdout=subprocess.DEVNULL)
        there = len([*(tmp_path / "out").glob("*.jsonl")])
        while process.poll() is None and len([*(tmp_path / "out").glob("*.jsonl")]) < there + 2:
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        killed += process.returncode == -signal.SIGKILL
    assert killed > 1
    assert run(*asked, "-o", f"{tmp_path / 'out'}/", "--resume").returncode == 0
    assert written(tmp_path / "out") == written(tmp_path / "whole")
