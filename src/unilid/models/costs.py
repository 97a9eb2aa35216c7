"""Log-probabilities as costs: whole steps of an eighth of a nat, in a byte."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

STEP = 0.125
"""Nats in a step. A power of two, so that every score is exact in floating point."""


def quantise(log_p: npt.NDArray[np.float64], limit: int) -> npt.NDArray[np.uint8]:
    """Return the costs of log-probabilities, at most `limit` steps.

    >>> quantise(np.log([1.0, 0.5, 1e-30]), 255).tolist()
    [0, 6, 255]
    """
    return np.clip(np.rint(-log_p / STEP), 0, limit).astype(np.uint8)
