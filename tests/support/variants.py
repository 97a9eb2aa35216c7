"""Models that differ from another in one thing, and ways to ask them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from unilid.decisions.answers import Prediction
from unilid.decisions.decide import best
from unilid.decisions.prior import Prior
from unilid.model import Model
from unilid.texts import Text


def with_settings(model: Model, **changes: Any) -> Model:
    return replace(model, parameters=replace(model.parameters, settings=replace(model.settings, **changes)))


def unbounded(model: Model) -> Model:
    return with_settings(model, bound=None)


def unigram_only(model: Model) -> Model:
    """The paper's scoring: every word counts, in full."""
    settings = replace(
        model.settings, order=None, unigram_weight=1.0, bound=None, signs=True, scripts=False, lexicon_size=0
    )
    parameters = replace(model.parameters, context=None, lexicon=None, scripts=None, settings=settings)
    return replace(model, parameters=parameters)


def fresh(model: Model) -> Model:
    """The same model with an empty cache."""
    return Model.from_bytes(model.to_bytes())


def answers(model: Model, texts: Sequence[Text], **options: Any) -> list[list[Prediction]]:
    return model.identify(texts, k=len(model.languages), **options)


def bare_best(
    model: Model, texts: Sequence[Text], *, prior: Prior = None, k: int = 1, threads: int = 1
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]:
    """The k best rows of each text, and their prior plus score."""
    log_prior = model._answerer.log_prior(None, prior)
    return best(model._answerer.scorers.scorer, texts, log_prior, k=k, threads=threads)
