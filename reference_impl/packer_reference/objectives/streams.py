"""The recorded numbers beside the selected predictions: entry j of a stream stands at the prediction of id j."""

from collections.abc import Iterator, Sequence
from numbers import Real
from typing import Any

import numpy as np

from packer_reference.finite import FLOAT32_MOST, finite_number
from packer_reference.group_labels import plain_values
from packer_reference.objectives.rows import Part, Row

__all__ = ["advantages_beside", "logprobs_beside", "unsampled"]


def unsampled(row: Row, length: int) -> np.ndarray:
    """Which of the row's `length` completion ids the model did not sample, bool.

    `ValueError` for a `sampled` of another length than its ids, or with entries other than 0 and 1. Spec: OBJ-15.
    """
    weightless = np.ones(length, bool)
    for part in row.parts:
        count = length if part.length is None else part.length
        sampled = part.streams.get("sampled")
        weightless[part.start : part.start + count] = False if sampled is None else _zeros(part.name, sampled, count)
    return weightless


def logprobs_beside(row: Row, length: int, chosen: np.ndarray, needed: bool) -> np.ndarray:
    """The recorded logprob of each completion id in `chosen`, ascending places in the row's `length` ids; float64.

    `ValueError` where one is absent, no number, or the stream is not as long as its ids; where they are not `needed`,
    NaN stands there instead. Spec: objectives, OBJ-7 and OBJ-8.
    """
    found = np.full(len(chosen), np.nan)
    if needed and len(chosen) and not 0 <= chosen[0] <= chosen[-1] < length:
        outside = next(int(one) for one in chosen if not 0 <= one < length)
        raise ValueError(
            f"trajectory {row.trajectory}: the packer's mask selects the prediction of completion id {outside} of "
            f"{length}, for which no logprob was recorded; is the mask shifted, or was the row encoded anew?"
        )
    for part, among, places in _parts(row, length, chosen):
        count = length if part.length is None else part.length
        if needed:
            found[among] = _entries(_logprobs(part), f"{part.name}: logprobs", count, places)
        else:
            entries = _numbers(part.streams.get("logprobs"))
            if entries is not None and len(entries) == count:
                found[among] = entries[places]
    return found


def advantages_beside(row: Row, length: int, chosen: np.ndarray, advantage: Any) -> np.ndarray:
    """The advantage of each completion id in `chosen`: the trajectory's number, or its list's entries; float64.

    `ValueError` for one that is not finite and a list that has not one entry for each completion id of the trajectory.
    Spec: objectives, OBJ-7 and OBJ-8.
    """
    where = f"trajectory {row.trajectory}: advantages"
    if not len(chosen):
        return np.empty(0)
    if not isinstance(advantage, Sequence) and not getattr(advantage, "ndim", 0):
        return np.full(len(chosen), finite_number(advantage, where, FLOAT32_MOST))
    if not 0 <= chosen[0] <= chosen[-1] < length:
        raise ValueError(f"{where}: a list of entries, and the packer's mask selects what is no completion id")
    places = np.empty(len(chosen), np.intp)
    for part, among, inside in _parts(row, length, chosen):
        places[among] = part.entry + inside
    return _entries(plain_values(advantage, where), where, length if row.total is None else row.total, places)


def _parts(row: Row, length: int, chosen: np.ndarray) -> Iterator[tuple[Part, slice, np.ndarray]]:
    """For each part with places in `chosen`: where those stand there, and the same places counted in the part."""
    for part in row.parts:
        count = length if part.length is None else part.length
        first, last = np.searchsorted(chosen, (part.start, part.start + count)).tolist()
        if first < last:
            yield part, slice(first, last), chosen[first:last] - part.start


def _zeros(name: str, sampled: Any, count: int) -> np.ndarray:
    stream = plain_values(sampled, f"{name}: sampled")
    _expect_length(f"{name}: sampled", len(stream), count)
    entries = _numbers(stream)
    wrong = np.arange(count) if entries is None else np.flatnonzero((entries != 0) & (entries != 1))
    if len(wrong):
        raise ValueError(f"{name}: sampled[{wrong[0]}] is {stream[wrong[0]]!r}, expected 0 or 1")
    return entries == 0


def _logprobs(part: Part) -> list[Any]:
    logprobs = part.streams.get("logprobs")
    if logprobs is None:
        missing = part.streams.get("logprobs_missing")
        named = f"; logprobs_missing names {', '.join(map(str, missing))}" if missing is not None else ""
        raise ValueError(
            f"{part.name}: no logprobs{named}; record one for each completion id, or use "
            "make_objective(kind='policy_gradient'), which needs none"
        )
    return plain_values(logprobs, f"{part.name}: logprobs")


def _entries(stream: list[Any], where: str, count: int, places: np.ndarray) -> np.ndarray:
    _expect_length(where, len(stream), count)
    entries = _numbers(stream)
    if entries is None:
        raise ValueError(f"{where}: {stream!r:.80} is no list of numbers")
    read = entries[places]
    if not (np.abs(read) <= FLOAT32_MOST).all():  # which NaN is not either
        for at in places.tolist():
            finite_number(stream[at], f"{where}[{at}]", FLOAT32_MOST)
    return read


def _numbers(stream: Any) -> np.ndarray | None:
    """The stream as float64, with NaN for None; None where it is absent or holds anything but numbers."""
    if stream is None:
        return None
    try:
        values = plain_values(stream, "stream")
        entries = np.array([np.nan if value is None else value for value in values] if None in values else values)
    except ValueError:  # no list, lists of different lengths, or arrays that are compared with None
        return None
    if entries.dtype == object and all(isinstance(value, Real) for value in entries.flat):
        entries = np.array([_float64(value) for value in values])
    return entries.astype(np.float64) if entries.ndim == 1 and (entries.dtype.kind in "fiub" or not values) else None


def _float64(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:  # integers have no bound
        return np.inf


def _expect_length(where: str, got: int, expected: int) -> None:
    if got != expected:
        raise ValueError(f"{where} has {got} entries, expected {expected}, one for each completion id")
