"""The objectives: trajectories in, a loss out."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from packer_reference.finite import finite_number
from packer_reference.objectives.advantages import expect_eps, trajectory_advantages
from packer_reference.objectives.forward import expect_fields, logits_of
from packer_reference.objectives.loss import clipped_terms, logprob_gap, next_token_logprobs
from packer_reference.objectives.result import ObjectiveResult
from packer_reference.objectives.rows import rows_of
from packer_reference.objectives.selection import select
from packer_reference.objectives.shaping import packed, packed_by_hand
from packer_reference.objectives.streams import advantages_beside, logprobs_beside
from packer_reference.trajectories import plain_trajectories
from packer_schemas import FORWARD_REPLAY_BATCH_KEY, PolicyPacker

if TYPE_CHECKING:
    import torch

    _Tensor = torch.Tensor
else:
    _Tensor = Any

__all__ = ["Objective", "make_objective"]

_KINDS = ("clipped", "policy_gradient")


def make_objective(
    packer: Any = None,
    *,
    kind: str = "clipped",
    clip_low: float = 0.2,
    clip_high: float = 0.2,
    eps: float = 1e-6,
    routing_replay: bool = False,
) -> "Objective":
    """The objective that scores what `packer` shapes; without one, stored ids of text models alone.

    `kind` is `"clipped"` or `"policy_gradient"`; `clip_low`, from 0 to below 1, and `clip_high`, from 0, bound the
    ratio of the clipped one; `eps` is that of `group_advantages`; with `routing_replay` every batch has to carry
    recorded routing. Raises `ValueError` for values outside of these, `TypeError` for a packer that shapes no policy
    inputs and for numbers that are none. Spec: objectives, OBJ-13; routing, ROUTE-13.
    """
    if kind not in _KINDS:
        raise ValueError(f"make_objective: kind is {kind!r}, expected one of {', '.join(_KINDS)}")
    for name, value, within in (
        ("clip_low", clip_low, "from 0 up to but not including 1"),
        ("clip_high", clip_high, "from 0 up"),
    ):
        if finite_number(value, f"make_objective: {name}") < 0 or (name == "clip_low" and value >= 1):
            raise ValueError(f"make_objective: {name} is {value}, expected a number {within}")
    expect_eps(eps, "make_objective")
    if packer is not None and (isinstance(packer, type) or not isinstance(packer, PolicyPacker)):
        what = f"the class {packer.__name__}" if isinstance(packer, type) else f"a {type(packer).__name__}"
        raise TypeError(
            f"make_objective: packer is {what}, expected one with get_policy_input, "
            "policy_compute_max_len and policy_collate_fn, such as init_data_packer(name_or_path) gives"
        )
    return Objective(packer, kind, float(clip_low), float(clip_high), float(eps), bool(routing_replay))


@dataclass(frozen=True)
class Objective:
    """What `make_objective` returns: settings, and a call that scores trajectories with them."""

    packer: Any
    kind: str
    clip_low: float
    clip_high: float
    eps: float
    routing_replay: bool

    def __call__(
        self,
        model: Callable[[Any], Any],
        trajectories: Iterable[Any],
        *,
        advantages: Any = None,
        groups: Any = None,
        denominator: Any = None,
    ) -> ObjectiveResult:
        """The loss of `trajectories`, with its graph and on the model's device: -(sum of the terms)/N.

        `advantages` has a number or a list of C numbers for each trajectory; where it is None, they are made from the
        rewards within `groups`, one label for each. N is `denominator`, the selected predictions of the whole step, or
        those of this call. Nothing that is given is written to. Raises `TypeError` for a model that cannot be called,
        `ValueError` for no trajectories, and for ids, streams, advantages, fields and denominators that the chapter
        refuses, before the model runs; errors of the packer pass through. Spec: objectives, OBJ-1 to OBJ-17.
        """
        import torch

        if not callable(model):
            raise TypeError(
                f"objective: model is a {type(model).__name__}, expected what is called with a batch and gives logits; "
                "the trajectories come second"
            )
        given = plain_trajectories(trajectories, "objective")
        if not given:
            raise ValueError("objective: 0 trajectories; fix what feeds it, a loss of nothing would hide its mistake")
        if self.routing_replay and self.packer is None:
            raise ValueError(
                f"objective: {FORWARD_REPLAY_BATCH_KEY} is to be replayed, and without a packer nothing puts it "
                "into the batch; pass make_objective(packer=...)"
            )
        clipped = self.kind == "clipped"
        rows = [row for at, one in enumerate(given) for row in rows_of(at, one, self.routing_replay)]
        fillers = {row.trajectory for row in rows if row.filler}
        weights = trajectory_advantages(given, fillers, advantages, groups, self.eps)
        inputs, batch = packed_by_hand(rows) if self.packer is None else packed(self.packer, rows, not clipped)
        chosen = select(rows, inputs, batch)
        beside = list(zip(rows, chosen.lengths, chosen.chosen, strict=True))
        advantage = [advantages_beside(row, length, of, weights[row.trajectory]) for row, length, of in beside]
        recorded = [logprobs_beside(row, length, of, needed=clipped) for row, length, of in beside]
        count = _denominator(denominator, len(chosen.rows))
        whole = expect_fields(model, batch, self.routing_replay)

        logits = logits_of(model, {**batch, "logprob_masks": chosen.mask}, whole, self.routing_replay)
        logprobs = next_token_logprobs(logits, batch["input_ids"], chosen.rows, chosen.positions)
        a, q = (torch.from_numpy(np.concatenate(one)).to(logprobs) for one in (advantage, recorded))
        metrics = {**logprob_gap(logprobs, q), "selected": float(len(q))}
        if clipped:
            terms, stopped = clipped_terms(logprobs, q, a, self.clip_low, self.clip_high)
            metrics["clipped"] = stopped.float().mean().item() if len(q) else 0.0
        else:
            terms = logprobs * a
        return ObjectiveResult((-terms).sum() / (count or 1), metrics)


def _denominator(given: Any, selected: int) -> float:
    if given is None:
        return selected
    if isinstance(given, bool):
        raise TypeError(f"objective: denominator is {given}, expected a number of predictions")
    number = finite_number(given, "objective: denominator")
    if number < 0 or (number == 0 and selected):
        raise ValueError(
            f"objective: denominator is {given}, expected the number of selected predictions of the step; "
            f"{selected} are selected in this call"
        )
    return number
