"""Which languages are written in which script: ``cpp/models/scripts.h``."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TypeAlias

from unilid._kernel import FOREIGN_LETTER
from unilid.plain.unicode import LETTER
from unilid.plain.words import Word

Scripts: TypeAlias = Sequence[Collection[int]]
"""The scripts of each language; empty, or without a script of any language, where nothing is known of them."""


def foreign(script: int, scripts: Scripts) -> list[bool]:
    """Say of each language whether it is not written in a script; letters that all scripts share are foreign to none.

    >>> foreign(8, [[5], [8], [5, 8]])
    [True, False, False]
    """
    known = script > LETTER and any(scripts)
    return [known and script not in own for own in scripts]


def foreign_excess(word: Word) -> int:
    """Return what a word costs the languages that are not written in its script, beyond the best language's cost."""
    return min(255, FOREIGN_LETTER * word.letters)


def excluded(words: Iterable[Word], scripts: Scripts) -> list[bool]:
    """Say of each language whether none of its scripts occurs among the words of letters of a text."""
    masks = [foreign(script, scripts) for script in {word.script for word in words}]
    return [bool(masks) and all(mask[row] for mask in masks) for row in range(len(scripts))]
