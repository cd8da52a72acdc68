"""The experts that a model's routers choose while it generates."""

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from packer_reference.moe.routers import choosing, find_routers
from packer_reference.routing.records import smallest_dtype

__all__ = ["RoutingRecorder"]


class RoutingRecorder:
    """Writes down what the routers of `model` choose, place by place, in the order of its layers.

    `ValueError` for a model without routed experts. Spec: bodies, BODY-9; routing, ROUTE-2.
    """

    def __init__(self, model: Any) -> None:
        self._routers = find_routers(model)
        self._passes: list[list[Any]] = []

    @contextlib.contextmanager
    def recording(self) -> Iterator[None]:
        """Record every forward pass made within, from nothing."""
        self._passes = []
        with choosing(self._routers, self._note):
            yield

    def rows(self, starts: Sequence[int], ends: Sequence[int]) -> list[Any]:
        """For each row of the batch its record, integer `[end - start, layers, top_k]`, of the places start to end - 1.

        The passes are put behind one another, for a model with a cache ran each place once. One without ran all of them
        in every pass, and the last pass counts.
        """
        import torch

        rows = len(starts)
        passes = [torch.stack([ids.reshape(rows, -1, ids.shape[-1]) for ids in one], 2) for one in self._passes]
        if passes[-1].shape[1] >= max(ends):
            passes = passes[-1:]
        places = torch.cat(passes, 1).cpu()
        return [places[row, start:end].clone() for row, (start, end) in enumerate(zip(starts, ends, strict=True))]

    def _note(self, layer: int, scores: Any, ids: Any) -> Any:
        import torch

        if layer == 0:
            self._passes.append([])
        self._passes[-1].append(ids.to(getattr(torch, smallest_dtype(scores.shape[-1] - 1))))
        return ids
