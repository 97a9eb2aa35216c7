"""Languages of ISO 639 and scripts of ISO 15924, from ISO 639-3 and CLDR, in tables inside the package."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple


class IsoLanguage(NamedTuple):
    """A language of ISO 639-3."""

    code: str
    name: str
    """In English."""
    autonym: str | None
    """In the language itself, where known."""
    two_letters: str | None
    """ISO 639-1."""
    bibliographic: str | None
    """ISO 639-2/B; 639-2/T is the code itself where there is one."""
    macrolanguage: str | None
    """The code of the macrolanguage that it is part of."""
    script: str | None
    """The one that goes without saying, where CLDR knows."""


@cache
def _table() -> tuple[dict[str, list[str]], dict[str, str]]:
    """Return the rows of the languages by their code, and other codes with what they mean."""
    rows: dict[str, list[str]] = {}
    others: dict[str, str] = {}
    for line in read_table("languages.tsv"):
        code, *cells, instead = line.split("\t")
        if instead:
            others[code] = instead
            continue
        rows[code] = cells
        for other in cells[2:4]:
            if other:
                others.setdefault(other, code)
    return rows, others


@cache
def scripts() -> dict[str, str]:
    """Return the scripts of ISO 15924: their codes and English names."""
    return dict(line.split("\t") for line in read_table("scripts.tsv"))


def read_table(name: str) -> list[str]:
    """Return the lines of a table beside this module."""
    return Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()


def iso_language(code: str) -> IsoLanguage | None:
    """Return the language of an ISO 639 code of any part, old ones included; None if there is none.

    >>> iso_language("de").name, iso_language("ger").code, iso_language("iw").code, iso_language("arb").macrolanguage
    ('German', 'deu', 'heb', 'ara')
    """
    rows, others = _table()
    code = code if code in rows else others.get(code, "")
    if code not in rows:
        return None
    name, *cells = rows[code]
    return IsoLanguage(code, name, *(cell or None for cell in cells))
