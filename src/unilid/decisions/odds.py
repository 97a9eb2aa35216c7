"""Even odds: how well languages are told apart where none of them has an advantage before the others.

What was learned from more text, or from text that is more alike, scores higher on every line, and would win too often.
Held-out lines say by how much: it is a parameter of the posterior of each language, as sureness is one of all.

.. code-block:: none

    P(l | line) = exp(t (sureness score_l - handicap_l)) / sum over m of exp(t (sureness score_m - handicap_m))

t is the exponent of the posterior for a line of that length. This is a conditional logit, whose likelihood has one
maximum, which Newton's method finds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from unilid import _kernel
from unilid.decisions.held_out import Floats, HeldOut
from unilid.decisions.temperature import Temperature

USUAL_HANDICAP = 8.0
"""Nats that a language usually has before the others (a standard deviation): few lines move its prior no further."""
_NATS = 1 / 64
"""Advantages are rounded to this, so that the last bits of a machine's arithmetic are no part of a model."""
_STEPS = 50
_SMALL = 1e-3


class Odds(NamedTuple):
    """What a conditional logit found."""

    advantages: Floats
    """Nats by which each language scores higher on every line than it should."""
    evidence: Floats
    """The log-likelihood of the true language of each line."""


def even_odds(held: HeldOut, languages: int, temperature: Temperature, *, handicaps: bool = True) -> Odds:
    """Fit sureness and handicaps, or sureness alone, to whole lines, all languages weighing alike.

    `held` must have the scores of all languages; the temperature says how much less sure longer lines are.
    """
    rows, lines = held.rows, np.arange(len(held.rows))
    scores = np.empty((len(rows), languages))
    np.put_along_axis(scores, held.best, held.top - held.top[:, :1], 1)
    counted = held.whole & (held.letters > 0)
    count = np.bincount(rows[counted], minlength=languages)
    shares = counted.sum() / max(np.count_nonzero(count), 1) / np.maximum(count, 1)
    weights = np.where(counted, shares[rows], 0.0)
    exponents = temperature.at(held.letters)
    features = np.zeros((len(rows), languages, 1 + languages))
    features[:, :, 0] = exponents[:, None] * scores
    features[:, range(languages), range(1, 1 + languages)] = -exponents[:, None]
    start = np.array([1.0] + [0.0] * languages)
    precision = np.array([1.0] + [1 / USUAL_HANDICAP**2] * languages)
    if not handicaps:
        features, start, precision = features[:, :, :1], start[:1], precision[:1]

    def posterior(parameters: Floats) -> tuple[Floats, Floats]:
        """Return the log-likelihoods of the true languages, and the probabilities of all."""
        exponent = features @ parameters
        exponent -= exponent.max(axis=1, keepdims=True)
        odds = np.exp(exponent)
        total = odds.sum(axis=1, keepdims=True)
        return weights * (exponent[lines, rows] - np.log(total[:, 0])), odds / total

    def objective(parameters: Floats) -> float:
        return float(posterior(parameters)[0].sum() - (precision * (parameters - start) ** 2).sum() / 2)

    parameters = start
    for _ in range(_STEPS):
        p = posterior(parameters)[1]
        mean = np.einsum("il,ilf->if", p, features)
        gradient = weights @ (features[lines, rows] - mean) - precision * (parameters - start)
        weighted = (weights[:, None] * p)[:, :, None] * features
        curvature = np.tensordot(weighted, features, ([0, 1], [0, 1])) - (weights[:, None] * mean).T @ mean
        step = np.linalg.solve(curvature + np.diag(precision), gradient)
        while objective(parameters + step) < objective(parameters) and np.abs(step).max() > _SMALL:
            step /= 2  # too far
        parameters = parameters + step
        if np.abs(step).max() < _SMALL:
            break
    sureness = max(float(parameters[0]), _SMALL)
    return Odds(parameters[1:] / sureness if handicaps else np.zeros(languages), posterior(parameters)[0])


def even_prior(held: HeldOut, languages: int, temperature: Temperature) -> Floats | None:
    """Return the prior under which lines of all languages, each as frequent as the others, are told apart best.

    None where that gains less than chance would (Akaike's criterion), or where a language has no lines: it may have any
    advantage.
    """
    if np.count_nonzero(np.bincount(held.rows[held.whole & (held.letters > 0)], minlength=languages)) < languages:
        return None
    odds = even_odds(held, languages, temperature)
    without = even_odds(held, languages, temperature, handicaps=False)
    if odds.evidence.sum() - without.evidence.sum() < languages - 1:
        return None
    offsets = np.round((odds.advantages.min() - odds.advantages) / _NATS) * _NATS
    shares = np.array([_kernel.exponential(offset) for offset in offsets.tolist()])
    return np.asarray(shares / shares.sum())
