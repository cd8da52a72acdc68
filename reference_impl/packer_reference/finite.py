"""Numbers that somebody else computed: rewards, advantages and settings, which have to be finite."""

import math
from numbers import Real
from typing import Any

__all__ = ["FLOAT32_MOST", "finite_number"]

FLOAT32_MOST = (2 - 2**-23) * 2.0**127
"""The largest number of float32."""


def finite_number(value: Any, where: str, most: float = math.inf) -> float:
    """The number as a float: one of Python or numpy, or a tensor without dimensions.

    `ValueError`, which begins with `where`, for None, NaN, infinities, and numbers too large for float64 or beyond
    `most` in either direction; `TypeError` for what is no number.
    """
    if value is None:
        raise ValueError(f"{where} is None, expected a finite number")
    plain = value.item() if hasattr(value, "item") and getattr(value, "ndim", 0) == 0 else value
    if not isinstance(plain, Real):
        raise TypeError(f"{where} is {type(value).__name__} {value!r}, expected a finite number")
    try:
        number = float(plain)
    except OverflowError:
        raise ValueError(f"{where} is too large for float64, expected a finite number") from None
    if not math.isfinite(number):
        raise ValueError(f"{where} is {number}, expected a finite number")
    if abs(number) > most:
        raise ValueError(f"{where} is {number}, expected a finite number, at most {most:g}")
    return number
