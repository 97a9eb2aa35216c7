"""What a code means in practice where it does not say: which language of several, and which scripts.

The table ``usual.tsv`` says it, with the reason: of a macrolanguage, the languages that its code is used for; of a
language, its scripts; of a tag with a region, what is different there. Where it says nothing of the scripts, that of
CLDR is the usual one (``languages.tsv``).
"""

from __future__ import annotations

from functools import cache
from itertools import chain
from typing import Literal, NamedTuple, TypeAlias, get_args

from unilid.languages.iso639 import iso_language, read_table

WIDER = {"Aran": "Arab", "Hang": "Kore", "Hans": "Hani", "Hant": "Hani"}
"""Scripts that are part of another one of ISO 15924."""

Codes: TypeAlias = Literal["label", "bcp47", "iso639_1", "macro"]
"""What people may have a label written as; see `unilid.languages.labels.written_as`."""
CODES: tuple[Codes, ...] = get_args(Codes)


class _Row(NamedTuple):
    languages: tuple[str, ...]
    scripts: tuple[str, ...]


@cache
def _table() -> dict[str, _Row]:
    rows = (line.split("\t") for line in read_table("usual.tsv")[1:])
    return {code: _Row(tuple(languages.split()), tuple(scripts.split())) for code, languages, scripts, _ in rows}


def usual_languages(code: str, region: str | None = None) -> tuple[str, ...]:
    """Return the languages that a code is used for, or is used for in a region; none where the table says nothing.

    >>> usual_languages("zho"), usual_languages("fas"), usual_languages("fas", "AF"), usual_languages("fas", "IR")
    (('cmn',), ('pes',), ('prs',), ())
    """
    row = _table().get(code if region is None else f"{code}-{region}")
    return row.languages if row else ()


def usual_scripts(code: str, region: str | None = None) -> tuple[str, ...]:
    """Return the scripts that a language is usually written in; none where nobody says so.

    The first one goes without saying in a tag.

    >>> usual_scripts("cmn"), usual_scripts("cmn", "TW"), usual_scripts("hin"), usual_scripts("aaa")
    (('Hans', 'Hant'), ('Hant',), ('Deva',), ())
    """
    language = iso_language(code)
    if language is None:
        return ()
    names = [code]
    if language.macrolanguage and code in usual_languages(language.macrolanguage):
        names.append(language.macrolanguage)
    tags = [*(f"{name}-{region}" for name in names if region), *names]
    said = (row.scripts for tag in tags if (row := _table().get(tag)) and row.scripts)
    by_cldr = ((known.script,) for name in names if (known := iso_language(name)) and known.script)
    return next(chain(said, by_cldr), ())


def two_letters(code: str) -> str | None:
    """Return the code of two letters that a language goes by: its own, or its macrolanguage's, where used for it.

    >>> [two_letters(code) for code in ("deu", "cmn", "yue", "nob")]
    ['de', 'zh', None, 'nb']
    """
    language = iso_language(code)
    if language is None or language.two_letters or not language.macrolanguage:
        return language.two_letters if language else None
    macro = iso_language(language.macrolanguage)
    return macro.two_letters if macro and code in usual_languages(macro.code) else None
