"""How sure an answer is: what held-out lines say about the probabilities and the fit of the model.

The words of a text depend on each other, so its log-likelihood ratios promise more than they keep, and the more so the
longer it is. One temperature that falls with the length mends this (the formula stands in ``cpp/decide.h``). Held-out
lines, whole and cut short, are all it is fitted on, so it is good for any label set and any prior.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from unilid import _kernel
from unilid.costs import STEP

Floats: TypeAlias = npt.NDArray[np.float64]

LENGTHS = (6, 12, 24, 48)
"""Held-out lines count as they are and cut to so many characters, at a space where there is one."""
MAX_CUT = 4_000
"""Lines that are cut, about."""
TOP = 16
"""The best languages of a text have all of the posterior."""
_CHUNK = 1024  # texts scored under all languages at once

RATES = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
"""False rejections for which thresholds are stored."""
DEFAULT_RATE = 0.002
CAUTION = 0.25
"""Of the false rejections allowed, each of the two tests gets so much on held-out lines, which are the neighbours of
training lines and easier than what comes."""


@dataclass(frozen=True, slots=True)
class Held:
    """Held-out texts as a model that never saw them scores them."""

    top: Floats  # [texts, TOP] scores of the best languages, best first
    own: Floats  # score of the true language
    rows: npt.NDArray[np.int64]  # the true language
    letters: npt.NDArray[np.int64]
    cost: Floats  # of the words of letters, under the true language
    whole: npt.NDArray[np.bool_]  # not cut

    @staticmethod
    def of(scorer: _kernel.Scorer, rows: npt.NDArray[np.integer], texts: Sequence[bytes], *, threads: int) -> Held:
        """Score texts, whole and cut, under every language."""
        step = 1 + len(texts) // MAX_CUT
        pairs = list(zip(rows, texts, strict=True))[::step]
        cuts = [(row, begin) for length in LENGTHS for row, text in pairs if (begin := cut(text, length))]
        every = [*texts, *(text for _, text in cuts)]
        truth = np.array([*rows, *(row for row, _ in cuts)], np.int64)
        parts = []
        for start in range(0, max(len(every), 1), _CHUNK):
            costs, spoken, letters, _ = scorer.costs(every[start : start + _CHUNK], threads)
            scores = -STEP * costs.astype(np.float64)
            own = truth[start : start + _CHUNK, None]
            best = -np.partition(-scores, min(TOP, scores.shape[1]) - 1, axis=1)[:, :TOP]
            parts.append(
                (
                    -np.sort(-best, axis=1),
                    np.take_along_axis(scores, own, 1)[:, 0],
                    letters,
                    STEP * np.take_along_axis(spoken, own, 1)[:, 0].astype(np.float64),
                )
            )
        top, own_scores, letters, cost = (np.concatenate(part) for part in zip(*parts, strict=True))
        return Held(top, own_scores, truth, letters, cost, np.arange(len(every)) < len(texts))

    def take(self, wanted: npt.NDArray[np.bool_]) -> Held:
        """Return some of the texts."""
        return Held(*(getattr(self, name)[wanted] for name in self.__slots__))


def cut(text: bytes, length: int) -> bytes | None:
    """Return the beginning of a text, None where nothing is cut off.

    >>> cut("Wie spät ist es?".encode(), 10).decode(), cut("今日も屋根に雪".encode(), 3).decode(), cut(b"Hallo", 6)
    ('Wie spät', '今日も', None)
    """
    characters = text.decode("utf-8", "replace")
    if len(characters) <= length:
        return None
    begin = characters[: length + 1].rstrip()
    if len(begin) > length:  # inside a word
        begin = begin.rsplit(maxsplit=1)[0] if len(begin.split()) > 1 else characters[:length]
    return begin.encode()


@dataclass(frozen=True, slots=True)
class Temperature:
    """The exponent of the posterior: ``scale * (1 + letters / length) ** -decay``."""

    scale: float = 1.2
    length: float = 6.5
    decay: float = 0.6

    def at(self, letters: npt.ArrayLike) -> Floats:
        """Return the exponent for texts of so many letters.

        >>> Temperature(1.0, 10.0, 0.5).at([0, 30]).tolist()
        [1.0, 0.5]
        """
        return np.asarray(self.scale * (1 + np.asarray(letters, np.float64) / self.length) ** -self.decay)

    def probability(self, held: Held) -> Floats:
        """Return the probability of the best language of each text."""
        below = self.at(held.letters)[:, None] * (held.top - held.top[:, :1])
        return np.asarray(1 / np.exp(below).sum(axis=1))


def fit_temperature(held: Held) -> Temperature:
    """Find the temperature under which the probabilities of the best languages say how often these are right.

    By the likelihood of being right or wrong; few texts move it little.
    """
    start = np.log([Temperature().scale, Temperature().length, Temperature().decay])
    tied = (held.top == held.top[:, :1]).sum(axis=1)
    right = (held.own == held.top[:, 0]) / tied  # any of them might have been the answer

    def loss(parameters: Floats) -> float:
        p = np.clip(Temperature(*np.exp(parameters)).probability(held), 1e-6, 1 - 1e-6)
        likelihood = right * np.log(p) + (1 - right) * np.log1p(-p)
        return float(-likelihood.sum() + ((parameters - start) ** 2).sum())

    return Temperature(*np.exp(descend(loss, start)).tolist())


def descend(loss: Callable[[Floats], float], start: Floats, *, steps: int = 60) -> Floats:
    """Minimise a smooth function of a few parameters by trying one after the other in steps that shrink."""
    best, least, stride = start, loss(start), 0.5
    for _ in range(steps):
        moved = False
        for parameter in range(len(start)):
            for sign in (1, -1):
                tried = best.copy()
                tried[parameter] += sign * stride
                if (found := loss(tried)) < least:
                    best, least, moved = tried, found, True
                    break
        if not moved:
            stride /= 2
            if stride < 0.01:
                break
    return best


@dataclass(frozen=True, slots=True)
class Rejection:
    """When to say `und`: the usual cost of a letter of each language, how it scatters, and thresholds by rate."""

    usual: Floats  # per language, nats; 0 where nothing is known
    spread: Floats  # per language; how much more than all languages together its lines scatter
    shared: float
    sampling: float
    limits: Floats  # for each of RATES: standard deviations above the usual
    least: Floats  # for each of RATES: probability

    def at(self, rate: float) -> tuple[float, float]:
        """Return the limit and the least probability for a rate of false rejections."""
        place = np.log(np.clip(rate, RATES[0], RATES[-1]))
        return float(np.interp(place, np.log(RATES), self.limits)), float(np.interp(place, np.log(RATES), self.least))

    def select(self, rows: Sequence[int]) -> Rejection:
        """Return what belongs to some of the languages."""
        index = list(rows)
        return Rejection(self.usual[index], self.spread[index], self.shared, self.sampling, self.limits, self.least)

    def append(self, held: Held, languages: int) -> Rejection:
        """Return the same with more languages; what is known of them comes from their own lines."""
        first = len(self.usual)
        usual = usual_costs(held, first + languages)
        usual[:first] = self.usual
        spread = self._spreads(held, usual)
        spread[:first] = self.spread
        return Rejection(usual, spread, self.shared, self.sampling, self.limits, self.least)

    def _spreads(self, held: Held, usual: Floats) -> Floats:
        """Return how much the lines of each language scatter; few lines look like those of all languages."""
        deviation, expected = deviations(held, usual)
        squares = np.minimum(deviation**2 / (self.shared + self.sampling / expected), 9.0)
        lines = np.bincount(held.rows, minlength=len(usual))
        spread = (np.bincount(held.rows, squares, minlength=len(usual)) + 10) / (lines + 10)
        return np.asarray(spread * (1 + 1.6 / np.maximum(lines, 1)))  # the median of few lines is itself uncertain


_TAIL = 0.7 / np.sqrt(np.linspace(0.01, 1.0, 50))  # up to 7 standard deviations


def usual_costs(held: Held, languages: int) -> Floats:
    """Return the median cost of a letter in the lines of each language."""
    usual = np.zeros(languages)
    cost = held.cost / held.letters
    for row in np.unique(held.rows):
        usual[row] = np.median(cost[held.rows == row])
    return usual


def deviations(held: Held, usual: Floats) -> tuple[Floats, Floats]:
    """Return by how much each line costs more than usual, relatively, and what it was expected to cost."""
    expected = held.letters * usual[held.rows]
    return held.cost / expected - 1, expected


def fit_rejection(held: Held, languages: int, temperature: Temperature) -> Rejection:
    """Fit what is usual, how it scatters, and the thresholds at which so many held-out lines are rejected."""
    held = held.take(held.whole & (held.letters > 0) & (held.cost > 0))
    usual = usual_costs(held, languages)
    deviation, expected = deviations(held, usual)
    # A language's own lines made its median: they lie closer to it than others will, and a single one says nothing.
    lines = np.bincount(held.rows, minlength=languages)[held.rows]
    counted = lines > 1
    deviation, expected, lines = deviation[counted], expected[counted], lines[counted]
    deviation = deviation * np.sqrt(lines / (lines - 1))
    start = np.log(np.array([0.003, 2.0]))

    def loss(parameters: Floats) -> float:
        variance = np.exp(parameters[0]) + np.exp(parameters[1]) / expected
        fit = (np.log(variance) + np.minimum(deviation**2 / variance, 9.0)).sum()
        return float(fit + 10 * ((parameters - start) ** 2).sum())  # few lines move it little

    shared, sampling = np.exp(descend(loss, start)).tolist()
    none = np.zeros(len(RATES))
    rejection = Rejection(usual, np.ones(languages), shared, sampling, none, none)
    spread = rejection._spreads(held, usual)
    z = deviation / np.sqrt(spread[held.rows[counted]] * (shared + sampling / expected))
    shares = CAUTION * np.array(RATES)
    # Few lines say nothing about rare events: some are added that scatter more than lines usually do.
    limits = np.quantile(np.concatenate([z, _TAIL]), 1 - shares)
    least = np.quantile(np.concatenate([temperature.probability(held), [0.0]]), shares)
    return Rejection(usual, spread, shared, sampling, limits, least)
