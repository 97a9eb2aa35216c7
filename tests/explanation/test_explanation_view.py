"""Explanations to look at: as text, on a terminal, in a notebook."""

from __future__ import annotations

import subprocess
import sys
from io import StringIO

import pytest
from rich.console import Console
from support.corpora import SENTENCES
from support.explained import NORWEGIAN, html_of
from support.models import small_model

from unilid.explanation import view


def test_html_in_a_text_is_text() -> None:
    text = '<script>alert("x")</script> & <img src=x onerror=y>'
    fragment = html_of(small_model().explain(text))
    assert text in fragment.content


def test_html_has_the_words_and_what_they_say() -> None:
    explanation = small_model().explain(NORWEGIAN)
    content = html_of(explanation).content
    assert NORWEGIAN in content
    assert f"{explanation.deciding[0].difference:+.1f}" in content
    assert "bounding words" in content


def test_text_has_the_words_that_decide_first_and_what_would_have_been_said() -> None:
    lines = str(small_model().explain(NORWEGIAN)).splitlines()
    assert lines[0].startswith("Norwegian Bokmål (nob) rather than Danish (dan): ahead by ")
    [header] = [number for number, line in enumerate(lines) if line.startswith("nats")]
    assert lines[header + 1].split()[1:3] == ["seint", "nob"]
    assert lines[header + 2].split()[0] == "dan"
    assert any(line.startswith("bounding words") for line in lines)


def test_what_would_command_a_terminal_is_written_out() -> None:
    shown = str(small_model().explain("\x1b[31mred\x07 \u202ebidi [bold]x[/bold]"))
    assert "\x1b" not in shown
    assert "\\x1b" in shown
    assert "\u202e" not in shown
    assert "[bold]" in shown


def test_a_terminal_has_colours_and_a_narrow_one_fewer_columns() -> None:
    def printed(width: int) -> str:
        console = Console(file=StringIO(), width=width, force_terminal=True, color_system="standard")
        console.print(small_model().explain(NORWEGIAN))
        return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]

    assert "\x1b[32m" in printed(120)
    assert "tokens" in printed(120)
    assert "tokens (" not in printed(90)


def test_of_a_long_text_the_words_that_decide_are_shown_and_the_others_added_up() -> None:
    explanation = small_model().explain(" ".join(SENTENCES * 20))
    rows = view.text(explanation).splitlines()
    [more] = [row for row in rows if " more)" in row]
    assert float(more.split()[0]) == pytest.approx(
        sum(word.difference for word in explanation.deciding[view._WORDS :]), abs=0.06
    )
    assert len(rows) < 200
    assert len(explanation._repr_html_()) < 200_000


def test_importing_unilid_does_not_import_what_shows_explanations() -> None:
    code = "import sys, unilid.model; print([m for m in sys.modules if m.split('.')[0] == 'rich' or 'explan' in m])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
