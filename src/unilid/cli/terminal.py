"""What people see on a terminal: answers with bars, facts, progress. In a pipe the commands write TSV or JSONL."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, TextIO

from unilid import display
from unilid.decisions.answers import Prediction
from unilid.display import one_line, sentence
from unilid.languages.labels import NO_LANGUAGE, RESERVED, meaning, written_as
from unilid.languages.usual import Codes
from unilid.progress import Advance, ignore

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress


WIDTH_OF_A_PIPE = 140
_GAP = "  "
_BAR = 10
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_LONGEST_LABEL = 16
_LONGEST_NAME = 60
_DEEPEST = 8
"""Values within values that are shown."""
_LEAST_TEXT = 12
"""Where less than this is left for the text, the name of the language goes without."""


def console(file: TextIO | None = None) -> Console:
    """Return where tables are written: as wide as the terminal, or wide where there is none."""
    file = file or sys.stdout
    return display.console(file=file, width=None if file.isatty() else WIDTH_OF_A_PIPE)


def width() -> int:
    """Return the number of columns of standard output."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else WIDTH_OF_A_PIPE


def coloured(stream: IO[Any]) -> bool:
    """Whether a stream shows colours, and its user wants them (no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


class Answers:
    """Writes the answers to texts in columns whose widths are known before the first text is.

    >>> answers = Answers(["deu_Latn"], width=64)
    >>> answers.lines(b"Guten Morgen, liebe Sorgen", [Prediction("deu_Latn", 0.87, -20.0)])
    ['deu_Latn  German          ████████▊   0.8700  Guten Morgen, lie…']
    >>> answers.lines(b"12", [Prediction("zxx", 1.0, 0.0, "digits")])
    ['zxx       (digits)        ██████████  1.0000  12']
    """

    def __init__(self, labels: Sequence[str], *, width: int, colour: bool = False, codes: Codes = "label") -> None:
        self._codes = codes
        longest = max(columns(written_as(label, codes)) for label in (*labels, NO_LANGUAGE))
        self._label = min(longest, _LONGEST_LABEL)
        rest = width - self._label - _BAR - len("0.0000") - 3 * len(_GAP)
        self._name = min(max(rest // 3, 14), 28)
        if rest - self._name - len(_GAP) < _LEAST_TEXT:
            self._name = 0
            rest += len(_GAP)
        self._text = max(rest - self._name - len(_GAP), 0)
        self._colour = colour

    def lines(self, text: bytes | None, ranked: Sequence[Prediction]) -> list[str]:
        """Return a line for each answer to a text, the text behind the first."""
        excerpt = shortened(one_line(text), self._text)
        return [self._line(answer, "" if number else excerpt).rstrip() for number, answer in enumerate(ranked)]

    def _line(self, answer: Prediction, text: str) -> str:
        no_language = answer.label in RESERVED
        filled = bar(answer.probability, _BAR)
        cells = [
            self._styled("1", padded(one_line(written_as(answer.label, self._codes)), self._label)),
            *([padded(description(answer), self._name)] if self._name else []),
            self._styled("33" if no_language else "32", filled),
            f"{answer.probability:.4f}",
            text,
        ]
        return _GAP.join(cells)

    def _styled(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self._colour else text


def description(answer: Prediction) -> str:
    """Return the name of the language, or why there is none.

    >>> description(Prediction("fra_Latn", 0.9, -9.0)), description(Prediction("zxx", 1.0, 0.0, "digits"))
    ('French', '(digits)')
    >>> description(Prediction("und", 0.2, -9.0, "unsure", "fra_Latn"))
    '(unsure: French?)'
    """
    if answer.guess is not None:
        return f"({answer.reason}: {one_line(meaning(answer.guess).name)}?)"
    return f"({answer.reason})" if answer.reason else one_line(answer.name)


def bar(share: float, width: int) -> str:
    """Return a bar, in eighths of a column, as wide as `width` for 1.

    >>> bar(0.5, 4), bar(0.03, 4), bar(1.0, 4)
    ('██  ', '▏   ', '████')
    """
    whole, part = divmod(round(max(0.0, min(share, 1.0)) * width * 8), 8)
    return (_EIGHTHS[8] * whole + (_EIGHTHS[part] if part else "")).ljust(width)


def columns(text: str) -> int:
    """Return how many columns a text takes on a terminal."""
    from rich.cells import cell_len

    return cell_len(text)


def shortened(text: str, width: int) -> str:
    """Return a text that takes at most `width` columns.

    >>> shortened("一二三四五", 6), shortened("一二三", 6), shortened("abc", 0)
    ('一二…', '一二三', '')
    """
    if columns(text) <= width:
        return text
    from rich.cells import set_cell_size

    return set_cell_size(text, width - 1).rstrip() + "…" if width else ""


def padded(text: str, width: int) -> str:
    """Return a text that takes exactly `width` columns."""
    text = shortened(text, width)
    return text + " " * (width - columns(text))


def facts(named: Mapping[str, Any]) -> list[str]:
    """Return names and values in two columns.

    >>> facts({"languages": 1419, "tuned": True, "prior fitted": False, "weights": None})
    ['languages     1,419', 'tuned         yes', 'prior fitted  no', 'weights       -']
    """
    shown = [(one_line(name), _value(value)) for name, value in named.items()]
    longest = min(max(columns(name) for name, _ in shown), _LONGEST_NAME)
    return [f"{padded(name, longest)}{_GAP}{value}" for name, value in shown]


def cells(named: Mapping[str, Any]) -> list[str]:
    r"""Return names and values as lines of TSV.

    >>> cells({"languages": 1419, "tuned": True})
    ['languages\t1419', 'tuned\tTrue']
    """
    return [f"{one_line(name)}\t{one_line(str(value))}" for name, value in named.items()]


def _value(value: Any, depth: int = 0) -> str:
    if value is None or value == "":
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, Mapping):
        if depth == _DEEPEST:
            return "…"
        return ", ".join(f"{one_line(str(name))} {_value(part, depth + 1)}" for name, part in value.items())
    if isinstance(value, list | tuple):
        return "…" if depth == _DEEPEST else ", ".join([_value(part, depth + 1) for part in value])
    return one_line(str(value))


def say(message: object) -> None:
    """Write a sentence to standard error; files and their names may be quoted in it."""
    print(f"unilid: {sentence(message)}", file=sys.stderr)


class Bars:
    """Progress bars on a terminal, messages anywhere, both on standard error."""

    def __enter__(self) -> Bars:
        self._bars = _progress() if sys.stderr.isatty() else None
        if self._bars is not None:
            self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bars is not None:
            self._bars.stop()

    @contextmanager
    def stage(self, name: str, total: int | None) -> Iterator[Advance]:
        """Show a stage and how far it is."""
        bars = self._bars
        if bars is None:
            yield ignore
            return
        task = bars.add_task(name, total=total)
        yield lambda amount: bars.advance(task, amount)
        bars.update(task, total=total or 1, completed=total or 1)

    def say(self, message: str) -> None:
        """Show a message."""
        say(message)


def _progress() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=Console(stderr=True))
