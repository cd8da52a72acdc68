"""Which predictions count, and of which completion id of its row each of them is."""

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from packer_reference.objectives.rows import Row
from packer_reference.objectives.shaping import field_of
from packer_reference.objectives.streams import unsampled

if TYPE_CHECKING:
    import torch

    _Tensor = torch.Tensor
else:
    _Tensor = Any

__all__ = ["Selection", "select"]


@dataclass(frozen=True)
class Selection:
    """The selected predictions of a batch, row by row.

    `mask` is bool [B, W] as the batch has it, less what carries no weight. `rows` and `positions`, int64 [N], are the
    true places of `mask[:, :-1]`. Row b has `lengths[b]` completion ids, and `chosen[b]` says which of them its
    predictions are of, ascending.
    """

    mask: _Tensor
    rows: _Tensor
    positions: _Tensor
    lengths: list[int]
    chosen: list[np.ndarray]


def select(rows: Sequence[Row], inputs: Sequence[Any], batch: Mapping[str, Any]) -> Selection:
    """The selection of a batch made of `inputs`, one for each of `rows`; the batch stays as it was.

    The packer's mask, without filler rows and without ids that the model did not sample. `ValueError` for a batch that
    does not hold these rows, and as `unsampled` raises it. Spec: objectives, OBJ-5, OBJ-11 and OBJ-15.
    """
    import torch

    ids, given = batch["input_ids"], batch["logprob_masks"]
    if ids.ndim != 2 or ids.shape != given.shape or len(ids) != len(rows):
        raise ValueError(
            f"objective: the packer's batch has input_ids {list(ids.shape)} and logprob_masks {list(given.shape)}, "
            f"expected [{len(rows)}, W] for both: one row for each policy input"
        )
    mask = np.array(given.numpy(), bool)
    lengths, chosen = [], []
    for number, (row, shaped) in enumerate(zip(rows, inputs, strict=True)):
        width = len(field_of(shaped, "input_ids"))
        length = int(mask[number].sum()) + operator.index(row.ignored) if row.length is None else row.length
        _expect_room(row, width, length)
        first = width - length - 1  # where the first completion id is predicted
        if row.filler:
            mask[number] = False
        else:
            mask[number, first : first + length] &= ~unsampled(row, length)
        lengths.append(length)
        chosen.append(np.flatnonzero(mask[number, :-1]) - first)
    final = torch.from_numpy(mask)
    at, positions = final[:, :-1].nonzero(as_tuple=True)
    return Selection(final, at, positions, lengths, chosen)


def _expect_room(row: Row, width: int, length: int) -> None:
    stored = 1 if row.prompt_ids is None else len(row.prompt_ids)
    if width < stored + length:
        raise ValueError(
            f"trajectory {row.trajectory}: the packer's row has {width} ids, fewer than the {stored} prompt_ids and "
            f"{length} completion ids it was given, so no stream has its place; was the row encoded anew?"
        )
