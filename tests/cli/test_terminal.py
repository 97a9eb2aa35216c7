"""What people see on a terminal."""

from __future__ import annotations

import os
import re
import select
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from support.commands import PATIENCE, answers, on_terminal, posix, start
from support.models import small_model

from unilid.cli import terminal
from unilid.decisions.answers import Prediction

ENGLISH = "The fisherman saw two foxes in the harbour."
GREEK = "Είδαμε δύο αλεπούδες στο λιμάνι."

texts = st.one_of(st.binary(), st.text().map(lambda text: text.encode("utf-8", "surrogatepass")), st.none())


@given(texts, st.integers(1, 200), st.floats(0, 1), st.sampled_from(["deu_Latn", "a label much longer", "語\x1b[2J"]))
def test_no_text_and_no_label_breaks_the_table(text: bytes | None, width: int, share: float, label: str) -> None:
    answers = [Prediction(label, share, -1.0), Prediction("und", share, -1.0, "unsure", label)]
    lines = terminal.Answers([label], width=width).lines(text, answers)
    assert len(lines) == 2
    for line in lines:
        assert all(c.isprintable() or c in "\u200c\u200d" for c in line)
        assert cell_len(line) <= max(width, 40)  # label, bar and probability are always there
        assert f"{share:.4f}" in line


@given(st.text(), st.integers(0, 30))
def test_a_text_is_cut_to_columns_and_not_to_characters(text: str, width: int) -> None:
    assert cell_len(terminal.shortened(text, width)) <= width
    assert cell_len(terminal.padded(text, width)) == width


def test_columns_stand_below_each_other_whatever_the_script() -> None:
    table = terminal.Answers(["jpn", "eng"], width=60)
    lines = [table.lines(b"x", [Prediction(label, 0.5, -1.0)])[0] for label in ("jpn", "eng", "語")]
    assert len({cell_len(line[: line.index("█")]) for line in lines}) == 1


def test_a_narrow_terminal_goes_without_names_and_then_without_texts() -> None:
    answer = [Prediction("deu_Latn", 1.0, -1.0)]
    wide, narrow, tiny = (terminal.Answers(["deu_Latn"], width=n).lines(b"Guten Tag", answer)[0] for n in (80, 46, 20))
    assert "German" in wide
    assert "Guten Tag" in wide
    assert "German" not in narrow
    assert "Guten Tag" in narrow
    assert tiny == "deu_Latn  ██████████  1.0000"


@given(st.floats(0, 1), st.floats(0, 1), st.integers(1, 20))
def test_a_longer_bar_is_a_larger_share(a: float, b: float, width: int) -> None:
    def eighths(bar: str) -> int:
        return sum("▏▎▍▌▋▊▉█".find(c) + 1 for c in bar)

    a, b = sorted((a, b))
    assert eighths(terminal.bar(a, width)) <= eighths(terminal.bar(b, width))
    assert len(terminal.bar(a, width)) == width


# ---- the command on a terminal


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "my.unilid"
    small_model().save(path)
    return path


@posix
def test_a_terminal_gets_names_and_bars(path: Path) -> None:
    lines = on_terminal("identify", "-m", path, stdin=f"{ENGLISH}\n\n{GREEK}\n".encode(), NO_COLOR="1").splitlines()
    assert [line.split()[:2] for line in lines] == [["eng", "English"], ["zxx", "(empty)"], ["ell", "Modern"]]
    assert all("█" in line for line in lines)
    assert lines[2].endswith(GREEK)
    coloured = on_terminal("identify", "-m", path, stdin=f"{ENGLISH}\n".encode()).splitlines()
    assert re.sub(r"\x1b\[\d+m", "", coloured[0]) == lines[0] != coloured[0]


@posix
def test_each_of_the_best_languages_has_a_bar(path: Path) -> None:
    first, second, third = on_terminal("identify", "-m", path, "-k", 3, "-t", ENGLISH, NO_COLOR="1").splitlines()
    assert ENGLISH[:20] in first
    assert ENGLISH[:20] not in second + third
    shares = [float(line.split()[-1]) for line in (second, third)]
    assert shares == sorted(shares, reverse=True)


@posix
@pytest.mark.parametrize("output", ["tsv", "jsonl"])
def test_a_format_that_is_asked_for_is_written_to_a_terminal_too(path: Path, output: str) -> None:
    arguments = ["identify", "-m", path, "-t", ENGLISH, "--to", output]
    assert on_terminal(*arguments).splitlines() == answers(*arguments)


@posix
def test_a_terminal_does_not_wait_for_the_end_of_the_input(path: Path) -> None:
    import pty

    reader, writer = pty.openpty()
    process = start("identify", "-m", path, stdin=subprocess.PIPE, stdout=writer)
    assert process.stdin is not None
    with process:
        for text, label in ((ENGLISH, b"eng"), (GREEK, b"ell")):
            process.stdin.write(f"{text}\n".encode())
            process.stdin.flush()
            shown, patience = b"", time.monotonic() + PATIENCE
            while not shown.endswith(b"\n") and time.monotonic() < patience:
                if select.select([reader], [], [], 1)[0]:
                    shown += os.read(reader, 1 << 16)
            assert label in shown
        process.stdin.close()
        assert process.wait(PATIENCE) == 0
    os.close(writer)
    os.close(reader)


@posix
@pytest.mark.parametrize(
    ("command", "what"),
    [
        ("identify", "a text a line"),
        ("identify -", "a text a line"),
        ("explain", "a text a line"),
        ("spans", "a text"),
        ("add tok -o new.unilid", "a text a line"),
    ],
)
def test_a_terminal_says_what_to_type(path: Path, tmp_path: Path, command: str, what: str) -> None:
    import pty

    reader, writer = pty.openpty()
    streams = {"stdin": writer, "stdout": subprocess.DEVNULL, "stderr": writer}
    with start(*command.split(), "-m", path, cwd=tmp_path, **streams) as process:
        told = f"unilid: type {what}, and Ctrl-D at the end\r\n"
        shown, patience = "", time.monotonic() + PATIENCE
        while len(shown) < len(told) and time.monotonic() < patience:
            if select.select([reader], [], [], 1)[0]:
                shown += os.read(reader, 1 << 16).decode()
        os.write(reader, f"{ENGLISH}\n\x04".encode())
        assert process.wait(PATIENCE) == 0
    os.close(writer)
    os.close(reader)
    assert shown == told


@posix
def test_a_model_is_described_for_reading_on_a_terminal(path: Path) -> None:
    lines = on_terminal("info", "-m", path, "--labels").splitlines()
    shown = dict(re.split(r"  +", line, maxsplit=1) for line in lines if line)
    assert shown["bytes"] == f"{path.stat().st_size:,}"
    assert (shown["languages"], shown["tuned"], shown["dan"]) == ("5", "no", "6")
