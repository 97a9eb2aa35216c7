"""The vector of a word: the weighted sum over word models, bounded. ``cpp/scoring/scorer.h``."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from unilid._kernel import WEIGHT_STEPS
from unilid.plain.unicode import LETTER
from unilid.plain.words import Word, split_words


def bounded(vector: Sequence[int], bound: int) -> list[int]:
    """Let a word speak against a language in full up to `bound` beyond the best one, then a quarter, at most 255.

    No bound is 0.
    """
    if not bound:
        return list(vector)
    least = min(vector)
    return [least + min(255, min(cost - least, bound) + max(cost - least - bound, 0) // 4) for cost in vector]


def weighted(vectors: Sequence[tuple[Sequence[int], int]]) -> list[int]:
    """Add the vectors of word models, by weights in sixteenths, and round."""
    if len(vectors) == 1:
        return list(vectors[0][0])
    weights = [weight for _, weight in vectors]
    return [
        (sum(map(operator.mul, costs, weights)) + WEIGHT_STEPS // 2) // WEIGHT_STEPS
        for costs in zip(*(vector for vector, _ in vectors), strict=True)
    ]


@dataclass
class Explained:
    """What a word costs every language, on its way into the cost of a text."""

    word: Word
    counts: bool  # addresses and identifiers do not, unless there is nothing else
    models: list[list[int]]  # for each word model
    weighted: list[int]
    bounded: list[int]  # what is added, if it counts


def explained(text: bytes, models: Sequence[tuple[Callable[[Word], list[int]], int]], bound: int) -> list[Explained]:
    """Return the words of a text with their costs; `models` are functions of a word, with their weights."""
    words = split_words(text)
    spoken = any(word.kind == LETTER and word.noise is None for word in words)
    result = []
    for word in words:
        vectors = [(model(word), weight) for model, weight in models]
        sums = weighted(vectors)
        quartered = [cost // 4 for cost in sums] if bound and word.lone else sums
        counts = word.noise is None or not spoken
        result.append(Explained(word, counts, [vector for vector, _ in vectors], sums, bounded(quartered, bound)))
    return result
