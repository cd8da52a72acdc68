"""What a trainer does to samples and batches that are its own: it silences samples, and writes into a batch."""

import copy
from collections.abc import Iterator, MutableMapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from packproof.views import BatchView, PolicyView

__all__ = ["overwritten", "silenced"]


@contextmanager
def silenced(rows: Sequence[PolicyView], *, in_place: bool) -> Iterator[list[PolicyView]]:
    """The rows with zeros for masks, put in their place or written into them, where the packer's objects allow it.

    They are put back afterwards.
    """
    before = [(row.raw_mask, copy.deepcopy(row.raw_mask)) for row in rows]
    write = _write if in_place else _replace
    seen = []
    try:
        for row, (mask, _) in zip(rows, before, strict=True):
            with suppress(Exception):  # frozen, or computed: no trainer writes there
                write(row.raw, mask, _zeros_like(mask))
            seen.append(PolicyView.of(row.raw, row.call))
        yield seen
    finally:
        for row, (mask, values) in zip(rows, before, strict=True):
            with suppress(Exception):
                write(row.raw, mask, values if in_place else mask)


@contextmanager
def overwritten(batch: BatchView) -> Iterator[dict[str, Any]]:
    """Every tensor of the batch filled with ones, if it can be, for a caller may do with its batch what it likes.

    They are put back afterwards, so that a batch that the packer keeps is as it was for the next case.
    """
    import torch

    kept, columns = batch.kept(), {}
    for name, column in batch.column_tensors().items():
        with suppress(RuntimeError):  # an expanded tensor cannot be written to
            columns[name] = column.detach().copy_(torch.ones_like(column))
    try:
        yield columns
    finally:
        for name, column in columns.items():
            column.copy_(kept.columns[name])


def _zeros_like(mask: Any) -> Any:
    if isinstance(mask, (list, tuple)):
        return type(mask)([0] * len(mask))
    zeros = copy.deepcopy(mask)
    zeros[:] = 0
    return zeros


def _replace(raw: Any, _: Any, mask: Any) -> None:
    if isinstance(raw, MutableMapping):
        raw["logprob_masks"] = mask
    else:
        raw.logprob_masks = mask


def _write(_: Any, mask: Any, values: Any) -> None:
    mask[:] = values
