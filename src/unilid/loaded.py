"""Models that are loaded once in a process, for functions that are called many times and given the name of a file."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TypeAlias

from unilid import _default
from unilid.model import Model, load

ModelLike: TypeAlias = Model | str | Path | None
"""A model, or what `unilid.load` takes: a path, ``"compact"``, ``"hf://user/name"``, None for the default model."""


def loaded(model: ModelLike = None) -> Model:
    """Return the model; one that is named is loaded once in a process.

    >>> loaded() is loaded(None), loaded(loaded()) is loaded()
    (True, True)
    """
    if model is None:
        return _default()
    return model if isinstance(model, Model) else _load(str(model))


@cache
def _load(path: str) -> Model:
    return load(path)
