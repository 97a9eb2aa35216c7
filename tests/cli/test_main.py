"""The command itself: its help, its exit status, signals, streams that are closed."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import sysconfig
from importlib.metadata import version
from pathlib import Path

import pytest
from support.commands import ENVIRONMENT, MODULE, PATIENCE, answers, labels, posix, run, start
from support.small_corpus import ENGLISH, GERMAN, GREEK, write_corpus

import unilid
from unilid.cli import main as cli

SCRIPT = shutil.which("unilid", path=sysconfig.get_path("scripts"))


def test_the_installed_command_is_this_command() -> None:
    assert SCRIPT is not None
    done = subprocess.run([SCRIPT, "--version"], capture_output=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stdout.decode(), done.stderr) == (0, f"unilid {version('unilid')}\n", b"")


def commands() -> dict[str, argparse.ArgumentParser]:
    [action] = [a for a in cli.parser()._actions if isinstance(a, argparse._SubParsersAction)]
    return dict(action.choices)


def test_help_lists_every_verb() -> None:
    shown = "\n".join(answers("--help"))
    verbs = "identify explain spans train calibrate evaluate add subset export languages info serve completion"
    assert list(commands()) == verbs.split()
    for verb in commands():
        assert re.search(rf"^ +{verb}\s+\w", shown, re.MULTILINE)


@pytest.mark.parametrize("verb", commands())
def test_every_example_runs_as_shown(tmp_path: Path, path: Path, verb: str) -> None:
    assert SCRIPT is not None
    shown = "\n".join(answers(verb, "--help"))
    epilog = commands()[verb].epilog or ""
    example = epilog.removeprefix("example: ")
    assert example != epilog
    assert " ".join(epilog.split()) in " ".join(shown.split())
    if verb == "serve":  # until somebody ends it: tests/serve runs it
        assert commands()[verb].parse_args(example.split()[2:]).port == 8000
        return

    write_corpus(tmp_path / "corpus.tsv")
    for name in ("more.tsv", "test.tsv"):
        write_corpus(tmp_path / name, {"deu": [GERMAN], "eng": [ENGLISH], "ell": [GREEK]})
    (tmp_path / "lines.txt").write_text("mi wile moku e kili\njan li toki e ijo\n")
    shutil.copy(path, tmp_path / "my.unilid")
    before = {file.name for file in tmp_path.iterdir()}
    environment = {**ENVIRONMENT, "PATH": f"{Path(SCRIPT).parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        example,
        shell=True,
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    written = re.findall(r"(?:-o|--hub|--html|>) (\S+)", example)
    assert {file.name for file in tmp_path.iterdir()} == before.union(written)
    if verb in ("identify", "explain", "spans", "languages", "info", "evaluate"):
        assert done.stdout
        assert not done.stderr
    elif verb == "completion":
        assert (tmp_path / written[0]).stat().st_size
    else:
        [output] = written
        assert unilid.load(tmp_path / output).languages


def test_no_verb_and_an_unknown_verb_are_misuse() -> None:
    for arguments in ([], ["translate"]):
        done = run(*arguments)
        assert (done.returncode, done.stdout) == (2, b"")
        assert done.stderr.startswith(b"usage: unilid")


# ---- streams that are full or closed


@posix
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full disk at hand")
@pytest.mark.parametrize("command", ["identify", "info"])
def test_output_that_cannot_be_written_is_said(command: str, path: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        arguments = ["identify", "-m", str(path), "-t", GERMAN] if command == "identify" else ["info", "-m", str(path)]
        done = subprocess.run(
            [*MODULE, *arguments], stdout=full, stderr=subprocess.PIPE, env=ENVIRONMENT, timeout=PATIENCE, check=False
        )
    assert done.returncode not in (0, 120)
    assert b"No space left" in done.stderr
    assert b"Traceback" not in done.stderr


def test_what_was_written_before_an_error_is_not_lost() -> None:
    program = "from unilid.cli import main as cli; cli.main = lambda: print('answer') or 2; cli.script()"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (2, "answer\n", "")


@posix
def test_where_standard_error_is_closed_no_message_stands_among_the_answers(tmp_path: Path, path: Path) -> None:
    command = [*MODULE, "identify", "-m", str(path), str(tmp_path / "nowhere.txt")]
    done = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        preexec_fn=lambda: os.close(2),
        env=ENVIRONMENT,
        timeout=PATIENCE,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, b"")


# ---- the reader goes away, the user interrupts


@pytest.fixture(scope="module")
def many_lines(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("lines") / "many.txt"
    path.write_text(f"{GERMAN}\n{ENGLISH}\n" * 50_000)
    return path


@posix
def test_a_reader_that_has_enough_ends_the_command_quietly(path: Path, many_lines: Path) -> None:
    process = start("identify", "-m", path, many_lines, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    with process:
        assert process.stdout.readline().startswith(b"deu\t")
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(PATIENCE) == 0


@posix
def test_head_ends_the_command_quietly(path: Path, many_lines: Path) -> None:
    command = f"{shlex.join([*MODULE, 'identify', '-m', str(path), str(many_lines)])} | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, env=ENVIRONMENT, timeout=PATIENCE, check=False)
    assert labels(done.stdout.decode().splitlines()) == ["deu"]
    assert done.stderr == b""


@posix
def test_ctrl_c_while_waiting_for_input_ends_the_command_quietly(path: Path) -> None:
    process = start("identify", "-m", path, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    with process:
        process.stdin.write(f"{GREEK}\n".encode())
        process.stdin.flush()
        assert process.stdout.readline().startswith(b"ell\t")  # it is past its imports, and waits
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 130
        assert (process.stdout.read(), process.stderr.read()) == (b"", b"")
