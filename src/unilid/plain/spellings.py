"""Other ways in which the same word is written: ``cpp/words/spellings.h``."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping

_POINTS = re.compile(
    "[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"  # Hebrew
    "\u0610-\u061a\u0640\u064b-\u0652\u0656-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed"  # Arabic
    "\u0730-\u074a]"  # Syriac
)
_OF_THE_SAME_SHAPE = str.maketrans("\u0643\u06a9\u06ac\u0762", "\u06a9\u0643\u0762\u06ac")


def other_spellings(word: bytes) -> set[bytes]:
    """Return the other spellings of a word: without its points, with the other one of two letters, or both.

    >>> sorted(other.decode() for other in other_spellings(" كَتَبَ".encode()))
    [' كتب', ' کتب', ' کَتَبَ']
    """
    text = word.decode(errors="surrogateescape")
    bare = _POINTS.sub("", text)
    others = {bare, *(own.translate(_OF_THE_SAME_SHAPE) for own in (text, bare))}
    return {other.encode(errors="surrogateescape") for other in others - {text, "", " "}}


def with_spellings(word_counts: Mapping[bytes, float], share: float) -> dict[bytes, float]:
    """Add the other spellings of words."""
    counts: dict[bytes, float] = defaultdict(float)
    for word, count in word_counts.items():
        counts[word] += count
        for other in other_spellings(word):
            counts[other] += count * share
    return dict(counts)
