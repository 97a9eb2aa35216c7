"""When to answer `und`: where a text costs much more than the language's own text does, or no language is probable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unilid import _kernel
from unilid.decisions.held_out import Floats, HeldOut, descend
from unilid.decisions.temperature import Temperature

RATES = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
"""Shares of ordinary text that may be rejected, for which thresholds are stored."""
DEFAULT_RATE = 0.002
CAUTION = 0.25
"""Share of the allowed rate that each of the two tests gets on held-out lines: low, because these are the neighbours of
training lines and easier than the text that comes."""


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
        place, *places = _kernel.logarithms(np.clip([rate, *RATES], RATES[0], RATES[-1]))
        return float(np.interp(place, places, self.limits)), float(np.interp(place, places, self.least))

    def select(self, rows: Sequence[int]) -> Rejection:
        """Return what belongs to some of the languages."""
        index = list(rows)
        return Rejection(self.usual[index], self.spread[index], self.shared, self.sampling, self.limits, self.least)

    def append(self, held: HeldOut, language_count: int) -> Rejection:
        """Return the same with more language_count; what is known of them comes from their own lines."""
        first = len(self.usual)
        usual = usual_costs(held, first + language_count)
        usual[:first] = self.usual
        spread = self._spreads(held, usual)
        spread[:first] = self.spread
        return Rejection(usual, spread, self.shared, self.sampling, self.limits, self.least)

    def _spreads(self, held: HeldOut, usual: Floats) -> Floats:
        """Return how much the lines of each language scatter; few lines look like those of all languages."""
        deviation, expected = deviations(held, usual)
        squares = np.minimum(deviation**2 / (self.shared + self.sampling / expected), 9.0)
        lines = np.bincount(held.rows, minlength=len(usual))
        spread = (np.bincount(held.rows, squares, minlength=len(usual)) + 10) / (lines + 10)
        return np.asarray(spread * (1 + 1.6 / np.maximum(lines, 1)))  # the median of few lines is itself uncertain


_TAIL = 0.7 / np.sqrt(np.linspace(0.01, 1.0, 50))  # up to 7 standard deviations


def usual_costs(held: HeldOut, language_count: int) -> Floats:
    """Return the median cost of a letter in the lines of each language."""
    usual = np.zeros(language_count)
    cost = held.cost / held.letters
    for row in np.unique(held.rows):
        usual[row] = np.median(cost[held.rows == row])
    return usual


def deviations(held: HeldOut, usual: Floats) -> tuple[Floats, Floats]:
    """Return by how much each line costs more than usual, relatively, and what it was expected to cost."""
    expected = held.letters * usual[held.rows]
    return held.cost / expected - 1, expected


def fit_rejection(held: HeldOut, language_count: int, temperature: Temperature) -> Rejection:
    """Fit what is usual, how it scatters, and the thresholds at which so many held-out lines are rejected."""
    held = held.take(held.whole & (held.letters > 0) & (held.cost > 0))
    usual = usual_costs(held, language_count)
    deviation, expected = deviations(held, usual)
    # A language's own lines made its median: they lie closer to it than others will, and a single one says nothing.
    lines = np.bincount(held.rows, minlength=language_count)[held.rows]
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
    rejection = Rejection(usual, np.ones(language_count), shared, sampling, none, none)
    spread = rejection._spreads(held, usual)
    z = deviation / np.sqrt(spread[held.rows[counted]] * (shared + sampling / expected))
    shares = CAUTION * np.array(RATES)
    # Few lines say nothing about rare events: some are added that scatter more than lines usually do.
    limits = np.quantile(np.concatenate([z, _TAIL]), 1 - shares)
    least = np.quantile(np.concatenate([temperature.probability(held), [0.0]]), shares)
    return Rejection(usual, spread, shared, sampling, limits, least)
