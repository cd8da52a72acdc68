"""Samples with recorded routing, and batches of them, as the tables write them."""

from typing import Any

from packer_spec.oracle.arrays import Array
from packer_spec.vectors.arrays import written
from packer_spec.vectors.probe import Probe, Refusal

__all__ = ["batch", "none", "refused", "sample"]


def sample(
    length: int,
    values: list[int],
    *,
    layers: int = 1,
    top_k: int = 1,
    dtype: str = "int64",
    shape: list[int] | None = None,
    number: int = 1,
) -> dict[str, Any]:
    """A sample of `length` ids, from 110 on for number 1, with a record of these values."""
    first = 100 * number + 10
    own = shape or [len(values) // (layers * top_k), layers, top_k]
    return {"input_ids": list(range(first, first + length)), "record": written(Array(dtype, tuple(own), tuple(values)))}


def none(length: int, number: int = 1) -> dict[str, Any]:
    """A sample without a record."""
    return sample(length, [], number=number) | {"record": None}


def batch(note: str, max_len: int, *samples: dict[str, Any], experts: int | None = None) -> Probe:
    """Samples to be collated, with the number of experts where it is known."""
    known = {} if experts is None else {"experts": experts}
    return Probe(note, {"kind": "batch", "samples": list(samples), "max_len": max_len} | known)


def refused(
    note: str,
    max_len: int,
    *samples: dict[str, Any],
    says: tuple[Any, ...],
    kind: str = "ValueError",
    experts: int | None = None,
) -> Probe:
    """Samples that are refused in these words."""
    mentions = tuple(str(word) for word in says)
    return Probe(note, batch(note, max_len, *samples, experts=experts).input, Refusal(kind, mentions))
