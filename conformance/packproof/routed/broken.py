"""Which rules the records of some samples break, and what a message that refuses them has to name."""

import re
from collections.abc import Mapping, Sequence

from packer_schemas.routing_cases import RoutedSample
from packer_spec.oracle.arrays import Array
from packproof.routed.records import RECORDED, array_of, length_of

__all__ = ["FREE", "Words", "broken_rules", "largest", "only", "unmentioned"]

Words = tuple[str, ...]
"""Names and numbers that a message holds, each as a whole word."""

FREE = "ROUTE-2, free"
"""A record in an unsigned type of 16 or 32 bits, which may be taken or refused."""


def broken_rules(samples: Sequence[RoutedSample], experts: int | None = None) -> dict[str, Words]:
    """The rules that these records break together, each with what to name of the first sample that shows it."""
    records = [None if one.record is None else array_of(one.record) for one in samples]
    missing = [at for at, record in enumerate(records) if record is None]
    if len(missing) == len(records):
        return {}
    found: dict[str, Words] = {}
    if missing:
        found["ROUTE-8"] = (str(missing[0]), str(len(records) - len(missing)), str(len(records)))
    first: Array | None = None
    for at, (sample, record) in enumerate(zip(samples, records, strict=True)):
        if record is None:
            continue
        broken = _of_one(at, sample, record, experts)
        if not broken.keys() & {"ROUTE-2", FREE} and first is None:
            first = record
        if first is not None and len(record.shape) == 3 and record.shape[1:] != first.shape[1:]:
            broken["ROUTE-9"] = (str(at), *map(str, record.shape[1:]), *map(str, first.shape[1:]))
        found = broken | found
    return found


def _of_one(at: int, sample: RoutedSample, record: Array, experts: int | None) -> dict[str, Words]:
    named = ("forward_routing", str(at))
    if sample.container in ("list", "meta tensor") or len(record.shape) != 3 or record.dtype not in RECORDED:
        unsigned = sample.container in ("tensor", "numpy") and len(record.shape) == 3
        return {FREE if unsigned and record.dtype in ("uint16", "uint32") else "ROUTE-2": named}
    broken: dict[str, Words] = {}
    expected = length_of(sample) - 1
    if record.shape[0] != expected:
        broken["ROUTE-3"] = (*named, str(record.shape[0]), str(expected))
    beyond = [value for value in record.values if value < -1 or (experts is not None and value >= experts)]
    if beyond:
        broken["ROUTE-4"] = (*named, str(beyond[0])) if len(set(beyond)) == 1 else named
    return broken


def largest(samples: Sequence[RoutedSample]) -> int:
    """The largest expert id of all records, -1 where there is none."""
    values: list[int | float] = []
    for sample in samples:
        values += () if sample.record is None else array_of(sample.record).values
    return int(max(values, default=-1))


def unmentioned(words: Sequence[str], message: str) -> Words:
    """Those of the words that a message does not hold as whole words, not beside another letter or digit."""
    return tuple(one for one in words if not re.search(rf"(?<![\w]){re.escape(one)}(?!\w)", message))


def only(rule: str, samples: Sequence[RoutedSample], experts: int | None = None) -> str:
    """Why samples break another rule than this one, or an empty string."""
    others: Mapping[str, Words] = {one: words for one, words in broken_rules(samples, experts).items() if one != rule}
    return f"its records are for {', '.join(others)} to refuse" if others else ""
