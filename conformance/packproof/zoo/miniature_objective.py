"""An objective that keeps every rule of its chapter, in steps small enough for a fault to replace just one of them.

It shares nothing with the reference implementation.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from packproof.zoo.miniature_objective_rows import FLOAT32_MOST, MiniatureRows, ObjectiveRow, finite

__all__ = ["MiniatureObjective", "ObjectiveResult"]

_KNOWN = ("input_ids", "logprob_masks", "forward_replay_routing")
_BOOKKEEPING = ("mm_owned_mask", "mm_row_counts", "mm_units", "mm_ranges")


@dataclass(frozen=True)
class ObjectiveResult:
    """A loss with its graph, and what to look at beside it."""

    loss: Any
    metrics: dict[str, float] = field(default_factory=dict)


class MiniatureObjective(MiniatureRows):
    """Has, as it stands, no fault."""

    consumer = "objective"

    def __init__(
        self,
        packer: Any = None,
        *,
        kind: str = "clipped",
        clip_low: float = 0.2,
        clip_high: float = 0.2,
        eps: float = 1e-6,
        routing_replay: bool = False,
    ) -> None:
        super().__init__(packer, kind, routing_replay)
        self.clip_low, self.clip_high, self.eps = clip_low, clip_high, eps
        self._check_options()

    def _check_options(self) -> None:
        if not 0 <= self.clip_low < 1 or self.clip_high < 0 or self.eps < 0:
            raise ValueError(f"clip_low {self.clip_low}, clip_high {self.clip_high}, eps {self.eps}: out of range")

    def __call__(
        self, model: Any, trajectories: Any, *, advantages: Any = None, groups: Any = None, denominator: Any = None
    ) -> ObjectiveResult:
        """The loss of the trajectories."""
        if not trajectories:
            raise ValueError("there are no trajectories")
        rows = [row for number, one in enumerate(trajectories) for row in self._rows(number, one)]
        weights = self._advantages(trajectories, advantages, groups)
        inputs = [self._input(row) for row in rows]
        batch = self._batch(inputs)
        mask = self._mask(batch, rows, inputs)
        places = [(b, i) for b, line in enumerate(mask) for i, one in enumerate(line[:-1]) if one]
        beside = [(rows[b], self._completion_place(rows[b], inputs[b], i)) for b, i in places]
        for row, j in beside:
            self._check_logprobs(row, j)
            self._check_advantage(row, j, weights[row.trajectory])
        q = [self._logprob(row, j) for row, j in beside]
        a = [self._advantage(row, j, weights[row.trajectory]) for row, j in beside]
        count = self._count(places, rows, denominator)
        self._check_fields(model, batch, inputs)
        logits = self._logits(model, batch, mask)
        lp = self._logprobs(logits, batch, places)
        q, a = lp.new_tensor([math.nan if one is None else one for one in q]), lp.new_tensor(a)
        terms = self._clipped(lp, q, a) if self.kind == "clipped" else lp * a
        return ObjectiveResult(self._loss(terms, count, places, batch), self._metrics(lp.detach(), q))

    def _advantages(self, trajectories: Any, advantages: Any, groups: Any) -> list[Any]:
        given = groups if advantages is None else advantages
        if given is None:
            raise ValueError("neither advantages nor groups are given")
        if len(given) != len(trajectories):
            raise ValueError(f"{len(given)} advantages or groups for {len(trajectories)} trajectories")
        if advantages is not None:
            return list(advantages)
        counted = [number for number, one in enumerate(trajectories) if not self._is_filler(one)]
        rewards = [finite(trajectories[n].reward, f"trajectory {n}: the reward") for n in counted]
        made = self._group_advantages(rewards, [groups[number] for number in counted])
        return [dict(zip(counted, made, strict=True)).get(number, 0.0) for number in range(len(groups))]

    def _group_advantages(self, rewards: list[float], groups: list[Any]) -> list[float]:
        members: dict[Any, list[float]] = {}
        for reward, label in zip(rewards, groups, strict=True):
            members.setdefault(label, []).append(reward)
        return [self._beside_group(reward, members[label]) for reward, label in zip(rewards, groups, strict=True)]

    def _beside_group(self, reward: float, group: list[float]) -> float:
        if max(group) == min(group):
            return 0.0
        mean = math.fsum(group) / len(group)
        return (reward - mean) / (self._deviation(group, mean) + self.eps)

    def _deviation(self, group: list[float], mean: float) -> float:
        return math.sqrt(math.fsum((one - mean) ** 2 for one in group) / len(group))

    def _check_advantage(self, row: ObjectiveRow, place: int, given: Any) -> None:
        where = f"trajectory {row.trajectory}: advantages"
        if not isinstance(given, list):
            finite(given, where, FLOAT32_MOST)
        elif len(given) != row.total:
            raise ValueError(f"{where} has {len(given)} entries for {row.total} completion ids")
        else:
            finite(given[row.entries[place]], f"{where}[{row.entries[place]}]", FLOAT32_MOST)

    def _advantage(self, row: ObjectiveRow, place: int, given: Any) -> float:
        return given[row.entries[place]] if isinstance(given, list) else given

    def _count(self, places: list[Any], rows: list[ObjectiveRow], given: Any) -> float:
        if given is None:
            return len(places)
        if given < 0 or (given == 0 and places):
            raise ValueError(f"the denominator is {given}, and {len(places)} predictions are selected")
        return given

    def _check_fields(self, model: Any, batch: Mapping[str, Any], inputs: Sequence[Any]) -> None:
        if self.kind == "policy_gradient":
            self._refuse_media(inputs)
        if self.routing_replay and batch.get("forward_replay_routing") is None:
            raise ValueError("the batch has no forward_replay_routing, and routing is replayed")
        tying = self._tying(batch)
        if tying and not hasattr(model, "forward_policy_batch"):
            raise ValueError(f"the batch has {', '.join(tying)}, and the model no forward_policy_batch to take it")

    def _refuse_media(self, inputs: Sequence[Any]) -> None:
        for row in inputs:
            found = [name for name in ("mm_kwargs", "media") if row.get(name)]
            if found:
                raise ValueError(f"the policy gradient takes ids alone, and a policy input has {', '.join(found)}")

    def _tying(self, batch: Mapping[str, Any]) -> list[str]:
        more = [name for name in batch if name not in _KNOWN + _BOOKKEEPING]
        more = [name for name in more if name != "mm_token_type_ids" or bool(batch[name].any())]
        return more + ["forward_replay_routing"] * self.routing_replay

    def _logits(self, model: Any, batch: Mapping[str, Any], mask: list[list[bool]]) -> Any:
        device = model.device
        if not self._tying(batch):
            return model(batch["input_ids"].to(device))
        kept = {name: one for name, one in batch.items() if self.routing_replay or name != "forward_replay_routing"}
        moved = {name: self._moved(one, device) for name, one in kept.items()}
        return model.forward_policy_batch(moved)

    def _moved(self, value: Any, device: Any) -> Any:
        return value.to(device) if hasattr(value, "to") else value

    def _logprobs(self, logits: Any, batch: Mapping[str, Any], places: list[tuple[int, int]]) -> Any:
        import torch

        rows, positions = [b for b, _ in places], [i for _, i in places]
        targets = batch["input_ids"][rows, [i + 1 for i in positions]] if places else torch.zeros(0, dtype=torch.int64)
        chosen = logits[rows, positions] if places else logits[:0, 0]
        whole = chosen.float() if chosen.dtype.itemsize < 4 else chosen
        return whole.log_softmax(-1).gather(1, targets.to(logits.device)[:, None])[:, 0]

    def _clipped(self, lp: Any, q: Any, a: Any) -> Any:
        ratio = self._ratio(lp, q)
        return (ratio * a).minimum(ratio.clamp(1 - self.clip_low, 1 + self.clip_high) * a)

    def _ratio(self, lp: Any, q: Any) -> Any:
        return (lp - q).exp()

    def _loss(self, terms: Any, count: float, places: list[tuple[int, int]], batch: Mapping[str, Any]) -> Any:
        return -terms.sum() / (count or 1)

    def _metrics(self, lp: Any, q: Any) -> dict[str, float]:
        gap = (lp - q).abs()[~q.isnan()]
        if not len(gap):
            return {"logprob_gap_mean": 0.0, "logprob_gap_max": 0.0}
        return {"logprob_gap_mean": gap.mean().item(), "logprob_gap_max": gap.max().item()}
