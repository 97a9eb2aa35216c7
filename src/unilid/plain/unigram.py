"""The unigram model: EM, the most probable segmentation (Viterbi) and all of them together (the forward algorithm).

``cpp/models/unigram_estimation.h``, ``unigram.h``. Costs are in whole steps.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping

from unilid.plain.characters import characters, class_of
from unilid.plain.lattice import edges, log_add
from unilid.plain.unicode import MARK


def with_fragments(word_counts: Mapping[bytes, float], share: float) -> dict[bytes, float]:
    """Add what is left of words of letters where one character is lost.

    >>> with_fragments({b" abc": 3.0}, 0.5)
    {b' abc': 3.0, b'bc': 0.5, b' a': 0.5, b'c': 0.5, b' ab': 0.5}
    """
    counts: dict[bytes, float] = defaultdict(float)
    for word, count in word_counts.items():
        counts[word] += count
        space = b" " if word.startswith(b" ") else b""
        inside = list(characters(word.removeprefix(b" ")))
        if len(inside) < 2 or class_of(inside[0][0]) < MARK:
            continue
        for lost in range(len(inside)):
            for fragment in (inside[:lost], inside[lost + 1 :]):
                if fragment:
                    start = space if fragment[0] is inside[0] and lost else b""
                    counts[start + b"".join(encoded for _, encoded in fragment)] += count * share / len(inside)
    return dict(counts)


def expectation(
    word_counts: Mapping[bytes, float],
    vocabulary: Mapping[bytes, int],
    *,
    rounds: int = 20,
    tolerance: float = 1e-6,
) -> tuple[dict[int, float], int]:
    """Run EM from the uniform distribution; return the expected counts of the last round and the rounds taken."""
    log_p = dict.fromkeys(range(len(vocabulary)), -math.log(len(vocabulary)))
    counts: dict[int, float] = {}
    done = 0
    while done < rounds:
        counts = defaultdict(float)
        for word, count in word_counts.items():  # E-step: forward-backward
            lattice = edges(word, vocabulary)
            forward = [0.0] + [-math.inf] * len(word)
            for start, end, token in lattice:
                forward[end] = log_add(forward[end], forward[start] + log_p[token])
            backward = [-math.inf] * len(word) + [0.0]
            for start, end, token in reversed(lattice):
                backward[start] = log_add(backward[start], log_p[token] + backward[end])
            for start, end, token in lattice:
                posterior = forward[start] + log_p[token] + backward[end] - forward[-1]
                counts[token] += count * math.exp(posterior)
        total = sum(counts.values())
        updated = {token: counts.get(token, 0.0) / total for token in log_p}  # M-step
        moved = sum(abs(updated[token] - math.exp(log_p[token])) for token in log_p) / 2
        log_p = {token: math.log(p) if p > 0 else -math.inf for token, p in updated.items()}
        done += 1
        if moved < tolerance:
            break
    return dict(counts), done


def viterbi(word: bytes, vocabulary: Mapping[bytes, int], cost: Mapping[int, int], unseen: int) -> int:
    """Return the cost of the most probable segmentation."""
    best = [0] + [10**9] * len(word)
    for start, end, token in edges(word, vocabulary):
        best[end] = min(best[end], best[start] + cost.get(token, unseen))
    return best[-1]


def marginal(word: bytes, vocabulary: Mapping[bytes, int], cost: Mapping[int, int], unseen: int, step: float) -> float:
    """Return the cost of all segmentations together."""
    forward = [0.0] + [-math.inf] * len(word)
    for start, end, token in edges(word, vocabulary):
        forward[end] = log_add(forward[end], forward[start] - step * cost.get(token, unseen))
    return -forward[-1] / step
