"""The lexicon: gains of whole words. ``cpp/models/lexicon.h``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from unilid._kernel import NO_KEY
from unilid.plain.characters import small
from unilid.plain.unicode import LETTER
from unilid.plain.words import Word

_64_BITS = (1 << 64) - 1


def word_key(word: Word) -> int:
    """Return what a word is found by: 48 bits of a hash (FNV-1a, and a final mix) of its letters in lower case.

    >>> word_key(Word(b" Hello", LETTER)) == word_key(Word(b"hello", LETTER)) < 1 << 48
    True
    >>> word_key(Word(b"hello", LETTER, cut_left=True)) == word_key(Word(b"12", 2)) == NO_KEY
    True
    """
    if word.kind != LETTER or word.cut_left or word.cut_right:
        return NO_KEY
    key = 0xCBF29CE484222325
    for byte in small(word.text.removeprefix(b" ")):
        key = (key ^ byte) * 0x100000001B3 & _64_BITS
    key = (key ^ key >> 32) * 0xD6E8FEB86659FD93 & _64_BITS
    return (key ^ key >> 32) >> 16


def with_gains(vector: Sequence[int], gains: Mapping[int, int]) -> list[int]:
    """Subtract the gains that a word has under languages; no cost falls below 0.

    >>> with_gains([9, 9, 9], {1: 4, 2: 200})
    [9, 5, 0]
    """
    return [cost - min(cost, gains.get(row, 0)) for row, cost in enumerate(vector)]
