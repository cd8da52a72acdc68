"""How a body samples: the keys of the chapter, read and checked once."""

import math
import operator
from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

from packer_reference.token_ids import token_ids

__all__ = ["DEFAULT_MAX_TOKENS", "Sampling", "read_sampling"]

DEFAULT_MAX_TOKENS = 256
"""The largest completion where `sampling` names none."""

_OWN_KEYS = ("n", "temperature", "max_tokens", "stop_token_ids", "seed")


@dataclass(frozen=True)
class Sampling:
    """The settings of a body; `stop_token_ids` None stands for the end-of-sequence id of the packer's tokenizer."""

    n: int = 1
    temperature: float = 1.0
    max_tokens: int = DEFAULT_MAX_TOKENS
    stop_token_ids: tuple[int, ...] | None = None
    seed: int | None = None
    engine: dict[str, Any] = field(default_factory=dict)


def read_sampling(given: Any, body: str) -> Sampling:
    """`given`, a mapping or None, as settings; keys that are not the contract's end up in `engine`.

    `ValueError` names the body, the key and the value for a number outside its range or of another kind, `TypeError`
    for what is no mapping. The mapping stays as it is, and nothing of it is kept. Spec: bodies, BODY-10 and BODY-16.
    """
    if given is None:
        return Sampling()
    if not isinstance(given, Mapping):
        raise TypeError(f"{body}: sampling is a {type(given).__name__}, expected a mapping such as {{'n': 4}}")
    where = f"{body}: sampling"
    stop = given.get("stop_token_ids")
    return Sampling(
        n=_at_least_one(given.get("n", 1), f"{where}['n']", "completions per sample"),
        temperature=_temperature(given.get("temperature", 1.0), f"{where}['temperature']"),
        max_tokens=_at_least_one(given.get("max_tokens", DEFAULT_MAX_TOKENS), f"{where}['max_tokens']", "ids"),
        stop_token_ids=None if stop is None else tuple(token_ids(stop, f"{where}['stop_token_ids']")),
        seed=_seed(given.get("seed"), f"{where}['seed']"),
        engine={key: value for key, value in given.items() if key not in _OWN_KEYS},
    )


def _at_least_one(value: Any, where: str, what: str) -> int:
    number = _integer(value)
    if number is None or number < 1:
        raise ValueError(f"{where} is {value!r}, expected an integer of at least 1: the number of {what}")
    return number


def _temperature(value: Any, where: str) -> float:
    number = _real(value)
    if number is None or number < 0:
        raise ValueError(f"{where} is {value!r}, expected a finite number of at least 0; 0 takes the likeliest id")
    return number


def _seed(value: Any, where: str) -> int | None:
    if value is not None and _integer(value) is None:
        raise ValueError(f"{where} is {value!r}, expected an integer or None")
    return _integer(value)


def _real(value: Any) -> float | None:
    """The value as a plain finite float, a scalar of NumPy too; None for what is none, and a bool is none."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _integer(value: Any) -> int | None:
    """The value as a plain int; None for what is no integer, and a bool is none."""
    try:
        return None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        return None
