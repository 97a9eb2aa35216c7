"""From the costs of a text to an answer: ``cpp/decisions/decide.h``."""

from __future__ import annotations

import math
from collections.abc import Sequence


def temperature(letters: int, scale: float, length: float, decay: float) -> float:
    """Return the exponent of the posterior for a text of so many letters."""
    return float(scale * (1 + letters / length) ** -decay)


EXCLUDED = 2.0**40
"""Steps that put a language none of whose scripts occurs in the text behind all others."""


def competing(costs: Sequence[float], excluded: Sequence[bool]) -> list[float]:
    """Return the costs with which languages compete.

    If the best one is excluded, the text is undetermined: nobody writes its script.
    """
    return [cost + EXCLUDED * out for cost, out in zip(costs, excluded, strict=True)]


def key(log_prior: float, cost: float, handicap: float, letters: int) -> float:
    """Return what languages are ranked by; all in nats.

    >>> key(-1.0, 40.0, 0.5, 100)
    -46.0
    """
    return log_prior - handicap * math.sqrt(letters) - cost


def ranked(keys: Sequence[float]) -> list[int]:
    """Return the languages that compete, best first; ties go to the lower row."""
    return sorted((row for row, key in enumerate(keys) if key > -math.inf), key=lambda row: (-keys[row], row))


def posterior(keys: Sequence[float], exponent: float) -> list[float]:
    """Return the probabilities of languages."""
    top = max(keys)
    weights = [math.exp(exponent * (key - top)) for key in keys]
    return [weight / sum(weights) for weight in weights]


def reranked(
    keys: Sequence[float], thresholds: Sequence[float], replaces: Sequence[bool], *, distance: float, ranks: int
) -> int:
    """Return the answer of calibrated UniLID."""
    best, *others = ranked(keys)
    if others and keys[best] - keys[others[0]] < thresholds[best]:
        for other in others[: ranks - 1]:
            if replaces[other] and keys[best] - keys[other] <= distance:
                return other
    return best


def unlike(
    cost: float, letters: int, usual: float, spread: float, shared: float, sampling: float, limit: float
) -> bool:
    """Say whether a text costs so much more than a language's own text does that it is not of that language."""
    if usual == 0 or letters == 0:
        return False
    expected = letters * usual
    return cost / expected - 1 > limit * math.sqrt(spread * (shared + sampling / expected))
