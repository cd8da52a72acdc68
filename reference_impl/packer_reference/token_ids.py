"""Token ids as they come in, out as a fresh list of plain ints, or an error that says which one is wrong."""

import marshal
from typing import Any

import numpy as np

from packer_schemas.tensor import is_tensor

__all__ = ["token_ids"]

_ACCEPTED = "a list, a tuple, a NumPy integer array or a one-dimensional integer tensor"


def token_ids(values: Any, field: str) -> list[int]:
    """The ids in `values`, verbatim, as a new list of plain Python ints that shares nothing with `values`.

    Accepts a list or tuple of ints or NumPy integers, a 1-D NumPy integer array and a 1-D integer tensor. Raises
    `TypeError` for another container or an element that is no integer (bools and floats are none), and `ValueError`
    for a negative id or an array of other than one dimension; both name `field`, the position and the value.
    An empty input gives an empty list. Spec: authority, AUTH-7 and AUTH-8.
    """
    if isinstance(values, (list, tuple)):
        ids = list(values)
        return ids if _all_plain(ids) else [_plain(value, at, field) for at, value in enumerate(ids)]
    if isinstance(values, np.ndarray):
        integer, what = values.dtype.kind in "iu", f"a NumPy {values.dtype} array"
    elif is_tensor(values):
        dtype = str(values.dtype).removeprefix("torch.")
        integer, what = dtype.startswith(("int", "uint")), f"a {dtype} tensor"
    else:
        raise TypeError(f"{field}: got {_shown(values)}, expected token ids: {_ACCEPTED}")
    if not integer:
        raise TypeError(f"{field}: got {what}, expected integer token ids; nothing is cast to an id")
    if values.ndim != 1:
        raise ValueError(f"{field}: got {what} of shape {list(values.shape)}, expected one dimension: one id per token")
    ids = values.tolist()
    return ids if _all_plain(ids) else [_plain(value, at, field) for at, value in enumerate(ids)]


def _all_plain(ids: list[Any]) -> bool:
    """Whether every element is exactly an int from 0 to 2**31 - 1; False also means "look at them one by one".

    This is the hot path: asking `type()` of every element and comparing it with zero costs twice the rest of a
    policy input. `marshal` writes exact ints of 32 bits, and nothing else, as five bytes: "i" and the value, low byte
    first. Bools, floats, int subclasses and NumPy scalars get another tag or are refused. So if the dump has five
    bytes per element and "i" in every fifth place, then by induction every element is such an int, and it is not
    negative if its last byte is below 128. Were the format ever to change, this only falls back to the slow check.
    """
    try:
        dump = marshal.dumps(ids, 2)  # format 2: without the reference flags that later formats set in the tag
    except ValueError:
        return False
    count = len(ids)
    return len(dump) == 5 + 5 * count and dump[5::5] == b"i" * count and dump[9::5].isascii()


def _plain(value: Any, at: int, field: str) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{field}[{at}] is {_shown(value)}, expected a token id: an integer, 0 or more")
    if value < 0:
        raise ValueError(f"{field}[{at}] is {int(value)}, expected a token id: an integer, 0 or more")
    if value >= 2**63:
        raise ValueError(f"{field}[{at}] is {int(value)}, which does not fit the int64 of a batch")
    return int(value)


def _shown(value: Any) -> str:
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) <= 60 else text[:57] + '...'}"
