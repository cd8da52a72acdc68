"""Chapter routing: recorded expert ids, laid beside the ids of the batch."""

from collections.abc import Sequence

from packer_spec.oracle.arrays import Array

__all__ = ["MISSING", "expect_layout", "expect_record", "forward_replay_routing", "smallest_dtype"]

MISSING = -1
"""Stands where there is no expert id."""

_RECORDED = ("int8", "int16", "int32", "int64", "uint8")
_BATCHED = (("int8", 2**7 - 1), ("int16", 2**15 - 1), ("int32", 2**31 - 1), ("int64", 2**63 - 1))


def forward_replay_routing(
    lengths: Sequence[int], records: Sequence[Array | None], max_len: int, experts: int | None = None
) -> Array | None:
    """The batch's routing `[B, max_len, layers, top_k]` for samples of `lengths` ids; None where none has a record.

    A record is integer `[L_i - 1, layers, top_k]`, one row per input position but the last (ROUTE-2). Row i of the
    batch is record i, value by value (ROUTE-6, ROUTE-11), then -1 up to `max_len`: the last position of a sample, and
    its filler, have no record, and are never expert 0 (ROUTE-7). The dtype is the smallest signed one that holds the
    largest expert id (ROUTE-10).

    `ValueError` for a record that some samples have and others lack (ROUTE-8), for another number of rows (ROUTE-3),
    for layers and top_k that differ from the first record's (ROUTE-9), for an id below -1, or not below `experts` where
    that is known (ROUTE-4), and for a sample longer than `max_len` (COLL-12); `ValueError` or `TypeError` for a record
    with other axes or without integers (ROUTE-2).
    """
    present = [record for record in records if record is not None]
    if not present:
        return None
    if len(present) < len(records):
        raise ValueError(f"sample {records.index(None)} has no record, and {len(present)} of {len(records)} samples do")
    for at, (length, record) in enumerate(zip(lengths, present, strict=True)):
        expect_record(f"sample {at}, forward_routing", record, length - 1)
        expect_layout(f"sample {at}", record, "sample 0", present[0])
        if length > max_len:
            raise ValueError(f"sample {at} has {length} input_ids, more than max_len {max_len}")
        _expect_known(at, record, experts)
    layers, top_k = present[0].shape[1:]
    values: list[int | float] = []
    for record in present:
        values += record.values
        values += [MISSING] * ((max_len - record.shape[0]) * layers * top_k)
    return Array(smallest_dtype(values), (len(present), max_len, layers, top_k), tuple(values))


def smallest_dtype(values: Sequence[int | float]) -> str:
    """The first of the signed types that holds the largest of these expert ids (ROUTE-10)."""
    return next(name for name, most in _BATCHED if max(values, default=MISSING) <= most)


def expect_record(where: str, record: Array, rows: int) -> None:
    """`ValueError` or `TypeError` unless the record has integers, three axes, that many rows, and nothing below -1."""
    if record.dtype not in _RECORDED:
        raise TypeError(f"{where} is a record of {record.dtype}, expected one of {', '.join(_RECORDED)}")
    if len(record.shape) != 3:
        raise ValueError(f"{where} is a record of shape {list(record.shape)}, expected [rows, layers, top_k]")
    if record.shape[0] != rows:
        raise ValueError(f"{where} is a record of {record.shape[0]} rows, expected {rows}")
    if min(record.values, default=0) < MISSING:
        raise ValueError(f"{where} is a record that holds {min(record.values)}, expected expert ids or -1")


def expect_layout(name: str, record: Array, first: str, of_first: Array) -> None:
    """`ValueError` unless layers and top_k are those of the first record (ROUTE-9)."""
    if record.shape[1:] != of_first.shape[1:]:
        raise ValueError(f"{name} has [layers, top_k] {list(record.shape[1:])}, {first} has {list(of_first.shape[1:])}")


def _expect_known(at: int, record: Array, experts: int | None) -> None:
    """The first id that is no expert of the model, where the number of its experts is known (ROUTE-4)."""
    for value in record.values:
        if experts is not None and value >= experts:
            raise ValueError(f"sample {at}, forward_routing holds {value}, and the model has {experts} experts")
