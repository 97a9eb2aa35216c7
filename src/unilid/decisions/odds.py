"""Even odds: how well languages are told apart where none of them has an advantage before the others.

What was learned from more text, or from text that is more alike, scores higher on every text, and would win too often.
Held-out lines say by how much: it is a parameter of the posterior of each language, as sureness is one of all.

.. code-block:: none

    P(l | text) = exp(t (sureness score_l - sqrt(n) handicap_l)) / sum over m of exp(t (sureness score_m - ...))

n are the letters of the text, t is the exponent of the posterior for so many. An advantage grows with the text, or
short texts would be given to one language whatever they say; that it grows with the root is what lines that are whole
and lines that are cut agree on best. This is a conditional logit, whose likelihood has one maximum, which Newton's
method finds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from unilid.decisions.held_out import Floats, HeldOut
from unilid.decisions.temperature import Temperature

USUAL_HANDICAP = 0.8
"""Nats, times the root of the letters, that a language usually has before the others (a standard deviation): few lines
move its handicap no further."""
_NATS = 1 / 1024
"""Handicaps are rounded to this, so that the last bits of a machine's arithmetic are no part of a model."""
_STEPS = 50
_SMALL = 1e-3


class Odds(NamedTuple):
    """What a conditional logit found."""

    advantages: Floats
    """Nats, times the root of the letters, by which each language scores higher on every text than it should."""
    evidence: Floats
    """The log-likelihood of the true language of each text."""


def even_odds(held: HeldOut, languages: int, temperature: Temperature) -> Odds:
    """Fit sureness and handicaps to texts, all languages weighing alike.

    `held` must have the scores of all languages; the temperature says how much less sure longer texts are.
    """
    texts = np.arange(len(held.rows))
    scores = np.empty((len(texts), languages))
    np.put_along_axis(scores, held.best, held.top - held.top[:, :1], 1)
    scores *= temperature.at(held.letters)[:, None]
    roots = temperature.at(held.letters) * np.sqrt(held.letters)
    true = np.zeros(scores.shape)
    true[texts, held.rows] = 1
    weights = _weights(held, languages)
    parameters = start = np.array([1.0] + [0.0] * languages)
    precision = np.array([1.0] + [1 / USUAL_HANDICAP**2] * languages)

    def posterior(parameters: Floats) -> tuple[Floats, Floats]:
        """Return the log-likelihoods of the true languages, and the probabilities of all."""
        logits = parameters[0] * scores - roots[:, None] * parameters[1:]
        logits -= logits.max(axis=1, keepdims=True)
        odds = np.exp(logits)
        total = odds.sum(axis=1)
        return weights * (logits[texts, held.rows] - np.log(total)), odds / total[:, None]

    def objective(parameters: Floats) -> float:
        return float(posterior(parameters)[0].sum() - (precision * (parameters - start) ** 2).sum() / 2)

    def to_top(p: Floats) -> Floats:
        """Return the step to where the maximum would be, were the objective a parabola (Newton)."""
        mean = (p * scores).sum(axis=1)
        away = p * (scores - mean[:, None])
        gradient = np.concatenate([[weights @ (scores[texts, held.rows] - mean)], (weights * roots) @ (p - true)])
        heavy = (weights * roots**2)[:, None] * p
        curvature = np.empty((1 + languages, 1 + languages))
        curvature[0, 0] = weights @ (away * scores).sum(axis=1)
        curvature[0, 1:] = curvature[1:, 0] = -(weights * roots) @ away
        curvature[1:, 1:] = np.diag(heavy.sum(axis=0)) - heavy.T @ p
        return np.linalg.solve(curvature + np.diag(precision), gradient - precision * (parameters - start))

    for _ in range(_STEPS):
        step = to_top(posterior(parameters)[1])
        while objective(parameters + step) < objective(parameters) and np.abs(step).max() > _SMALL:
            step /= 2  # too far
        parameters = parameters + step
        if np.abs(step).max() < _SMALL:
            break
    return Odds(parameters[1:] / max(float(parameters[0]), _SMALL), posterior(parameters)[0])


def fit_handicaps(held: HeldOut, languages: int, temperature: Temperature) -> Floats | None:
    """Return the handicaps under which texts of all languages, each as frequent as the others, are told apart best.

    None where there is nothing to tell apart, or where a language has no lines: it may have any advantage.
    """
    lines = np.bincount(held.rows[held.whole & (held.letters > 0)], minlength=languages)
    if languages < 2 or not lines.all():
        return None
    advantages = even_odds(held, languages, temperature).advantages
    return np.asarray(np.round((advantages - advantages.min()) / _NATS) * _NATS)


def _weights(held: HeldOut, languages: int) -> Floats:
    """Return how much each text counts: languages count alike, and the cut texts of one as much as its whole ones."""
    has_letters = held.letters > 0
    weights = np.zeros(len(held.rows))
    for kind in (has_letters & held.whole, has_letters & ~held.whole):
        count = np.bincount(held.rows[kind], minlength=languages)
        share = (has_letters & held.whole).sum() / max(np.count_nonzero(count), 1)
        weights[kind] = (share / np.maximum(count, 1))[held.rows[kind]]
    return weights
