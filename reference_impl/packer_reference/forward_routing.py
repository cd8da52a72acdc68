"""Recorded expert routing, padded into the batch beside the ids it belongs to."""

from collections.abc import MutableMapping
from typing import Any

import numpy as np

from packer_schemas import FORWARD_REPLAY_BATCH_KEY, MISSING_EXPERT, ROUTING_DTYPES
from packer_schemas.tensor import is_tensor

__all__ = ["add_forward_routing"]


def add_forward_routing(batch: Any, processed_samples: Any, max_len: int) -> None:
    """Put the samples' `forward_routing` into `batch` under `forward_replay_routing`, if they carry any.

    Each record is integer `[L-1, layers, top_k]`, one row per input id but the last. The batch gets an integer tensor
    `[B, max_len, layers, top_k]` on CPU: sample i's rows first, -1 wherever there is no record; its type is the
    smallest signed one that holds every value. Nothing happens when no sample carries routing. Raises `ValueError` when
    only some do, when rows, layers or top_k disagree, when a record is longer than `max_len` or holds a number below
    -1; `TypeError` for a record that is no integer array. Spec: design, routing.
    """
    import torch  # here, so that importing the package stays cheap

    samples = list(processed_samples)
    records = [getattr(sample, "forward_routing", None) for sample in samples]
    missing = [at for at, record in enumerate(records) if record is None]
    if len(missing) == len(records):
        return
    if missing:
        raise ValueError(
            f"add_forward_routing: sample {missing[0]} carries no forward_routing, and "
            f"{len(records) - len(missing)} of {len(records)} samples do; replay needs it on all of them or none"
        )
    arrays = [_record(at, sample, record) for at, (sample, record) in enumerate(zip(samples, records, strict=True))]
    layout = arrays[0].shape[1:]
    for at, rows in enumerate(arrays):
        if rows.shape[1:] != layout:
            raise ValueError(
                f"add_forward_routing: sample {at} has [layers, top_k] = {list(rows.shape[1:])}, sample 0 has "
                f"{list(layout)}; one batch needs one layout"
            )
        if len(rows) + 1 > max_len:
            raise ValueError(
                f"add_forward_routing: sample {at} has {len(rows) + 1} input_ids, more than max_len={max_len}; "
                "nothing is truncated"
            )
    routing = np.full((len(arrays), max_len, *layout), MISSING_EXPERT, _smallest_dtype(arrays))
    for at, rows in enumerate(arrays):
        routing[at, : len(rows)] = rows
    _store(batch, torch.from_numpy(routing))


def _store(batch: MutableMapping[str, Any], routing: Any) -> None:
    ids = batch.get("input_ids")
    if ids is not None and list(ids.shape) != list(routing.shape[:2]):
        raise ValueError(
            f"add_forward_routing: the batch's input_ids are {list(ids.shape)}, the routing would be "
            f"{list(routing.shape)}; pass the samples and the max_len that the batch was collated with"
        )
    batch[FORWARD_REPLAY_BATCH_KEY] = routing


def _record(at: int, sample: Any, record: Any) -> np.ndarray:
    where = f"add_forward_routing: sample {at}, forward_routing"
    if is_tensor(record):
        if record.device.type != "cpu":
            raise ValueError(f"{where} lies on {record.device}; move it to the CPU before packing")
        integer = str(record.dtype).removeprefix("torch.").startswith(("int", "uint"))
        record = record.numpy() if integer else record
    integer = isinstance(record, np.ndarray) and record.dtype.kind in "iu"
    if not integer:
        got = f"a {record.dtype} {type(record).__name__}" if hasattr(record, "dtype") else type(record).__name__
        raise TypeError(f"{where} is {got}, expected an integer tensor [input ids - 1, layers, top_k]")
    if record.ndim != 3:
        raise ValueError(f"{where} has shape {list(record.shape)}, expected [input ids - 1, layers, top_k]")
    expected = len(sample.input_ids) - 1
    if len(record) != expected:
        raise ValueError(
            f"{where} has {len(record)} rows, expected {expected}: one per input id but the last, "
            f"for {expected + 1} input_ids"
        )
    lowest = int(record.min(initial=0))
    if lowest < MISSING_EXPERT:
        raise ValueError(f"{where} holds {lowest}, expected expert ids, or {MISSING_EXPERT} where none was recorded")
    return record


def _smallest_dtype(arrays: list[np.ndarray]) -> str:
    highest = [int(rows.max(initial=0)) for rows in arrays]
    for name in ROUTING_DTYPES:
        if max(highest) <= np.iinfo(name).max:
            return name
    at, expert = next((at, one) for at, one in enumerate(highest) if one > np.iinfo(ROUTING_DTYPES[-1]).max)
    raise ValueError(
        f"add_forward_routing: sample {at}, forward_routing: expert id {expert} does not fit {ROUTING_DTYPES[-1]}"
    )
