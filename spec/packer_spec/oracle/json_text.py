"""Chapter identity: the value that a JSON text stands for, with the types of its numbers."""

import json
import math
from typing import Any

__all__ = ["map_of", "value_of_text"]


def value_of_text(text: str) -> Any:
    """The value of a JSON text: a number without a point and an exponent is an integer, any other a double (IDENT-4).

    So `-0` is the integer 0. `ValueError` for a key that occurs twice in an object, for a number whose double is an
    infinity, for NaN and Infinity, which are no JSON, and for a text that is none.
    """
    return json.loads(text, object_pairs_hook=map_of, parse_float=_double, parse_constant=_no_number)


def map_of(pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
    """The map of these pairs; `ValueError` for a key that occurs twice."""
    keys = [key for key, _ in pairs]
    for key in keys:
        if keys.count(key) > 1:
            raise ValueError(f"the key {key!r} is there {keys.count(key)} times")
    return dict(pairs)


def _double(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text} is beyond every double")
    return number


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is no number of JSON")
