"""Decisions in a file: they come back as they were, and those that make no sense are refused, and named."""

from __future__ import annotations

import copy
import math
import re
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from support.calibration import TRAINING, VALIDATION, context_model
from support.models import decoded

import unilid
from unilid import Model
from unilid.store import modelfile

Change = Callable[[modelfile.Arrays, dict[str, Any]], object]


@cache
def everything() -> Model:
    prior_from = VALIDATION["deu_Latn"] + VALIDATION["rus_Cyrl"][:9]
    return unilid.calibrate(context_model(), TRAINING, validation=VALIDATION, rules="paper", prior_from=prior_from)


def refused(change: Change) -> str:
    arrays, metadata = decoded(everything().to_bytes())
    arrays, metadata = {name: array.copy() for name, array in arrays.items()}, copy.deepcopy(metadata)
    change(arrays, metadata)
    metadata.pop("format")
    with pytest.raises(unilid.ModelFileError, match="damaged: ") as caught:
        Model.from_bytes(modelfile.encode(arrays, metadata))
    return str(caught.value)


def put(name: str, array: Any) -> Change:
    return lambda arrays, _: arrays.update({name: array})


ARRAYS = [
    *(f"rejection.{name}" for name in ("usual", "spread", "limits", "least")),
    *(f"calibration.{name}" for name in ("thresholds", "replaces", "unseen")),
    "prior",
]


@pytest.mark.parametrize("name", ARRAYS)
def test_a_decision_array_that_is_not_one_is_named(name: str) -> None:
    array = decoded(everything().to_bytes())[0][name]
    for wrong in (array[:-1], array[:0], np.append(array, array[:1])):
        assert f"'{name}'" in refused(put(name, wrong))
    if name != "prior":  # which a model need not have
        assert f"'{name}' is missing" in refused(lambda arrays, _: arrays.pop(name))
    if array.dtype == np.float64:
        for value in (-1.0, math.nan):
            changed = array.copy()
            changed[1] = value
            assert f"'{name}'" in refused(put(name, changed))
    else:
        assert f"'{name}'" in refused(put(name, array.astype(np.float64)))


def test_a_language_that_replaces_more_than_once_is_refused() -> None:
    assert "'calibration.replaces'" in refused(lambda arrays, _: arrays["calibration.replaces"].__setitem__(0, 2))


def test_a_prior_that_adds_up_to_something_else_is_refused() -> None:
    prior = decoded(everything().to_bytes())[0]["prior"]
    for factor in (0.5, 2.0, 0.0):
        assert "prior adds up to" in refused(put("prior", prior * factor))


@pytest.mark.parametrize(
    "value",
    [None, [], 5, "123", [1.0, 2.0, 3.0, 4.0], [1.0, 0.0, 0.5], [1.0, -1.0, 0.5], [math.nan, 1.0, 1.0],
     [math.inf, 1.0, 1.0], ["1", 1.0, 1.0], [[1.0], 1.0, 1.0], {}],
    ids=repr,
)  # fmt: skip
def test_a_temperature_that_is_none_is_refused(value: Any) -> None:
    refused(lambda _, metadata: metadata["decisions"].update(temperature=value))


@pytest.mark.parametrize(
    "value", [[], [1.0], [1.0, -1.0], [1.0, 1.0, 1.0], ["a", 1.0], None, 3.0, [math.nan, 1.0]], ids=repr
)
def test_a_scatter_that_is_none_is_refused(value: Any) -> None:
    refused(lambda _, metadata: metadata["decisions"].update(rejection=value))


@pytest.mark.parametrize(
    ("name", "value"),
    [("ranks", 0), ("ranks", "5"), ("ranks", None), ("distance", math.nan), ("distance", "far"), ("percentile", []),
     ("unseen", True), ("low_resource", math.inf), ("min_margins", None)],
)  # fmt: skip
def test_rules_that_make_no_sense_are_refused_and_named(name: str, value: Any) -> None:
    assert re.search(name, refused(lambda _, metadata: metadata["decisions"]["calibration"].update({name: value})))


@pytest.mark.parametrize("value", [None, 5, [], "paper"], ids=repr)
def test_rules_that_are_no_rules_are_refused(value: Any) -> None:
    refused(lambda _, metadata: metadata["decisions"].update(calibration=value))


def test_rules_of_a_later_version_are_passed_over() -> None:
    arrays, metadata = decoded(everything().to_bytes())
    metadata["decisions"]["calibration"]["later"] = 1
    metadata["decisions"]["later"] = 1
    metadata.pop("format")
    assert Model.from_bytes(modelfile.encode(arrays, metadata)).to_bytes() == everything().to_bytes()
