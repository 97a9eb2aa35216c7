"""Discriminative training of the context model: ``cpp/models/discrimination.h``.

A table has, for each language, the cost of every n-gram that it saw.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from unilid.plain.context import Gram, sequence
from unilid.plain.scoring import counted

Corrections: TypeAlias = dict[tuple[int, Gram], float]
"""Of a language and an n-gram, in nats."""

SMALLEST_ERROR = 1e-3


class Lesson(NamedTuple):
    """A line, and what it says of its candidates."""

    languages: Sequence[int]
    scores: Sequence[float]
    features: Sequence[Mapping[Gram, int]]  # of each candidate
    right: int  # which candidate
    exponent: float


def ngrams(text: bytes, order: int, *, signs: bool = True) -> Counter[Gram]:
    """Return how often each n-gram occurs in the words that count; WORD_START is no n-gram of its own."""
    found: Counter[Gram] = Counter()
    for word in counted(text, signs=signs):
        if word.noise:
            continue
        u = sequence(word.text)
        u = u[word.cut_left : len(u) - word.cut_right]
        for end in range(1 if word.cut_left else 2, len(u) + 1):
            for size in range(1, min(order, end) + 1):
                found[tuple(u[end - size : end])] += 1
    return found


def features(grams: Mapping[Gram, int], seen: Collection[Gram], learned: Collection[Gram]) -> dict[Gram, int]:
    """Return the n-grams of a line that both tables of a language have, each counted up to 255 times."""
    return {gram: min(count, 255) for gram, count in grams.items() if gram in seen and gram in learned}


def learn_corrections(lessons: Sequence[Lesson], *, rate: float, rounds: int) -> Corrections:
    """Return what lines teach, one after the other, in steps of the golden section through all of them."""
    corrections: dict[tuple[int, Gram], np.float32] = {}
    squares: dict[tuple[int, Gram], np.float32] = {}
    step = max(int(0.6180339887498949 * len(lessons)), 1)
    while math.gcd(step, len(lessons)) > 1:
        step += 1
    for turn in range(rounds * len(lessons)):
        lesson = lessons[turn % len(lessons) * step % len(lessons)]
        logits = []
        for language, score, own in zip(lesson.languages, lesson.scores, lesson.features, strict=True):
            corrected = score
            for gram, count in own.items():
                corrected += count * float(corrections.get((language, gram), 0))
            logits.append(lesson.exponent * corrected)
        p = [math.exp(logit - max(logits)) for logit in logits]
        for place, (language, own) in enumerate(zip(lesson.languages, lesson.features, strict=True)):
            error = p[place] / sum(p) - (place == lesson.right)
            if abs(error) < SMALLEST_ERROR:
                continue
            for gram, count in own.items():
                key, gradient = (language, gram), error * count
                squares[key] = np.float32(float(squares.get(key, 1)) + gradient**2)
                change = rate * gradient / math.sqrt(float(squares[key]))
                corrections[key] = np.float32(float(corrections.get(key, 0)) - change)
    return {key: float(value) for key, value in corrections.items()}


def corrected_cost(language: int, gram: Gram, cost: int, corrections: Corrections, *, steps: float) -> int:
    """Return the cost of an n-gram, less the corrections of it and of all shorter ones that end with it.

    >>> corrected_cost(0, (97, 98), 20, {(0, (97, 98)): 1.0, (0, (98,)): -0.5, (1, (98,)): 9.0}, steps=8)
    16
    """
    total = sum(corrections.get((language, gram[first:]), 0.0) for first in range(len(gram)))
    return int(min(max(math.floor(cost - steps * total + 0.5), 0), 254))
