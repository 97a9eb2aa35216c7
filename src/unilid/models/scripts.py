"""The scripts that languages are written in.

A word in another script says nothing about a language, and a language none of whose scripts occurs in a text is never
the answer (``cpp/models/scripts.h``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from unilid import _kernel
from unilid.corpus.counts import Words
from unilid.store.packing import CheckedFile

Scripts: TypeAlias = tuple[tuple[str, ...], ...]
"""For each language the codes of its scripts in ISO 15924; Han, Hiragana and Katakana are one, ``Hani``."""

SHARE = 0.1
"""Of a language's words of letters that a script has at least. What is rarer is quoted, not written."""

_NAMES = {number: name for name, number in _kernel.SCRIPTS.items()}


def of_words(words: Words) -> tuple[str, ...]:
    """Return the scripts that a language is written in, most frequent first; none if it has no letters."""
    counts = np.bincount(_kernel.word_keys(words).scripts, words.counts, minlength=256)[list(_NAMES)]
    most_first = np.argsort(-counts, kind="stable")
    names = list(_NAMES.values())
    return tuple(names[i] for i in most_first if counts[i] >= SHARE * counts.sum() and counts[i] > 0)


def uses(scripts: Scripts | None) -> list[tuple[int, int]]:
    """Return the rows of languages with the kernel's numbers of their scripts.

    A language of which no script is known may be written in any of them.
    """
    known = scripts or ()
    every = {name for own in known for name in own}
    return [(row, _kernel.SCRIPTS[name]) for row, own in enumerate(known) for name in sorted(own or every)]


def unpack(file: CheckedFile, stored: Any, language_count: int) -> Scripts | None:
    """Take the scripts out of the metadata of a file, which older files do not have."""
    if stored is None:
        return None
    if not isinstance(stored, list) or len(stored) != language_count:
        raise file.fail("its scripts are not a list with an entry for each language")
    if not all(isinstance(own, list) and all(isinstance(name, str) for name in own) for own in stored):
        raise file.fail("its scripts are not lists of codes")
    unknown = {name for own in stored for name in own}.difference(_kernel.SCRIPTS)
    if unknown:
        raise file.fail(f"it names the script {min(unknown)!r:.20}, which this version does not know")
    return tuple(tuple(own) for own in stored)


def grouped(scripts: Scripts | None) -> list[int]:
    """Return rows in an order in which languages of one script stand next to each other.

    The costs of a word are computed over the languages of its script, from the first one to the last. The script of
    the most languages comes last, where new languages are added.

    >>> grouped((("Latn",), ("Cyrl",), ("Latn",), ("Cyrl", "Latn"), ("Latn",)))
    [1, 3, 0, 2, 4]
    """
    first = [own[0] if own else "" for own in scripts or ()]
    sizes = Counter(first)
    return sorted(range(len(first)), key=lambda row: (sizes[first[row]], first[row], row))


def select(scripts: Scripts | None, rows: Sequence[int]) -> Scripts | None:
    """Return the scripts of some languages, in that order."""
    return None if scripts is None else tuple(scripts[row] for row in rows)
