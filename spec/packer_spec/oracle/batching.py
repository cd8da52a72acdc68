"""Chapter dataflow: how the samples of one stream become groups."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Sequential", "fixed_size", "sequential"]

_ENDS = ("span", "short", "drop")
_OVERSIZE = ("refuse", "alone", "drop")


def fixed_size(
    epochs: Sequence[Sequence[Any]], batch_size: int, epoch_end: str, *, ends: bool = False, drop_last: bool = False
) -> tuple[list[list[Any]], list[Any]]:
    """The groups of a stream's samples, epoch by epoch, and the samples that were dropped (FLOW-13).

    Under `span` an edge between epochs is none; `short` closes the group there, `drop` leaves it out. A stream that
    `ends` has its rest in a short group, unless `drop_last` or `drop` leaves it out; of one that does not, the group
    that is still open is not among those told. `ValueError` for settings that are none (FLOW-20), and for an epoch that
    is dropped as a whole (FLOW-12).
    """
    if batch_size < 1:
        raise ValueError(f"batch_size is {batch_size}, expected 1 at least")
    if epoch_end not in _ENDS:
        raise ValueError(f"epoch_end is {epoch_end}, expected one of {', '.join(_ENDS)}")
    groups: list[list[Any]] = []
    group: list[Any] = []
    dropped: list[Any] = []
    dropping = epoch_end == "drop" or (ends and drop_last)
    for epoch in epochs:
        if dropping and len(epoch) < batch_size:
            raise ValueError(f"an epoch of {len(epoch)} samples has no group of {batch_size}, and all would be dropped")
        for sample in epoch:
            group.append(sample)
            if len(group) == batch_size:
                groups.append(group)
                group = []
        if epoch_end == "drop":
            dropped += group
            group = []
        if epoch_end == "short" and group and not (ends and drop_last):
            groups.append(group)
            group = []
    if ends and drop_last:
        dropped += group
    elif ends and group:
        groups.append(group)
    return groups, dropped


@dataclass(frozen=True)
class Sequential:
    """The settings of sequential packing; exactly one of the two limits is given (FLOW-20)."""

    max_sequence_length: int | None = None
    max_samples_per_batch: int | None = None
    oversize: str = "refuse"
    lookahead_limit: int = 1

    def __post_init__(self) -> None:
        if (self.max_sequence_length is None) == (self.max_samples_per_batch is None):
            raise ValueError("one of max_sequence_length and max_samples_per_batch has to be given")
        if self.oversize not in _OVERSIZE:
            raise ValueError(f"oversize is {self.oversize}, expected one of {', '.join(_OVERSIZE)}")
        for name in ("max_sequence_length", "max_samples_per_batch", "lookahead_limit"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"{name} is {value}, expected 1 at least")


def sequential(sizes: Sequence[int], settings: Sequential) -> tuple[list[list[int]], list[int]]:
    """The places of the samples in each group, and of those dropped, for a stream that ends (FLOW-15, FLOW-16).

    A sample joins the open group where the budget holds both, to the last token. One that does not fit is set aside,
    and once `lookahead_limit` are aside the group is given out; those aside come first in the next one, in their order.
    `ValueError` for a sample above the budget under `refuse`; under `alone` it is a group, under `drop` it is left out,
    but not the whole stream (FLOW-12).
    """
    budget, count = settings.max_sequence_length, settings.max_samples_per_batch
    groups: list[list[int]] = []
    dropped: list[int] = []
    waiting = list(range(len(sizes)))
    while waiting:
        group: list[int] = []
        aside: list[int] = []
        while waiting and len(aside) < settings.lookahead_limit:
            place = waiting.pop(0)
            if budget is not None and sizes[place] > budget:
                if settings.oversize == "refuse":
                    raise ValueError(f"sample {place} has the size {sizes[place]}, above the budget of {budget}")
                if settings.oversize == "drop":
                    dropped.append(place)
                elif group or aside:
                    waiting.insert(0, place)
                    break
                else:
                    group.append(place)
                    break
            elif (budget is not None and sum(sizes[one] for one in group) + sizes[place] <= budget) or (
                count is not None and len(group) < count
            ):
                group.append(place)
            else:
                aside.append(place)
        if group:
            groups.append(group)
        waiting = aside + waiting
    if dropped and not groups:
        raise ValueError(f"all {len(sizes)} samples are above the budget of {budget}, and would be dropped")
    return groups, dropped
