"""Labels to look at: one in full or several as a table on a terminal, cells in a pipe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from unilid.display import one_line
from unilid.languages.catalogue import Entry

if TYPE_CHECKING:
    from rich.console import Console

_GAP = 2
"""Columns between two columns of a table."""
_SPARED = ("ISO 639", "part of", "script")
"""Columns that a narrow terminal goes without: a label that is asked for alone has them."""
_SHORTENED = {"own name": 10, "name": 16}
"""Columns that are cut there, and what they keep."""


def rows(entries: Sequence[Entry]) -> list[list[str]]:
    """Return labels as a table of everything, the first row the names of its columns."""
    records = [entry.record() for entry in entries]
    return [list(records[0]), *([_cell(value) for value in record.values()] for record in records)]


def show(entries: Sequence[Entry], console: Console) -> None:
    """Write labels to a terminal: one in full, several as a table."""
    from rich.table import Table  # slow to import, and not needed in a pipe
    from rich.text import Text

    if len(entries) == 1:
        table = Table.grid(padding=(0, 2))
        for name, cell in _full(entries[0]).items():
            if cell:
                table.add_row(name, Text(cell))
        console.print(table)
        return
    cells = [_brief(entry) for entry in entries]
    widths = _widths(cells, console.width)
    table = Table(box=None, pad_edge=False)
    for name, width in widths.items():
        table.add_column(name, justify="right" if name in ("lines", "F1") else "left", no_wrap=True, width=width)
    for row in cells:
        table.add_row(*(Text(row[name]) for name in widths))  # a label may look like markup
    console.print(table)


def _widths(cells: Sequence[Mapping[str, str]], room: int) -> dict[str, int]:
    """Return the columns that are not empty with their widths: in a narrow room, fewer and shorter ones."""
    from rich.cells import cell_len

    widths = {
        name: max(map(cell_len, [name, *(row[name] for row in cells)]))
        for name in cells[0]
        if any(row[name] for row in cells)
    }

    def excess() -> int:
        return sum(width + _GAP for width in widths.values()) - _GAP - room

    for name in _SPARED:
        if excess() > 0:
            widths.pop(name, None)
    for name, least in _SHORTENED.items():
        if name in widths and excess() > 0:
            widths[name] = max(widths[name] - excess(), least)
    return widths


def _full(entry: Entry) -> dict[str, str]:
    """Return everything as a terminal shows it."""
    about = entry.meaning
    return {
        "label": one_line(about.label),
        "name": one_line(about.name),
        "own name": about.autonym or "",
        "ISO 639-1": about.iso639_1 or "",
        "ISO 639-2": about.iso639_2 or "",
        "ISO 639-3": about.iso639_3 or "",
        "BCP 47": about.bcp47 or "",
        "script": _named(about.script, about.script_name),
        "macrolanguage": _named(about.macrolanguage, about.macrolanguage_name),
        "training lines": f"{entry.lines:,}",
        "F1": _cell(entry.f1),
        "sources": _cell(list(entry.sources)),
    }


def _brief(entry: Entry) -> dict[str, str]:
    """Return what a table on a terminal has room for."""
    about = entry.meaning
    return {
        "label": one_line(about.label),
        "name": one_line(about.name),
        "own name": about.autonym or "",
        "ISO 639": " ".join(filter(None, (about.iso639_1, about.iso639_2 or about.iso639_3))),
        "BCP 47": about.bcp47 or "",
        "script": about.script_name or about.script or "",
        "part of": about.macrolanguage_name or "",
        "lines": f"{entry.lines:,}",
        "F1": _cell(entry.f1),
    }


def _named(code: str | None, name: str | None) -> str:
    return f"{code} ({name})" if code and name else code or ""


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_cell, value))
    return "" if value is None else f"{value:.4f}" if isinstance(value, float) else one_line(str(value))
