"""Numbers that callers give."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from unilid.errors import UnilidError
from unilid.numbers import finite_number, whole_number


@pytest.mark.parametrize("value", [1, 7, 10**30, np.int64(7), np.uint8(7), np.array(7)], ids=repr)
def test_whole_numbers_of_any_integer_type_are_taken(value: Any) -> None:
    found = whole_number("k", value)
    assert found == value
    assert type(found) is int


@pytest.mark.parametrize(
    "value",
    [
        *(0, -1, 1.0, 1.5, math.nan, math.inf, True, False, "3", b"3", None, [3], object()),
        *(Decimal(3), Fraction(3), np.float64(3), np.array([3, 4]), 3 + 0j),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_whole_number_is_named(value: Any) -> None:
    with pytest.raises(UnilidError, match=r"^cap must be a whole number from 1, not ") as caught:
        whole_number("cap", value)
    assert str(caught.value).endswith(repr(value))


def test_the_least_number_may_be_another() -> None:
    assert whole_number("seed", 0, 0) == 0
    assert whole_number("shift", -3, -3) == -3
    with pytest.raises(UnilidError, match="seed must be a whole number from 0, not -1"):
        whole_number("seed", -1, 0)
    for wrong in (False, "0", None):
        with pytest.raises(UnilidError, match="seed must be a whole number from 0"):
            whole_number("seed", wrong, 0)


@pytest.mark.parametrize("value", [0, -3, 0.5, np.float32(0.5), np.float64(2), np.int64(7), Fraction(1, 2)], ids=repr)
def test_finite_numbers_of_any_real_type_are_taken(value: Any) -> None:
    found = finite_number(value)
    assert found == value
    assert type(found) in (int, float)


@pytest.mark.parametrize(
    "value",
    [math.nan, math.inf, -math.inf, 10**400, Fraction(10**400), np.float64("nan"), True, np.True_, "1", None, [1], 1j],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_finite_number_is_none(value: Any) -> None:
    assert finite_number(value) is None
