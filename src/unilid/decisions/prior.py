"""Priors: how frequent each language is before a text was read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from unilid import _kernel
from unilid.decisions.held_out import Floats
from unilid.errors import CorpusError, UnilidError
from unilid.languages.codes import Index
from unilid.numbers import finite_number

Prior: TypeAlias = Literal["model", "training"] | Mapping[str, float] | None
"""How a prior is asked for; see `unilid.Options`."""

_ROUNDING = 1e-9
"""By how much probabilities that add up to 1 may exceed it."""


def log_prior(shares: Floats, rows: Sequence[int] | None = None) -> Floats:
    """Return the logarithm of each language's prior: -inf for those that do not compete, where `rows` names who does.

    >>> log_prior(np.array([1.0, 1.0, 2.0]), [0, 2]).round(3).tolist()
    [-1.099, -inf, -0.405]
    """
    if rows is not None:
        if not len(rows):
            raise UnilidError("languages is empty: at least one must compete")
        competing = np.zeros(len(shares))
        competing[list(rows)] = 1
        shares = shares * competing
    if not shares.sum() > 0:
        raise UnilidError("the prior excludes every language that may compete")
    # Not numpy's logarithm, whose last bit depends on the machine: the probability of an answer has it, too.
    return _kernel.logarithms(shares / shares.sum())


def shares_of(prior: Prior, index: Index, *, fitted: Floats | None, lines: npt.NDArray[np.int64]) -> Floats:
    """Return the share of each language under a prior, not yet normalised.

    `fitted` is the prior that was fitted for the model, `lines` are the training lines of its languages.
    """
    if isinstance(prior, Mapping):
        return _shares_of_mapping(prior, index)
    if prior is None:
        return np.ones(len(index.labels))
    if isinstance(prior, str) and prior == "model":
        return np.ones(len(index.labels)) if fitted is None else fitted
    if isinstance(prior, str) and prior == "training":
        return lines.astype(np.float64)
    raise UnilidError(f"prior must be None, 'model', 'training' or a mapping, not {prior!r}")


def _shares_of_mapping(prior: Mapping[str, float], index: Index) -> Floats:
    """Return what a mapping gives to its languages; the others share what it leaves of 1 equally."""
    shares = np.full(len(index.labels), -1.0)
    for code, probability in prior.items():
        share = finite_number(probability)
        if share is None or share < 0:
            raise UnilidError(f"the prior of {code} is {probability!r}; expected a probability")
        rows = index.rows_matching(code)
        twice = [index.labels[row] for row in rows if shares[row] >= 0]
        if twice:
            raise UnilidError(f"the prior of {code} names {twice[0]} again; give each language once")
        shares[rows] = share / len(rows)
    named = shares >= 0
    rest = 1.0 - shares[named].sum()
    if rest < -_ROUNDING:
        raise UnilidError(f"the prior adds up to {1 - rest:g}; probabilities add up to at most 1")
    shares[~named] = max(rest, 0.0) / max((~named).sum(), 1)
    return shares


def fit_prior(answers: Sequence[_kernel.Answers], languages: int, *, rounds: int = 100) -> Floats:
    """Return the shares of languages in texts: those under which the texts are most probable (EM).

    `answers` are the best languages of the texts with their probabilities under a uniform prior.
    """
    spoken = [chunk.verdicts == 0 for chunk in answers]
    if not any(mask.any() for mask in spoken):
        raise CorpusError("the texts for the prior have no language in them")
    rows = np.concatenate([chunk.rows[mask] for chunk, mask in zip(answers, spoken, strict=True)])
    probabilities = np.concatenate([chunk.probabilities[mask] for chunk, mask in zip(answers, spoken, strict=True)])
    rows = np.maximum(rows, 0)  # where fewer languages competed, the rest has no probability
    shares = np.full(languages, 1 / languages)
    for _ in range(rounds):
        weights = probabilities * shares[rows]
        weights /= weights.sum(axis=1, keepdims=True)
        # Half a text for all languages together: what was not seen yet is not impossible.
        counts = np.bincount(rows.ravel(), weights.ravel(), minlength=len(shares)) + 0.5 / len(shares)
        updated = counts / counts.sum()
        if np.abs(updated - shares).sum() < 1e-6:
            break
        shares = updated
    return np.asarray(shares)
