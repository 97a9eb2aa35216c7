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


def even_odds(held: HeldOut, languages: int, temperature: Temperature, *, handicaps: bool = True) -> Odds:
    """Fit sureness and handicaps, or sureness alone, to texts, all languages weighing alike.

    `held` must have the scores of all languages; the temperature says how much less sure longer texts are.
    """
    rows, texts = held.rows, np.arange(len(held.rows))
    scores = np.empty((len(rows), languages))
    np.put_along_axis(scores, held.best, held.top - held.top[:, :1], 1)
    weights = _weights(held, languages)
    exponents, roots = temperature.at(held.letters), np.sqrt(held.letters)
    features = np.zeros((len(rows), languages, 1 + languages))
    features[:, :, 0] = exponents[:, None] * scores
    features[:, range(languages), range(1, 1 + languages)] = -(exponents * roots)[:, None]
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
        return weights * (exponent[texts, rows] - np.log(total[:, 0])), odds / total

    def objective(parameters: Floats) -> float:
        return float(posterior(parameters)[0].sum() - (precision * (parameters - start) ** 2).sum() / 2)

    parameters = start
    for _ in range(_STEPS):
        p = posterior(parameters)[1]
        mean = np.einsum("il,ilf->if", p, features)
        gradient = weights @ (features[texts, rows] - mean) - precision * (parameters - start)
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


def fit_handicaps(held: HeldOut, languages: int, temperature: Temperature) -> Floats | None:
    """Return the handicaps under which texts of all languages, each as frequent as the others, are told apart best.

    None where they gain less than chance would (Akaike's criterion), or where a language has no lines: it may have any
    advantage.
    """
    if np.count_nonzero(np.bincount(held.rows[held.whole & (held.letters > 0)], minlength=languages)) < languages:
        return None
    odds = even_odds(held, languages, temperature)
    without = even_odds(held, languages, temperature, handicaps=False)
    if odds.evidence.sum() - without.evidence.sum() < languages - 1:
        return None
    return np.asarray(np.round((odds.advantages - odds.advantages.min()) / _NATS) * _NATS)


def _weights(held: HeldOut, languages: int) -> Floats:
    """Return how much each text counts: languages count alike, and the cut texts of one as much as its whole ones.

    Together they count as many texts as there are whole ones: what is cut from a line is no evidence of its own.
    """
    has_letters = held.letters > 0
    kinds = [has_letters & held.whole, has_letters & ~held.whole]
    counts = [np.bincount(held.rows[kind], minlength=languages) for kind in kinds]
    share = kinds[0].sum() / max(np.count_nonzero(counts[0]), 1) / np.maximum(np.count_nonzero(counts, axis=0), 1)
    weights = np.zeros(len(held.rows))
    for kind, count in zip(kinds, counts, strict=True):
        weights[kind] = (share / np.maximum(count, 1))[held.rows[kind]]
    return weights
