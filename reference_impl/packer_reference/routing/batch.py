"""Recorded expert routing, padded into the batch beside the ids it belongs to."""

from collections.abc import MutableMapping
from typing import Any

import numpy as np

from packer_reference.routing.records import (
    all_or_none,
    expect_experts,
    expect_layout,
    expect_rows,
    read_record,
    smallest_dtype,
)
from packer_schemas import FORWARD_REPLAY_BATCH_KEY, MISSING_EXPERT

__all__ = ["add_forward_routing"]

_WHERE = "add_forward_routing"


def add_forward_routing(batch: Any, processed_samples: Any, max_len: int, experts: int | None = None) -> None:
    """Put the samples' `forward_routing` into `batch` under `forward_replay_routing`, if they carry any.

    Each record is integer `[L-1, layers, top_k]`, one row per input id but the last. The batch gets an integer tensor
    `[B, max_len, layers, top_k]` on CPU: sample i's rows first, -1 wherever there is no record; its type is the
    smallest signed one that holds every value. Nothing happens when no sample carries routing. Raises `ValueError` when
    only some do, when rows, layers or top_k disagree, when a record is longer than `max_len` or holds a number below
    -1, or one of `experts` or more where that is known; `TypeError` for a record that is no integer array.
    Spec: routing, ROUTE-1 to ROUTE-11.
    """
    import torch  # here, so that importing the package stays cheap

    samples = list(processed_samples)
    records = [getattr(sample, "forward_routing", None) for sample in samples]
    if not all_or_none(_WHERE, records):
        return
    arrays, largest = [], MISSING_EXPERT
    for at, (sample, record) in enumerate(zip(samples, records, strict=True)):
        named = f"{_WHERE}: sample {at}, forward_routing"
        rows, length = read_record(named, record), len(sample.input_ids)
        expect_rows(named, rows, length - 1, f"one per input id but the last, for {length} input_ids")
        if length > max_len:
            raise ValueError(
                f"{_WHERE}: sample {at} has {length} input_ids, more than max_len={max_len}; nothing is truncated"
            )
        largest = max(largest, expect_experts(named, rows, experts))
        arrays.append(rows)
        expect_layout(named, rows, "sample 0", arrays[0])
    routing = np.empty((len(arrays), max_len, *arrays[0].shape[1:]), smallest_dtype(largest))
    for row, rows in zip(routing, arrays, strict=True):
        row[: len(rows)] = rows
        row[len(rows) :] = MISSING_EXPERT
    _store(batch, torch.from_numpy(routing))


def _store(batch: MutableMapping[str, Any], routing: Any) -> None:
    ids = batch.get("input_ids")
    if ids is not None and list(ids.shape) != list(routing.shape[:2]):
        raise ValueError(
            f"{_WHERE}: the batch's input_ids are {list(ids.shape)}, the routing would be {list(routing.shape)}; "
            "pass the samples and the max_len that the batch was collated with"
        )
    batch[FORWARD_REPLAY_BATCH_KEY] = routing
