"""Chapter routing: recorded expert ids, laid beside the ids of the batch."""

from collections.abc import Sequence

from packer_spec.oracle.arrays import Array

__all__ = ["forward_replay_routing"]

_MISSING = -1
_RECORDED = ("int8", "int16", "int32", "int64", "uint8")
_BATCHED = (("int8", 2**7 - 1), ("int16", 2**15 - 1), ("int32", 2**31 - 1), ("int64", 2**63 - 1))


def forward_replay_routing(lengths: Sequence[int], records: Sequence[Array | None], max_len: int) -> Array | None:
    """The batch's routing `[B, max_len, layers, top_k]` for samples of `lengths` ids; None where none has a record.

    A record is integer `[L_i - 1, layers, top_k]`, one row per input position but the last (ROUTE-2). Row i of the
    batch is record i, value by value (ROUTE-6, ROUTE-11), then -1 up to `max_len`: the last position of a sample, and
    its filler, have no record, and are never expert 0 (ROUTE-7). The dtype is the smallest signed one that holds the
    largest expert id (ROUTE-10).

    `ValueError` for a record that some samples have and others lack (ROUTE-8), for another number of rows (ROUTE-3),
    for layers and top_k that differ from the first record's (ROUTE-9), for an id below -1 (ROUTE-4), and for a sample
    longer than `max_len` (COLL-12); `ValueError` or `TypeError` for a record with other axes or without integers
    (ROUTE-2).
    """
    present = [record for record in records if record is not None]
    if not present:
        return None
    if len(present) < len(records):
        raise ValueError(f"sample {records.index(None)} has no record, and {len(present)} of {len(records)} samples do")
    for at, (length, record) in enumerate(zip(lengths, present, strict=True)):
        _check(at, length, record, present[0], max_len)
    layers, top_k = present[0].shape[1:]
    values: list[int | float] = []
    for record in present:
        values += record.values
        values += [_MISSING] * ((max_len - record.shape[0]) * layers * top_k)
    largest = max([_MISSING, *(value for record in present for value in record.values)])
    dtype = next(name for name, most in _BATCHED if largest <= most)
    return Array(dtype, (len(present), max_len, layers, top_k), tuple(values))


def _check(at: int, length: int, record: Array, first: Array, max_len: int) -> None:
    if record.dtype not in _RECORDED:
        raise TypeError(f"sample {at} has a record of {record.dtype}, expected integers")
    if len(record.shape) != 3:
        raise ValueError(f"sample {at} has a record of shape {list(record.shape)}, expected [rows, layers, top_k]")
    if record.shape[0] != length - 1:
        raise ValueError(f"sample {at} has a record of {record.shape[0]} rows, expected {length - 1}")
    if record.shape[1:] != first.shape[1:]:
        raise ValueError(f"sample {at} has [layers, top_k] {list(record.shape[1:])}, sample 0 {list(first.shape[1:])}")
    if length > max_len:
        raise ValueError(f"sample {at} has {length} input_ids, more than max_len {max_len}")
    if min(record.values, default=0) < _MISSING:
        raise ValueError(f"sample {at} has a record that holds {min(record.values)}, expected expert ids or -1")
