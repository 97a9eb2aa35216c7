"""Small models that several tests share."""

from __future__ import annotations

from functools import cache
from typing import Any

import unilid
from support.corpora import CORPUS, text_of_all
from unilid.model import Model
from unilid.models.vocabulary import Vocabulary
from unilid.store import modelfile


@cache
def vocabulary() -> Vocabulary:
    return train(["dan", "ell", "eng"], vocabulary=420).vocabulary


def train(labels: list[str], **options: Any) -> Model:
    options = {"vocabulary": 420, "context": "characters", "tune": False, "threads": 1, **options}
    return unilid.train({label: CORPUS[label] for label in labels}, **options)


@cache
def small_model() -> Model:
    """All languages, both word models, with a bound; never saved."""
    return train(list(CORPUS))


@cache
def fitted_model() -> Model:
    """Probabilities and rejection fitted on held-out lines."""
    return unilid.train(text_of_all(100), vocabulary=600, threads=1)


def decoded(content: bytes) -> tuple[modelfile.Arrays, dict[str, Any]]:
    """Return the arrays and the metadata of a model."""
    with modelfile.decoding(content, "model") as found:
        return found
