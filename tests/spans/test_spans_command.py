"""``unilid spans``."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeAlias

import pytest
from support import commands
from support.commands import on_terminal, posix

import unilid
from unilid.cli import main as cli

GERMAN = "Der alte Mann wohnt am Ende der langen Straße."
RUSSIAN = "Сегодня утром мы долго ждали автобуса на остановке."
Run: TypeAlias = Callable[..., subprocess.CompletedProcess[bytes]]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("spans") / "small.unilid"
    unilid.load().subset(["deu_Latn", "eng_Latn", "rus_Cyrl"]).save(file)
    return file


@pytest.fixture
def run(path: Path) -> Run:
    return partial(commands.run, "spans", "-m", path)


def test_the_command_writes_a_line_for_each_span(run: Run, tmp_path: Path) -> None:
    text = f"{GERMAN}\r\n\t{RUSSIAN}\n"
    (tmp_path / "text.txt").write_bytes(text.encode())
    end = text.index(RUSSIAN)
    for done in (run(tmp_path / "text.txt"), run(stdin=text.encode())):
        assert done.stderr == b""
        rows = [line.split("\t") for line in done.stdout.decode().splitlines()]
        assert [(row[:3], row[4]) for row in rows] == [
            (["0", str(end), "deu_Latn"], f"{GERMAN}   "),
            ([str(end), str(len(text)), "rus_Cyrl"], f"{RUSSIAN} "),
        ]
        assert all(0.9 < float(row[3]) <= 1 for row in rows)


def test_the_command_writes_json(run: Run) -> None:
    done = run("-t", f"{RUSSIAN} {GERMAN}", "--to", "jsonl", "--bytes", "--switch", "20", "--least", "5", "--most", "2")
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert [record["label"] for record in records] == ["rus_Cyrl", "deu_Latn"]
    assert records[1]["start"] == len(RUSSIAN.encode()) + 1
    assert records[1]["text"] == GERMAN
    assert set(records[0]) == {"start", "end", "label", "probability", "letters", "text"}


@pytest.mark.parametrize(("codes", "written"), {"bcp47": ["ru", "de"], "macro": ["rus", "deu"]}.items())
def test_labels_are_written_as_codes(run: Run, codes: str, written: list[str]) -> None:
    asked = ("-t", f"{RUSSIAN} {GERMAN} http://example.com/123/456/index.html", "--codes", codes)
    lines = run(*asked).stdout.decode().splitlines()
    assert [line.split("\t")[2] for line in lines] == [*written, "zxx"]
    assert [json.loads(line)["label"] for line in run(*asked, "--to", "jsonl").stdout.splitlines()] == [*written, "zxx"]
    legend = run(*asked, "--to", "colours").stdout.decode().splitlines()[-3:]
    assert sorted(line.split()[0] for line in legend) == sorted([*written, "zxx"])


def test_bytes_that_are_no_utf8_come_out_as_they_went_in(run: Run) -> None:
    data = b"caf\xe9 \xff\xfe " + GERMAN.encode()
    assert run(stdin=data).stdout.rstrip(b"\n").endswith(data)
    assert run("--bytes", stdin=data).stdout.startswith(b"0\t%d\t" % len(data))
    assert json.loads(run("--to", "jsonl", stdin=data).stdout)["text"].startswith("caf\ufffd")


def test_of_an_empty_text_nothing_is_written(run: Run) -> None:
    for form in ("colours", "tsv", "jsonl"):
        assert run("--to", form, stdin=b"").stdout == b""


def test_colours_come_with_a_legend_and_control_characters_are_shown(run: Run) -> None:
    shown = run("--to", "colours", stdin=f"{GERMAN}\x1b[31m {RUSSIAN} {'=' * 20}".encode()).stdout.decode()
    assert f"{GERMAN}\ufffd[31m {RUSSIAN}" in shown
    legend = [line.split() for line in shown.splitlines()[2:]]
    assert [row[:2] for row in legend] == [["rus_Cyrl", "Russian"], ["deu_Latn", "German"], ["zxx", "no"]]
    assert "\x1b" not in shown


@posix
def test_a_terminal_gets_colours(path: Path) -> None:
    shown = on_terminal("spans", "-m", path, "-t", f"{GERMAN} {RUSSIAN}", TERM="xterm-256color")
    assert "\x1b[" in shown
    assert "German" in shown


def test_the_command_says_what_is_wrong(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, message in {
        ("-t", "a", "b"): "not both",
        ("no such file",): "there is no file 'no such file'; to ask about a text, give it with -t",
        ("nofile.txt",): "nofile.txt: cannot be read",
        ("-t", "a", "--switch", "-1"): "switch must be",
        ("-t", "a", "-l", "xyzzy"): "xyzzy",
    }.items():
        assert cli.main(["spans", "-m", str(path), *arguments]) == 2
        out, error = capsys.readouterr()
        assert out == ""
        assert message in error
        assert len(error.splitlines()) == 1
