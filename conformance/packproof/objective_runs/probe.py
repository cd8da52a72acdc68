"""The model that an objective under test scores with: small, causal, and open to see which logits the loss reaches."""

import math
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import torch

from packproof.objective_runs.trajectories import found_in

__all__ = ["VOCABULARY", "Probe", "RoutedProbe", "WholeBatchProbe"]

VOCABULARY = 512


@cache
def _drawn() -> tuple[torch.Tensor, torch.Tensor]:
    made = torch.Generator().manual_seed(7)
    return torch.randn(VOCABULARY, 8, generator=made), torch.randn(8, VOCABULARY, generator=made)


class Probe(torch.nn.Module):
    """Logits [B, W, V] that depend on the ids of the row up to each position, and on nothing else.

    A `level` one gives every id the same logprob, wherever: then a loss tells what was counted, and not of what. Where
    rows are `spared`, each by its ids and the positions in it, all other logits are `poison`. Its weights are float32,
    and so are its logits unless `logits` is another type.
    """

    def __init__(
        self,
        *,
        level: bool = False,
        spared: Iterable[tuple[Sequence[int], Sequence[int]]] = (),
        poison: float = 0.0,
        logits: torch.dtype = torch.float32,
    ) -> None:
        super().__init__()
        embedding, head = _drawn()
        self.embedding = torch.nn.Parameter(embedding.clone())
        self.head = torch.nn.Parameter(head * (0.0 if level else 0.3))
        self.level = level
        self.spared = list(spared)
        self.poison = poison
        self.logits = logits
        self.calls: list[tuple[list[list[int]], torch.Tensor]] = []
        self.batches: list[dict[str, Any]] = []

    @property
    def device(self) -> torch.device:
        """Where its weights are."""
        return self.head.device

    def forward(self, input_ids: torch.Tensor) -> torch.Tensor:
        """The logits, which stay in `calls` with the ids."""
        logits = self._poisoned(self._scores(input_ids), input_ids).to(self.logits)
        if logits.requires_grad:
            logits.retain_grad()
        self.calls.append((input_ids.tolist(), logits))
        return logits

    def logprobs(self, ids: Sequence[int]) -> list[float]:
        """Of every id but the first, its logprob behind those before it."""
        if self.level:
            return [-math.log(VOCABULARY)] * (len(ids) - 1)
        with torch.no_grad():
            row = torch.tensor([list(ids)], device=self.device)
            scores = self._scores(row).log_softmax(-1)[0, :-1]
            return scores.gather(1, row[0, 1:, None])[:, 0].tolist()

    def _scores(self, input_ids: torch.Tensor) -> torch.Tensor:
        return torch.tanh(self.embedding[input_ids].cumsum(1) / 3) @ self.head

    def _poisoned(self, logits: torch.Tensor, input_ids: torch.Tensor) -> torch.Tensor:
        if not self.spared:
            return logits
        spoilt = torch.ones(input_ids.shape, dtype=torch.bool, device=input_ids.device)
        for number, row in enumerate(input_ids.tolist()):
            for ids, positions in self.spared:
                start = found_in(row, ids)
                if start is not None:
                    spoilt[number, [start + one for one in positions]] = False
        return torch.where(spoilt[..., None], self.poison, logits)


class WholeBatchProbe(Probe):
    """A probe that takes whole batches too, and keeps those that it was given.

    Routing can be replayed in its layers, of which the batches of the kit have records.
    """

    layers, top_k, experts = 2, 2, 4

    def forward_policy_batch(self, batch: Any) -> torch.Tensor:
        """The logits of the ids in it."""
        self.batches.append(dict(batch))
        return self.forward(batch["input_ids"])


class RoutedProbe(WholeBatchProbe):
    """A probe with one layer of many experts, one for each id, so that a record says where it is from."""

    layers, top_k, experts = 1, 1, VOCABULARY
