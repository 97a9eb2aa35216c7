"""Numbers that callers give: checked once, with a sentence that names them."""

from __future__ import annotations

import math
import operator
from numbers import Real

from unilid.errors import UnilidError


def whole_number(name: str, value: object, least: int = 1) -> int:
    """Return a whole number of any integer type that is at least `least`.

    >>> whole_number("k", 3)
    3
    """
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        number = least - 1
    if number < least or isinstance(value, bool):
        raise UnilidError(f"{name} must be a whole number from {least}, not {value!r}")
    return number


def finite_number(value: object) -> float | None:
    """Return a number of any real type (numpy's too) as Python's own; None for what is not a finite number.

    >>> finite_number(3), finite_number(0.5), finite_number(10**400), finite_number(float("nan")), finite_number(True)
    (3, 0.5, None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        return None
    try:
        number = float(value)
    except (OverflowError, ValueError):
        return None
    if not math.isfinite(number):
        return None
    return int(value) if isinstance(value, int) else number
