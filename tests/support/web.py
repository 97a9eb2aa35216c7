"""Models that the JavaScript package is tried with: every form that a file can have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

import unilid
from support.calibration import RULES, TRAINING, VALIDATION, context_model, paper_model
from support.models import fitted_model, small_model
from support.whole_words import whole_word_model
from unilid import Model

COMPACT = Path(unilid.__file__).with_name("compact.unilid")
"""The model that a page loads."""


@cache
def paper() -> Model:
    """Tokens alone, and narrow wins re-ranked."""
    return unilid.calibrate(paper_model(), TRAINING, rules=RULES["re-rank most"], threads=1)


@cache
def calibrated() -> Model:
    """Tokens and characters; validation lines chose who is re-ranked."""
    return unilid.calibrate(context_model(), TRAINING, validation=VALIDATION, threads=1)


@cache
def handicapped() -> Model:
    """Some languages score too much on every text; a prior was fitted beside that."""
    model = context_model()
    decisions = replace(model.decisions, handicaps=np.linspace(0, 0.7, len(model.languages)))
    sample = [lines[0] for lines in TRAINING.values()]
    return unilid.calibrate(replace(model, decisions=decisions), TRAINING, prior_from=sample, threads=1)


WEB_MODELS: dict[str, Callable[[], Model]] = {
    "small": small_model,
    "fitted": fitted_model,
    "whole words": whole_word_model,
    "paper": paper,
    "calibrated": calibrated,
    "handicapped": handicapped,
}
