"""Records on their way from the rollout to the trainer: all rows in one array, and how many each sample has."""

from collections.abc import Iterable
from typing import Any

from packer_reference.routing.records import all_or_none, as_record, expect_layout, sample_rows

__all__ = ["flatten_routing"]


def flatten_routing(policy_inputs: Iterable[Any]) -> tuple[Any, list[int]] | None:
    """The records of all samples, unpadded: one tensor `[rows, layers, top_k]`, and each sample's number of rows.

    The tensor is on CPU, in memory of its own, in the smallest signed type that holds its largest id;
    `rows.split(counts)` gives the records again. None where no sample has a record. `ValueError` where only some have,
    and for records that do not fit their ids or differ in layers or top_k; `TypeError` for a record that is none.
    Spec: routing, ROUTE-15.
    """
    where, samples = "flatten_routing", list(policy_inputs)
    if not all_or_none(where, [sample.forward_routing for sample in samples]):
        return None
    records = [sample_rows(f"{where}: sample {at}, forward_routing", sample) for at, sample in enumerate(samples)]
    for at, rows in enumerate(records):
        expect_layout(f"{where}: sample {at}, forward_routing", rows, "sample 0", records[0])
    return as_record(records), [len(rows) for rows in records]
