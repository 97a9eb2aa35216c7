"""Shells complete the command line with the scripts that are written for them."""

from __future__ import annotations

import argparse
import shutil
import subprocess
from pathlib import Path

import pytest
from support.commands import PATIENCE

from unilid.cli import main as cli
from unilid.cli.completion import SHELLS, script

LABELS = ["deu_Latn", "ell_Grek", "ell_Latn"]


def completions(line: str, folder: Path) -> list[str]:
    """What bash offers for the last word of a line."""
    words = line.split(" ")
    (folder / "script.bash").write_text(script("bash", cli.parser()))
    program = f"""
        compopt() {{ :; }}  # is for a shell that reads from a keyboard
        unilid() {{ printf '%s\tname\n' label {" ".join(LABELS)}; echo asked >> asked; }}
        source script.bash
        COMP_WORDS=("$@"); COMP_CWORD={len(words) - 1}
        _unilid
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(
        ["bash", "-c", program, "bash", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.stderr == ""
    return done.stdout.split()


needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")


@needs_bash
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("unilid inf", ["info"]),
        ("unilid --v", ["--version"]),
        ("unilid identify --lang", ["--languages"]),
        ("unilid identify --no-c", ["--no-calibrated"]),
        ("unilid identify --to ", ["table", "tsv", "jsonl", "parquet"]),
        ("unilid identify --filter deu_Latn,ell_G", ["deu_Latn,ell_Grek"]),
        ("unilid identify --codes ", ["label", "bcp47", "iso639_1", "macro"]),
        ("unilid spans --codes b", ["bcp47"]),
        ("unilid train corpus.tsv --context ch", ["characters"]),
        ("unilid identify -l el", ["ell_Grek", "ell_Latn"]),
        ("unilid identify --languages deu_Latn,ell_G", ["deu_Latn,ell_Grek"]),
        ("unilid subset deu_Latn ell_L", ["ell_Latn"]),
        ("unilid completion ", ["bash", "zsh", "fish"]),
        ("unilid identify ", []),  # files: bash's own
        ("unilid info -m ", []),
        ("unilid nonsense ", []),
    ],
)
def test_bash_completes(tmp_path: Path, line: str, expected: list[str]) -> None:
    assert completions(line, tmp_path) == expected


@needs_bash
def test_labels_are_asked_for_where_they_are_needed_alone(tmp_path: Path) -> None:
    completions("unilid identify --to ", tmp_path)
    assert not (tmp_path / "asked").exists()
    completions("unilid identify -l d", tmp_path)
    assert (tmp_path / "asked").read_text() == "asked\n"


@needs_bash
def test_bash_completes_every_verb_and_every_option(tmp_path: Path) -> None:
    [action] = [a for a in cli.parser()._actions if isinstance(a, argparse._SubParsersAction)]
    assert completions("unilid ", tmp_path) == [*action.choices, "--help", "--version"]
    for verb, command in action.choices.items():
        options = [flag for a in command._actions for flag in a.option_strings]
        assert completions(f"unilid {verb} -", tmp_path) == options


@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_understands_its_script(tmp_path: Path, shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell}")
    odd = argparse.ArgumentParser(prog="unilid")
    command = odd.add_subparsers().add_parser("verb", help="it's a [test]: \\ $HOME `date` 100 %%")
    command.add_argument("-x", "--extra", choices=("a", "b"), help='one\'s [own]: \\ "$HOME" `date`')
    for number, parser in enumerate((cli.parser(), odd)):
        path = tmp_path / f"{number}.{shell}"
        path.write_text(script(shell, parser))
        done = subprocess.run([shell, "-n", path], capture_output=True, text=True, timeout=PATIENCE, check=False)
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("shell", SHELLS)
def test_every_script_names_every_verb(shell: str) -> None:
    written = script(shell, cli.parser())
    [action] = [a for a in cli.parser()._actions if isinstance(a, argparse._SubParsersAction)]
    assert all(word in written for word in (*action.choices, "macrolanguages", "calibrated"))
