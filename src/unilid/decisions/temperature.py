"""How sure an answer is: the temperature of the posterior.

The words of a text depend on each other, so its log-likelihood ratios promise more than they keep, and the more so the
longer it is. One temperature that falls with the length mends this (the formula stands in
``cpp/decisions/decide.h``). Held-out lines, whole and cut short, are all it is fitted on, so it is good for any label
set and any prior.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unilid.decisions.held_out import Floats, HeldOut, descend


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

    def probability(self, held: HeldOut) -> Floats:
        """Return the probability of the best language of each text."""
        below = self.at(held.letters)[:, None] * (held.top - held.top[:, :1])
        return np.asarray(1 / np.exp(below).sum(axis=1))


def fit_temperature(held: HeldOut) -> Temperature:
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
