"""``unilid explain``."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from support import commands
from support.commands import on_terminal, posix
from support.explained import DANISH, NORWEGIAN
from support.models import small_model


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    written = tmp_path_factory.mktemp("explain") / "small.unilid"
    small_model().save(written)
    return written


def run(*arguments: object, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return commands.run("explain", *arguments, stdin=stdin)


def test_the_command_writes_text_json_and_html(path: Path) -> None:
    expected = small_model().explain(DANISH, instead="eng", prior={"dan": 0.5})
    asked = ["-m", path, "--instead", "en", "--prior", "dan=0.5", DANISH]
    done = run(*asked)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode() == f"{expected}\n"
    assert json.loads(run(*asked, "--to", "jsonl").stdout) == expected.record()
    assert run(*asked, "--to", "html").stdout.decode() == expected._repr_html_() + "\n"


def test_the_command_takes_texts_in_three_ways(path: Path) -> None:
    def languages(*arguments: str, stdin: bytes = b"") -> list[tuple[str, str]]:
        done = run("-m", path, "--to", "jsonl", *arguments, stdin=stdin)
        assert (done.returncode, done.stderr) == (0, b"")
        records = [json.loads(line) for line in done.stdout.splitlines()]
        return [(record["text"], record["language"]) for record in records]

    both = [(DANISH, "dan"), (NORWEGIAN, "nob")]
    assert languages(DANISH, NORWEGIAN) == both
    assert languages("-t", DANISH, "-t", NORWEGIAN) == both
    assert languages(stdin=f"{DANISH}\n{NORWEGIAN}\n".encode()) == both
    assert languages(stdin=b"\xff\x00 sent\n\n") == [("\\xff\x00 sent", "dan"), ("", None)]


def test_the_command_says_in_one_sentence_what_is_wrong(path: Path) -> None:
    done = run("-m", path, "--instead", "xyz", DANISH)
    assert (done.returncode, done.stdout) == (2, b"")
    assert re.fullmatch(rb"unilid: the model does not know the language 'xyz'.*\n", done.stderr)


@posix
def test_a_terminal_gets_colours_and_a_pipe_does_not(path: Path) -> None:
    assert "\x1b[1;32mseint" in on_terminal("explain", "-m", path, "seint")
    assert b"\x1b" not in run("-m", path, "seint").stdout
