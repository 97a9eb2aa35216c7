"""The kernel's exponentials and logarithms, which have the same bits everywhere, are right to the last digits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from unilid import _kernel


def log(x: float) -> float:
    return float(_kernel.logarithms(np.array([x]))[0])


def units_apart(a: float, b: float) -> float:
    return abs(a - b) / math.ulp(b)


@given(st.floats(min_value=0, exclude_min=True, allow_infinity=False))
@example(5e-324)
@example(math.nextafter(1, 0))
@example(math.nextafter(1, 2))
@example(math.sqrt(0.5))
@example(1.7976931348623157e308)
def test_logarithms_err_by_less_than_two_units_of_the_last_place(x: float) -> None:
    assert units_apart(log(x), math.log(x)) < 2 or x == 1


@given(st.floats(-745.1, 709.7))
@example(-708.4)
@example(709.7)
@example(5e-324)
def test_exponentials_err_by_less_than_two_units_of_the_last_place(x: float) -> None:
    assert units_apart(_kernel.exponential(x), math.exp(x)) < 2


def test_what_is_beyond_the_numbers() -> None:
    assert [log(0.0), log(1.0), log(math.inf)] == [-math.inf, 0.0, math.inf]
    assert math.isnan(log(-1.0))
    assert math.isnan(log(math.nan))
    assert [_kernel.exponential(x) for x in (-math.inf, -800.0, 0.0, 711.0, math.inf)] == [0, 0, 1, math.inf, math.inf]
    assert math.isnan(_kernel.exponential(math.nan))


@pytest.mark.parametrize(
    ("x", "logarithm", "exponential"),
    [
        (0.1, "-0x1.26bb1bbb55515p+1", "0x1.cf46d99d52b3ap-1"),
        (0.3, "-0x1.34378fcbda721p+0", "0x1.7b4c869c37c05p-1"),
        (2.0, "0x1.62e42fefa39efp-1", "0x1.152aaa3bf81ccp-3"),
        (1e-05, "-0x1.7069e2aa2aa5bp+3", "0x1.fffeb07515653p-1"),
        (12.345, "0x1.41b236798645fp+1", "0x1.240572f47cb82p-18"),
    ],
)
def test_every_machine_gives_these_bits(x: float, logarithm: str, exponential: str) -> None:
    assert (log(x).hex(), _kernel.exponential(-x).hex()) == (logarithm, exponential)
