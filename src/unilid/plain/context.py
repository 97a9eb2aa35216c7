"""The context model: interpolated Kneser-Ney over the characters of a word, pruned by relative entropy.

``cpp/models/context_estimation.h``, ``context.h``.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from typing import TypeAlias

from unilid._kernel import INVALID_BYTE, MAX_CHARACTER_COST, WORD_END, WORD_START
from unilid.plain.characters import characters

Gram: TypeAlias = tuple[int, ...]


def sequence(word: bytes) -> list[int]:
    """Return WORD_START, the characters of a word, WORD_END."""
    inside = [INVALID_BYTE + c if isinstance(c, int) else ord(c) for c, _ in characters(word)]
    return [WORD_START, *inside, WORD_END]


def kneser_ney(
    word_counts: Mapping[bytes, float],
    *,
    order: int,
    discount: float,
    base: float,
    prune: float = 0.0,
    prune_from: int = 3,
) -> tuple[dict[Gram, float], dict[Gram, float]]:
    """Return p(last | first ...) of every n-gram seen, up to `order`, and the back-off weight of every context."""
    occurrences: dict[Gram, float] = defaultdict(float)
    for word, count in word_counts.items():
        u = sequence(word)
        for end in range(1, len(u) + 1):
            for size in range(1, min(order, end) + 1):
                occurrences[tuple(u[end - size : end])] += count
    left: dict[Gram, set[int]] = defaultdict(set)
    for gram in occurrences:
        left[gram[1:]].add(gram[0])

    def n(gram: Gram) -> float:
        raw = len(gram) == order or gram[0] == WORD_START
        return occurrences[gram] if raw else float(len(left[gram]))

    sums: dict[Gram, float] = defaultdict(float)
    types: dict[Gram, int] = defaultdict(int)
    for gram in occurrences:
        if gram != (WORD_START,):  # never predicted
            sums[gram[:-1]] += n(gram)
            types[gram[:-1]] += 1
    backoff = {context: min(1.0, discount * types[context] / sums[context]) for context in sums if sums[context] > 0}
    p: dict[Gram, float] = {}
    for gram in sorted(occurrences, key=len):
        context = gram[:-1]
        lower = base if len(gram) == 1 else p[gram[1:]]
        own = max(n(gram) - discount, 0.0) / sums[context] if sums[context] > 0 else 0.0
        p[gram] = own + backoff.get(context, 1.0) * lower

    total = sum(count for gram, count in occurrences.items() if len(gram) == 1)
    # Forget what makes little difference, longest first.
    for size in range(order, prune_from - 1, -1) if prune > 0 else ():
        needed = {gram[:-1] for gram in p if len(gram) == size + 1}
        forgotten = defaultdict(set)
        for gram in [gram for gram in p if len(gram) == size and gram not in needed]:
            loss = occurrences[gram] * math.log(p[gram] / (backoff[gram[:-1]] * p[gram[1:]]))
            if loss < prune * math.sqrt(total):
                forgotten[gram[:-1]].add(gram)
        for context, grams in forgotten.items():
            kept = [gram for gram in p if len(gram) == size and gram[:-1] == context and gram not in grams]
            rest = 1 - sum(p[gram] for gram in kept)
            below = 1 - sum(p[gram[1:]] for gram in kept)
            backoff[context] = min(max(rest / max(below, 1e-9), backoff[context]), 1.0) if kept else 1.0
            for gram in grams:
                del p[gram]
    return p, backoff


def character_costs(
    word: bytes,
    cost: Mapping[Gram, int],
    backoff: Mapping[Gram, int],
    *,
    order: int,
    base: int,
    cut_left: bool = False,
    cut_right: bool = False,
) -> list[int]:
    """Return the cost of each of a word's characters, and of its end: the longest n-gram seen, or shorter ones.

    Where the word is cut, nobody knows whether it starts or ends there.
    """
    u = sequence(word)
    u = u[: len(u) - cut_right]
    costs = []
    for at in range(1, len(u)):
        best = base + backoff[()]
        for size in range(1, min(order, at + 1 - cut_left) + 1):
            gram = tuple(u[at + 1 - size : at + 1])
            if size > 1:
                best += backoff.get(gram[:-1], 0)
            best = min(best, cost.get(gram, best))
        costs.append(min(best, MAX_CHARACTER_COST))
    return costs


def context_cost(
    word: bytes,
    cost: Mapping[Gram, int],
    backoff: Mapping[Gram, int],
    *,
    order: int,
    base: int,
    cut_left: bool = False,
    cut_right: bool = False,
) -> int:
    """Return the cost of a word under the context model."""
    return sum(character_costs(word, cost, backoff, order=order, base=base, cut_left=cut_left, cut_right=cut_right))
