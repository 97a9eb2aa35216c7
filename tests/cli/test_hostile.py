"""Names, content and models that were made to harm: a command ends with its output or with one sentence."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from support.commands import ENVIRONMENT, MODULE, PATIENCE, answers, on_terminal, posix, run
from support.small_corpus import CORPUS, write_corpus

from unilid import Model
from unilid.cli import main as cli
from unilid.display import is_shown

STEERING = "\x1b[2J\x1b]0;x\x07\u202e\u2066"
NOT_UTF8 = "caf\udce9"
"""A name as Python reads it from bytes that are not UTF-8."""


def failure(*arguments: object, cwd: Path | None = None) -> str:
    """Run a command that must fail, and return the sentence that it says."""
    done = run(*arguments, cwd=cwd)
    assert done.returncode == 2
    [line] = done.stderr.decode().splitlines()
    assert all(map(is_shown, line))
    assert line.startswith("unilid: ")
    return line


@pytest.fixture
def place(tmp_path: Path, path: Path) -> Iterator[Path]:
    write_corpus(tmp_path / "corpus.tsv")
    shutil.copy(path, tmp_path / "my.unilid")
    yield tmp_path
    shutil.rmtree(os.fsencode(tmp_path))  # pytest cannot show such names


# ---- names


@posix
def test_a_tokenizer_file_may_have_any_name(place: Path) -> None:
    tokens = {"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": []}}
    (place / f"{NOT_UTF8}.json").write_text(json.dumps(tokens))
    done = run("train", "corpus.tsv", "--vocabulary", f"{NOT_UTF8}.json", "-o", f"{NOT_UTF8}.unilid", cwd=place)
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr.decode().startswith(r"caf\xe9.unilid: 3 languages")
    assert r"vocabulary" "\t" r"caf\xe9.json" in answers("info", "-m", f"{NOT_UTF8}.unilid", cwd=place)
    [line] = answers("info", "-m", f"{NOT_UTF8}.unilid", "--to", "jsonl", cwd=place)
    assert Path(json.loads(line)["path"]).name == f"{NOT_UTF8}.unilid"


@posix
def test_what_is_evaluated_may_have_any_name(place: Path) -> None:
    shutil.copy(place / "corpus.tsv", place / f"{NOT_UTF8}\n.tsv")
    for form in ("html", "markdown", "json"):
        answers("evaluate", f"{NOT_UTF8}\n.tsv", "-m", "my.unilid", f"--{form}", f"{NOT_UTF8}.{form}", cwd=place)
    title = r"my.unilid on caf\xe9\n.tsv"
    assert f"<title>{title}</title>" in (place / f"{NOT_UTF8}.html").read_text(encoding="utf-8")
    first = (place / f"{NOT_UTF8}.markdown").read_text(encoding="utf-8").splitlines()[0]
    assert first == "# " + title.replace("\\", "\\\\")


@posix
@pytest.mark.parametrize("name", [f"{NOT_UTF8}.tsv", f"a\n{STEERING}.tsv"], ids=ascii)
def test_a_message_shows_any_name(place: Path, name: str) -> None:
    (place / name).write_bytes(b"no tab\n")
    assert ":1: no tab" in failure("train", name, "-o", "new.unilid", cwd=place)
    assert "not a unilid model" in failure("info", "-m", name, cwd=place)
    assert "cannot be read" in failure("identify", "-m", "my.unilid", f"nowhere-{name}", cwd=place)
    assert "there is no folder" in failure("train", "corpus.tsv", "-o", f"{name}/x/y", cwd=place)


def test_a_message_shows_what_it_quotes_and_is_short(place: Path) -> None:
    (place / "a.tsv").write_text(f"{STEERING}\ttext\n")
    assert r"\x1b[2J" in failure("train", "a.tsv", "-o", "new.unilid", cwd=place)
    (place / "a.tsv").write_text(f"deu\ttext\n{'x ' * 100_000}\ttext\n")
    assert len(failure("train", "a.tsv", "-o", "new.unilid", cwd=place)) < 3000


def test_misuse_shows_what_was_written(place: Path) -> None:
    done = run("identify", "--threads", STEERING, STEERING, cwd=place)
    assert done.returncode == 2
    assert all(is_shown(character) or character == "\n" for character in done.stderr.decode())


# ---- content


@posix
def test_answers_of_any_system_cannot_steer_the_terminal(place: Path) -> None:
    label = json.dumps({"label": f"{STEERING}|<b>\n│ forged │\ud800"})
    (place / "said.jsonl").write_text(f"{label}\n" * 18)
    arguments = ["evaluate", place / "corpus.tsv", "--predictions", place / "said.jsonl"]
    shown = on_terminal(*arguments, "--markdown", place / "r.md", NO_COLOR="1", TERM="dumb")
    assert r"\x1b[2J" in shown
    assert not re.search("[\x1b\x07\u202e\u2066]|^│ forged", shown, re.MULTILINE)
    written = (place / "r.md").read_text(encoding="utf-8")
    assert all(is_shown(character) or character == "\n" for character in written)
    assert r"\|\<b>" in written


@posix
@pytest.mark.parametrize("output", ["table", "tsv"])
def test_what_a_model_says_of_itself_cannot_steer_the_terminal(place: Path, model: Model, output: str) -> None:
    nested: object = 1
    for _ in range(50):
        nested = {STEERING: [nested]}
    said = {f"{STEERING}\nlanguages\t99": f"{STEERING}\nforged\t1", "deep": nested, "labels": [STEERING], "x": [1, {}]}
    replace(model, info=said).save(place / "hostile.unilid")
    for verb in ("info", "languages"):
        shown = "\n".join(answers(verb, "-m", place / "hostile.unilid", "--to", output))
        assert all(is_shown(character) or character in "\n\t" for character in shown)
        assert not re.search("^(forged|languages\t99)", shown, re.MULTILINE)


@pytest.mark.parametrize("about", [5, [1], {"deu": 5}, {"deu": {"f1": "high", "sources": 5}}, {"deu": {"f1": [1]}}])
def test_what_a_model_says_of_its_labels_may_be_anything(place: Path, model: Model, about: object) -> None:
    replace(model, info={"labels": about}).save(place / "odd.unilid")
    for output in ("table", "tsv", "jsonl"):
        assert any("deu" in line for line in answers("languages", "-m", place / "odd.unilid", "--to", output))


def test_json_numbers_do_not_come_out_as_what_is_no_json(place: Path) -> None:
    (place / "a.jsonl").write_text('{"text": "Guten Tag", "n": 1e999}\n')
    command = ["identify", "-m", "my.unilid", "a.jsonl", "--strict"]
    assert "a.jsonl:1: not JSON: 1e999 is not a number" in failure(*command, cwd=place)


def test_a_language_is_named_once_in_a_prior(place: Path) -> None:
    (place / "a.txt").write_text("Guten Tag\n")
    for prior in ("deu=.4,deu=.5", "deu=.4,de=.5"):
        assert re.search("twice|again", failure("identify", "-m", "my.unilid", "--prior", prior, "a.txt", cwd=place))


# ---- files


@posix
def test_a_model_that_is_changed_in_place_stays_secret(place: Path) -> None:
    (place / "my.unilid").chmod(0o600)
    (place / "lines.txt").write_text("mi wile moku\n")
    run("add", "tok", "lines.txt", "-m", "my.unilid", "-o", "my.unilid", cwd=place)
    assert "languages\t4" in answers("info", "-m", "my.unilid", cwd=place)
    assert (place / "my.unilid").stat().st_mode & 0o777 == 0o600


@posix
def test_a_link_that_leads_nowhere_is_replaced_and_not_read(place: Path) -> None:
    (place / "loop").symlink_to("loop")
    assert "loop: cannot be read" in failure("identify", "-m", "my.unilid", "loop", cwd=place)
    assert run("subset", "deu", "-m", "my.unilid", "-o", "loop", cwd=place).returncode == 0
    assert "languages\t1" in answers("info", "-m", "loop", cwd=place)


@posix
def test_answers_may_come_through_a_pipe(place: Path) -> None:
    command = f"{sys.executable} -m unilid evaluate corpus.tsv --predictions <(cut -f1 corpus.tsv)"
    done = subprocess.run(["bash", "-c", command], capture_output=True, cwd=place, env=ENVIRONMENT, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "cannot be read: Is a directory" in failure("evaluate", "corpus.tsv", "--predictions", ".", cwd=place)


def test_no_report_is_written_over_what_it_reads(place: Path) -> None:
    (place / "said.tsv").write_text("".join(f"{label}\n" for label, lines in CORPUS.items() for _ in lines))
    for name, options in {"said.tsv": ["--predictions", "said.tsv"], "my.unilid": ["-m", "my.unilid"]}.items():
        message = failure("evaluate", "corpus.tsv", *options, "--json", name, cwd=place)
        assert f"{name}: is one of the files to read" in message


# ---- the end


@posix
@pytest.mark.parametrize("verb", ["evaluate", "languages", "info", "spans", "explain"])
def test_a_reader_that_has_gone_ends_every_command_quietly(place: Path, verb: str) -> None:
    more = {"evaluate": ["corpus.tsv"], "languages": ["--to", "table"], "spans": ["-t", "Guten Tag", "--to", "colours"]}
    words = [verb, *more.get(verb, ["Guten Tag"] if verb == "explain" else []), "-m", "my.unilid"]
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [*MODULE, *words],
        stdout=writer, stderr=subprocess.PIPE, cwd=place, env=ENVIRONMENT, timeout=PATIENCE, check=False,
    )  # fmt: skip
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


def ending(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: BaseException) -> str:
    def fail(_: object) -> None:
        raise error

    monkeypatch.setattr("unilid.cli.info.run", fail)
    assert cli.main(["info"]) == 2
    return capsys.readouterr().err


def test_memory_that_runs_out_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert re.fullmatch("unilid: there is not enough memory .*\n", ending(monkeypatch, capsys, MemoryError()))


def test_what_nobody_foresaw_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    message = ending(monkeypatch, capsys, ZeroDivisionError("division\nby zero"))
    assert re.fullmatch(r"unilid: .*ZeroDivisionError: division\\nby zero.*report.*UNILID_DEBUG=1.*\n", message)
    monkeypatch.setenv("UNILID_DEBUG", "1")
    shown = ending(monkeypatch, capsys, ZeroDivisionError("again"))
    assert shown.startswith("Traceback")
    assert shown.splitlines()[-1].startswith("unilid: ")


@posix
def test_a_line_that_no_memory_has_room_for_is_one_sentence(place: Path) -> None:
    with gzip.open(place / "bomb.txt.gz", "wb", compresslevel=1) as file:
        for _ in range(300):
            file.write(bytes(4 << 20))
    limit = 700 << 20  # bytes of memory, without what the program itself takes
    program = (
        "import resource, sys, unilid; from unilid.cli import main\n"
        "used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        f"resource.setrlimit(resource.RLIMIT_AS, (used + {limit}, used + {limit}))\n"
        "sys.exit(main.main(sys.argv[1:]))\n"
    )
    for verb in ("identify", "spans"):
        command = [sys.executable, "-c", program, verb, "-m", "my.unilid", "bomb.txt.gz"]
        done = subprocess.run(command, capture_output=True, cwd=place, env=ENVIRONMENT, timeout=PATIENCE, check=False)
        assert (done.returncode, done.stdout) == (2, b"")
        assert re.fullmatch(b"unilid: .*(memory|bytes).*\n", done.stderr)
