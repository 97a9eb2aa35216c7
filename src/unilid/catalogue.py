"""The labels of a model, to list, to search and to explain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from unilid.errors import UnknownLanguageError
from unilid.labels import Meaning, folded, meaning
from unilid.model import Model

if TYPE_CHECKING:
    from rich.console import Console

_GAP = 2
_SPARED = ("ISO 639", "part of", "script")
"""Columns that a narrow terminal goes without: a label that is asked for alone has them."""
_SHORTENED = {"own name": 10, "name": 16}
"""Columns that are cut there, and what they keep."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A label of a model: what it means and what the model says of it."""

    meaning: Meaning
    lines: int
    """Training lines."""
    f1: float | None
    """On held-out text, where the model says."""
    sources: tuple[str, ...]
    """Where the training text comes from, where the model says."""

    def record(self) -> dict[str, Any]:
        """Return everything under its name."""
        return {
            **asdict(self.meaning),
            "training_lines": self.lines,
            "f1": self.f1,
            "sources": list(self.sources),
        }

    def cells(self) -> dict[str, str]:
        """Return everything as it is written."""
        return {name: _written(value) for name, value in self.record().items()}


def entries(model: Model) -> list[Entry]:
    """Return the labels of a model in their order.

    >>> import unilid
    >>> found = [entry.meaning for entry in entries(unilid.load()) if entry.meaning.language == "deu"]
    >>> found[0].name, found[0].autonym, found[0].iso639_2, found[0].bcp47
    ('German', 'Deutsch', 'ger/deu', 'de')
    """
    said: Mapping[str, Mapping[str, Any]] = model.info.get("labels", {})
    found = []
    for label, lines in zip(model.languages, model.lines.tolist(), strict=True):
        facts = said.get(label, {})
        found.append(Entry(meaning(label), lines, facts.get("f1"), tuple(facts.get("sources") or ())))
    return found


def search(model: Model, query: str) -> list[Entry]:
    """Return the labels that a code stands for; else those with the query in their names.

    Case and accents do not matter in names.

    >>> import unilid
    >>> [[entry.meaning.label for entry in search(unilid.load(), query)] for query in ("sv", "francais")]
    [['swe_Latn'], ['fra_Latn']]
    """
    found = entries(model)
    try:
        return [found[row] for row in model.rows(query)]
    except UnknownLanguageError:
        part = folded(query)
        matches = [entry for entry in found if part and any(part in name for name in entry.meaning.names())]
        if not matches:
            raise
        return matches


def rows(found: Sequence[Entry]) -> list[list[str]]:
    """Return labels as a table of everything, the first row the names of its columns."""
    table = [entry.cells() for entry in found]
    return [list(table[0]), *(list(cells.values()) for cells in table)]


def show(found: Sequence[Entry], console: Console) -> None:
    """Write labels to a terminal: one in full, several as a table."""
    from rich.table import Table
    from rich.text import Text

    if len(found) == 1:
        shown = Table.grid(padding=(0, 2))
        for name, cell in _full(found[0]).items():
            if cell:
                shown.add_row(name, Text(cell))
        console.print(shown)
        return
    cells = [_brief(entry) for entry in found]
    widths = _widths(cells, console.width)
    shown = Table(box=None, pad_edge=False)
    for name, width in widths.items():
        shown.add_column(name, justify="right" if name in ("lines", "F1") else "left", no_wrap=True, width=width)
    for row in cells:
        shown.add_row(*(Text(row[name]) for name in widths))  # a label may look like markup
    console.print(shown)


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
    meant = entry.meaning
    return {
        "label": meant.label,
        "name": meant.name,
        "own name": meant.autonym or "",
        "ISO 639-1": meant.iso639_1 or "",
        "ISO 639-2": meant.iso639_2 or "",
        "ISO 639-3": meant.iso639_3 or "",
        "BCP 47": meant.bcp47 or "",
        "script": _named(meant.script, meant.script_name),
        "macrolanguage": _named(meant.macrolanguage, meant.macrolanguage_name),
        "training lines": f"{entry.lines:,}",
        "F1": _written(entry.f1),
        "sources": ", ".join(entry.sources),
    }


def _brief(entry: Entry) -> dict[str, str]:
    """Return what a table on a terminal has room for."""
    meant = entry.meaning
    return {
        "label": meant.label,
        "name": meant.name,
        "own name": meant.autonym or "",
        "ISO 639": " ".join(filter(None, (meant.iso639_1, meant.iso639_2 or meant.iso639_3))),
        "BCP 47": meant.bcp47 or "",
        "script": meant.script_name or meant.script or "",
        "part of": meant.macrolanguage_name or "",
        "lines": f"{entry.lines:,}",
        "F1": _written(entry.f1),
    }


def _named(code: str | None, name: str | None) -> str:
    return f"{code} ({name})" if code and name else code or ""


def _written(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "" if value is None else f"{value:.4f}" if isinstance(value, float) else str(value)
