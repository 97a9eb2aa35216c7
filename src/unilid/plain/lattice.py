"""The lattice of a word: ``cpp/models/vocabulary.h``, ``lattice.h``."""

from __future__ import annotations

import math
from collections.abc import Mapping

from unilid.plain.characters import characters


def edges(word: bytes, vocabulary: Mapping[bytes, int]) -> list[tuple[int, int, int]]:
    """Return (start, end, token) for every edge of a word's lattice: a character that is a token is never spelt."""
    lattice = []
    reached = {0}
    for start in range(len(word)):
        if start not in reached:
            continue
        _, character = next(characters(word[start:]))
        for end in range(start + 1, len(word) + 1):
            spelt = end == start + 1 < start + len(character) and character in vocabulary
            if word[start:end] in vocabulary and not spelt:
                lattice.append((start, end, vocabulary[word[start:end]]))
                reached.add(end)
    return lattice


def log_add(a: float, b: float) -> float:
    """Return log(exp(a) + exp(b))."""
    if -math.inf in (a, b):
        return max(a, b)
    return max(a, b) + math.log1p(math.exp(-abs(a - b)))
