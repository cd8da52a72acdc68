"""Policy inputs cut to some of their positions, and joined into one row, with their records."""

import operator
from collections.abc import Iterable
from typing import Any

import numpy as np

from packer_reference.routing.attach import with_fields
from packer_reference.routing.records import all_or_none, as_record, expect_layout, sample_rows
from packer_schemas import MISSING_EXPERT

__all__ = ["cut_policy_input", "join_policy_inputs"]

_MEDIA = ("mm_kwargs", "mm_units", "mm_ranges")


def cut_policy_input(policy_input: Any, start: int, end: int) -> Any:
    """A copy that keeps the positions `start` to `end - 1`, 0 <= start < end <= L, and the rows `start` to `end - 2`.

    Its mask ends with 0, since the id that the last position predicts is gone. The record is a CPU tensor of its own,
    in the smallest signed type that holds its largest id, or None where there was none. `ValueError` for other borders,
    for media, which do not follow a cut, and for a record that does not fit; `TypeError` for borders or a record that
    are none. Spec: routing, ROUTE-12.
    """
    where, length = "cut_policy_input", len(policy_input.input_ids)
    first, last = _position("start", start), _position("end", end)
    if not 0 <= first < last <= length:
        raise ValueError(
            f"{where}: positions {first} to {last} of {length} input_ids, expected 0 <= start < end <= {length}"
        )
    _refuse_media(where, policy_input)
    mask = [*policy_input.logprob_masks[first : last - 1], 0]
    record = policy_input.forward_routing
    if record is not None:
        record = as_record([sample_rows(f"{where}: forward_routing", policy_input)[first : last - 1]])
    ids = list(policy_input.input_ids[first:last])
    return with_fields(policy_input, input_ids=ids, logprob_masks=mask, forward_routing=record)


def join_policy_inputs(policy_inputs: Iterable[Any]) -> Any:
    """One policy input of all, one after the other, of the first one's class; between two records lies a row of -1.

    The record is a CPU tensor of its own, in the smallest signed type that holds its largest id, or None where none has
    a record. `ValueError` for none to join, a record on some of them only, records that do not fit their ids or differ
    in layers or top_k, and media, whose rows do not follow a join; `TypeError` for a record that is none. Spec:
    routing, ROUTE-12.
    """
    where, samples = "join_policy_inputs", list(policy_inputs)
    if not samples:
        raise ValueError(f"{where} got 0 policy inputs, expected at least one")
    ids: list[int] = []
    mask: list[int] = []
    for sample in samples:
        _refuse_media(where, sample)
        ids += sample.input_ids
        mask += sample.logprob_masks
    record = None
    if all_or_none(where, [sample.forward_routing for sample in samples]):
        record = as_record(_with_borders(where, samples))
    return with_fields(samples[0], input_ids=ids, logprob_masks=mask, forward_routing=record)


def _with_borders(where: str, samples: list[Any]) -> list[np.ndarray]:
    parts: list[np.ndarray] = []
    for at, sample in enumerate(samples):
        named = f"{where}: sample {at}, forward_routing"
        rows = sample_rows(named, sample)
        if parts:
            expect_layout(named, rows, "sample 0", parts[0])
            parts.append(np.full((1, *rows.shape[1:]), MISSING_EXPERT, np.int8))
        parts.append(rows)
    return parts


def _position(name: str, given: Any) -> int:
    try:
        return operator.index(given)
    except TypeError:
        raise TypeError(f"cut_policy_input: {name} is {given!r}, expected a position, an integer") from None


def _refuse_media(where: str, policy_input: Any) -> None:
    for name in _MEDIA:
        if getattr(policy_input, name, None):
            raise ValueError(f"{where}: the policy input has {name}, and media do not follow; cut or join text alone")
