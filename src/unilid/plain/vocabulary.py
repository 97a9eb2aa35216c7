"""Learning the vocabulary, the pruning of UnigramLM: ``cpp/models/vocabulary_learning.h``."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from unilid.plain.characters import characters
from unilid.plain.lattice import edges


def learn(weights: Mapping[bytes, float], size: int, seeds: int, *, shrink: float = 0.6) -> list[bytes]:
    """Learn a vocabulary from words of up to 24 bytes: EM and pruning from many substrings down to `size` tokens.

    Every sum is taken in the kernel's order, so that the tokens are the same where two lose the same.
    """
    substrings: dict[bytes, float] = defaultdict(float)
    for word in sorted(weights):
        inside = [encoded for _, encoded in characters(word)]
        for start in range(len(inside)):
            for end in range(start + 1, min(start + 8, len(inside)) + 1):
                substrings[b"".join(inside[start:end])] += weights[word]
    longer = {token: weight for token, weight in substrings.items() if len(token) > 1}
    whole = {token for token in longer if len(next(characters(token))[1]) == len(token)}
    kept = {bytes([byte]) for byte in range(256)}
    kept.update(sorted(whole, key=lambda token: (-longer[token], token))[: (size - 256) // 2])
    others = sorted(longer.keys() - whole, key=lambda token: (-longer[token] * len(token), token))[:seeds]
    p = dict.fromkeys(sorted(kept.union(others)), 1 / len(kept.union(others)))
    while len(p) > size:
        for _ in range(2):
            expected = _shared_expectation(sorted(weights.items()), p)
            total = _sum(expected.values())
            p = {token: max(expected[token] / total, 1e-9) for token in p}
        log_p = {token: math.log((expected[token] + 1e-9) / total) for token in p}
        loss = {}
        for token in p.keys() - kept:
            best = [0.0] + [-math.inf] * len(token)
            for start, end, part in _named_edges(token, p):
                if part != token:
                    best[end] = max(best[end], best[start] + log_p[part])
            loss[token] = expected[token] * (log_p[token] - best[-1])
        stay = max(size, int(shrink * len(p)))
        order = sorted(p, key=lambda token: (-loss.get(token, math.inf), token))[:stay]
        p = {token: p[token] for token in sorted(order)}
    return list(p)


def _shared_expectation(words: Sequence[tuple[bytes, float]], p: Mapping[bytes, float]) -> dict[bytes, float]:
    """Return the expected counts of tokens; an eighth of the words is added up at a time."""
    shares = []
    for shard in range(8):
        share = dict.fromkeys(p, 0.0)
        for word, weight in words[len(words) * shard // 8 : len(words) * (shard + 1) // 8]:
            lattice = _named_edges(word, p)
            forward = [1.0] + [0.0] * len(word)
            for start, end, token in lattice:
                forward[end] += forward[start] * p[token]
            scale = weight / forward[-1]
            backward = [0.0] * len(word) + [1.0]
            for start, end, token in reversed(lattice):
                through = p[token] * backward[end]
                backward[start] += through
                share[token] += forward[start] * scale * through
        shares.append(share)
    return {token: _sum(share[token] for share in shares) for token in p}


def _named_edges(word: bytes, tokens: Mapping[bytes, float]) -> list[tuple[int, int, bytes]]:
    """Return (start, end, token) of every edge, a byte that spells a character behind the longer tokens."""
    lattice = edges(word, dict.fromkeys(tokens, 0))
    spelt = [end == start + 1 < start + len(next(characters(word[start:]))[1]) for start, end, _ in lattice]
    order = sorted(range(len(lattice)), key=lambda e: (lattice[e][0], spelt[e], lattice[e][1]))
    return [(start, end, word[start:end]) for start, end, _ in (lattice[e] for e in order)]


def _sum(numbers: Iterable[float]) -> float:
    """Add from left to right; `sum` is more exact than the kernel."""
    total = 0.0
    for number in numbers:
        total += number
    return total
