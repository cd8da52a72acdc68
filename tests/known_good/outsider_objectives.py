"""Objectives as people write them: other ways to the same loss, none of which the kit may complain about."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch

from packproof.zoo.miniature_objective import MiniatureObjective
from packproof.zoo.miniature_objective_rows import ObjectiveRow

__all__ = ["DrawsAtRandom", "LeavesOutSilentRows", "OneRowAtATime", "RefusesBrokenTurns", "WholeLogSoftmax", "closure"]

SINGLE_TURNS = "known_good.outsider_objectives:SingleTurns"


class OneRowAtATime(MiniatureObjective):
    """Runs the model row by row, each cut to its own width, to save memory."""

    def _logits(self, model: Any, batch: Mapping[str, Any], mask: list[list[bool]]) -> Any:
        if self._tying(batch):
            return super()._logits(model, batch, mask)
        return torch.cat([model(row[None].to(model.device)) for row in batch["input_ids"]])


class WholeLogSoftmax(MiniatureObjective):
    """Takes logprobs of the whole batch first and selects then, with boolean indices."""

    def _logprobs(self, logits: Any, batch: Mapping[str, Any], places: list[tuple[int, int]]) -> Any:
        chosen = torch.zeros(batch["input_ids"].shape, dtype=torch.bool)
        for row, at in places:
            chosen[row, at] = True
        following = logits.float().log_softmax(-1)[:, :-1].gather(2, batch["input_ids"][:, 1:, None])[..., 0]
        return following[chosen[:, :-1]]


class RefusesBrokenTurns(MiniatureObjective):
    """Refuses a turn that does not continue the row, with the trajectory, the turn and the first other position."""

    def _rows(self, number: int, trajectory: Any) -> list[ObjectiveRow]:
        rows = super()._rows(number, trajectory)
        if len(rows) == 1:
            return rows
        turns = trajectory.policy_info["turns"]
        so_far: list[int] = []
        for at, turn in enumerate(turns):
            prompt = turn["prompt_ids"]
            if prompt[: len(so_far)] != so_far:
                pairs = enumerate(zip(prompt, so_far, strict=False))
                first = next((place for place, (one, other) in pairs if one != other), len(prompt))
                raise ValueError(f"trajectory {number}, turn {at}: position {first} is not that of the row so far")
            so_far = prompt + turn["completion_ids"]
        return rows


class SingleTurns(MiniatureObjective):
    """Takes no conversations, and says so."""

    def _rows(self, number: int, trajectory: Any) -> list[ObjectiveRow]:
        if "turns" in trajectory.policy_info:
            raise ValueError(f"trajectory {number} has turns, which this objective does not take")
        return super()._rows(number, trajectory)


class LeavesOutSilentRows(MiniatureObjective):
    """Does not score the rows of a conversation in which nothing has weight, as long as others have."""

    def _joined(self, number: int, trajectory: Any) -> list[ObjectiveRow]:
        rows = super()._joined(number, trajectory)
        weighing = [row for row in rows if 1 in (row.sampled or [])[row.ignored :]]
        return weighing or rows[:1]


class DrawsAtRandom(MiniatureObjective):
    """Draws from the global generator on its way, as one with dropout of its own does."""

    def _logits(self, model: Any, batch: Mapping[str, Any], mask: list[list[bool]]) -> Any:
        torch.rand(2)
        return super()._logits(model, batch, mask)


@dataclass
class _Result:
    loss: Any
    metrics: dict[str, float]
    extra: int = 0


def closure(packer: Any = None, **options: Any) -> Any:
    """A factory of plain functions."""
    inner = MiniatureObjective(packer, **options)

    def objective(
        model: Any, trajectories: Any, *, advantages: Any = None, groups: Any = None, denominator: Any = None
    ) -> _Result:
        found = inner(model, trajectories, advantages=advantages, groups=groups, denominator=denominator)
        return _Result(found.loss, {**found.metrics, "seconds": 0.5, "kl": 0.0})

    return objective
