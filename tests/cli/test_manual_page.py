"""The manual page says what the help says, and is sound."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.commands import PATIENCE
from support.libraries import program

from unilid.cli import main as cli

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/unilid.1"


def rendered(width: int = 100) -> tuple[str, str]:
    """What a reader sees, as plain text, and what the formatter complains of."""
    done = subprocess.run(
        [program("groff"), "-man", "-Tutf8", "-ww", f"-rLL={width}n", "-P-cbou", str(PAGE)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
    )
    assert done.returncode == 0
    return done.stdout, done.stderr


def test_it_is_what_the_program_writes(tmp_path: Path) -> None:
    subprocess.run([sys.executable, ROOT / "tools/make_man.py", tmp_path / "unilid.1"], check=True, timeout=PATIENCE)
    assert (tmp_path / "unilid.1").read_text() == PAGE.read_text(), "run `python tools/make_man.py`"


@pytest.mark.parametrize("width", [60, 80, 120])
def test_it_renders_without_a_warning(width: int) -> None:
    assert rendered(width=width)[1] == ""


def test_every_verb_and_option_is_explained() -> None:
    shown = rendered()[0]
    [commands] = [action for action in cli.parser()._actions if isinstance(action, argparse._SubParsersAction)]
    parts = re.split(r"^   (\w+)$", shown[shown.index("\nCOMMANDS") :], flags=re.M)[1:]
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
    assert list(sections) == list(commands.choices)
    for verb, command in commands.choices.items():
        for flag in (flag for action in command._actions for flag in action.option_strings):
            assert flag in {"-h", "--help"} or re.search(rf"^ +(-.*, )?{flag}\b", sections[verb], re.M), (verb, flag)
        assert f"unilid {verb}" in sections[verb].partition("Example:")[2]


def test_quotes_and_hyphens_can_be_typed_as_they_are_shown() -> None:
    """A typographic hyphen or quote, copied into a shell, is another character."""
    shown = rendered()[0].replace("‐\n", "\n")  # where a word is broken
    assert not set("‐−‘’“”") & set(shown)
