"""Conversations that an objective under test scores: the call, its advantages, and what one turn has to be first."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from packer_schemas.objective_cases import ScoredRow, TurnsCase
from packer_schemas.routing import ROLLOUT_ROUTED_EXPERTS_KEY
from packproof.objective_runs.calls import Scored, call_text, scored
from packproof.objective_runs.ids_packer import IdsPacker
from packproof.objective_runs.routed import expect_routing
from packproof.objective_runs.trajectories import ids_of, recorded, selected
from packproof.objective_runs.turns import Joined, conversation, joined, record_of, sampled_of
from packproof.violation import Unexercised

if TYPE_CHECKING:
    from packproof.consumers.subject import ObjectiveSubject
    from packproof.objective_runs.probe import Probe

__all__ = ["Conversed", "conversed", "expect_plain_row_right", "expect_usable", "packer_of"]

_COMPANION = ScoredRow(prompt_ids=[410, 411], completion_ids=[420], advantage=5.0)
"""What stands behind a conversation that has one number for its advantage: an objective may count rows for it."""

_NUMBER = 2.0
_RATIOS = (1.0, 1.14, 0.93, 1.05, 0.85, 1.17, 0.9, 1.08)
"""Within the clip; no two of them are to each other as their neighbours are."""

_PLAIN = ScoredRow(
    prompt_ids=[110, 111], completion_ids=[120, 121, 122, 123], ratios=[1.0, 1.14, 0.93, 1.05], sampled=[1, 1, 0, 1]
)


@dataclass(frozen=True)
class Conversed:
    """One call: the rows that its turns make, those of what stands behind them, and the weight of every completion id.

    Of the rows, those without weight are left out; `most` is how many the turns make. Weights are those of the rule,
    but for the denominator.
    """

    call: str
    got: Scored
    rows: list[Joined]
    beside: list[Joined]
    most: int
    weights: list[float]

    def wanted(self, row: Joined) -> list[float]:
        """The weight at every position of a row."""
        return [0.0 if entry is None else self.weights[entry] for entry in row.entries]


def packer_of(case: TurnsCase) -> IdsPacker | None:
    """The packer of the case, if it has one."""
    return IdsPacker() if case.with_packer else None


def _told(case: TurnsCase) -> str:
    """What of the case does not show in its call: ids that nobody sampled, and routing."""
    said = [turn.sampled for turn in case.turns]
    sampled = f", sampled {said if len(said) > 1 else said[0]}" if 0 in sampled_of(case.turns) else ""
    return f"{sampled}, routing replayed" if case.routed else sampled


def expect_usable(case: TurnsCase) -> None:
    """`Unexercised` for a case of which another rule speaks."""
    n, first, said = case.n_ignore_prefix_tokens, len(case.turns[0].completion_ids), sampled_of(case.turns)
    if case.routed and not case.with_packer:
        raise Unexercised("routing is replayed without a packer, of which ROUTE-13 speaks")
    if case.text and (not case.with_packer or len(case.turns) > 1):
        raise Unexercised("a text in turns or without a packer, of which OBJ-3 and OBJ-14 speak")
    if n and not case.with_packer:
        raise Unexercised("n_ignore_prefix_tokens without a packer, of which OBJ-2 speaks")
    if n > first:
        raise Unexercised(f"n_ignore_prefix_tokens is {n}, and the first turn has {first} completion ids")
    if not any(said[n:]):
        raise Unexercised("nothing is selected, of which OBJ-10 speaks")


def expect_plain_row_right(subject: "ObjectiveSubject", case: TurnsCase, *, like_it: bool) -> None:
    """`Unexercised` where a single turn is not scored as it is to be: other rules speak of that.

    It is `like_it` where it has ignored ids if the case has, and ids that were not sampled.
    """
    unsampled = like_it and 0 in sampled_of(case.turns)
    n = min(case.n_ignore_prefix_tokens, 1) if like_it else 0
    row = _PLAIN.model_copy(update={"n_ignore_prefix_tokens": n, "sampled": _PLAIN.sampled if unsampled else None})
    model, packer = _model(case), packer_of(case)
    given, advantages = [recorded(row, model, **_record(case, row))], [1.0, 2.0, 3.0, 4.0]
    call = call_text(given, case.objective, packer) + (", routing replayed" if case.routed else "")
    objective = subject.build(packer, kind=case.objective, routing_replay=case.routed)
    got = scored(subject, objective, model, given, call, advantages=[[*advantages]]).weights([ids_of(row)])[0]
    ratios = row.ratios if case.objective == "clipped" else [1.0] * 4
    first = len(row.prompt_ids) - 1
    wanted = {at: ratios[at - first] * advantages[at - first] for at in selected(row)}
    scale = got[min(wanted)] / wanted[min(wanted)]
    if not all(math.isclose(one, scale * wanted.get(at, 0.0), rel_tol=1e-3) for at, one in enumerate(got)):
        raise Unexercised("a single turn is not scored as it is to be, of which other rules speak")
    if packer is not None and any(one.prompt_ids is None for one in packer.asked):
        raise Unexercised("the stored prompt ids do not reach the packer, of which OBJ-1 speaks")


def conversed(subject: "ObjectiveSubject", case: TurnsCase, *, distinct: bool) -> Conversed:
    """Score the conversation; where `distinct`, with numbers that show which of them stands where.

    Then the ratios differ from one completion id to the next, and so do the advantages, if the case has them as lists;
    where it has a number for each trajectory, another trajectory stands behind it.
    """
    model, said = _model(case), sampled_of(case.turns)
    ratios = [_RATIOS[place % len(_RATIOS)] if distinct else 1.0 for place in range(len(said))]
    own = model.logprobs([0, 0])[0]
    given = [conversation(case, [own - math.log(one) for one in ratios])]
    lists = case.advantages == "lists" and distinct
    number = _NUMBER if distinct else 1.0
    advantages = [1.0 + place if lists else number for place in range(len(said))]
    handed: list[Any] = [list(advantages) if lists else number]
    beside = [] if lists or not distinct else [_COMPANION]
    given += [recorded(row, model, **_record(case, row)) for row in beside]
    handed += [row.advantage for row in beside]
    n = case.n_ignore_prefix_tokens
    options = {"advantages": handed, "denominator": sum(said[n:]) + len(beside)}
    packer = packer_of(case)
    call = call_text(given, case.objective, packer, **options) + _told(case)
    objective = subject.build(packer, kind=case.objective, routing_replay=case.routed)
    got = scored(subject, objective, model, given, call, **options)
    ratios = ratios if case.objective == "clipped" else [1.0] * len(said)
    weights = [
        ratio * one * counts * (place >= n)
        for place, (ratio, one, counts) in enumerate(zip(ratios, advantages, said, strict=True))
    ]
    rows = joined(case.turns)
    weighing = [row for row in rows if any(weights[entry] for entry in row.entries if entry is not None)]
    behind = [Joined(2, ids_of(row), [None, len(said), None]) for row in beside]
    if case.routed:
        expect_routing(call, weighing, case.turns, model)
    return Conversed(call, got, weighing, behind, len(rows), weights + [row.advantage for row in beside])


def _model(case: TurnsCase) -> "Probe":
    from packproof.objective_runs.probe import Probe, RoutedProbe

    return RoutedProbe(level=True) if case.routed else Probe(level=True)


def _record(case: TurnsCase, row: ScoredRow) -> dict[str, Any]:
    """What a row of a single turn has besides, where routing is replayed."""
    return {ROLLOUT_ROUTED_EXPERTS_KEY: record_of(len(ids_of(row)), 3)} if case.routed else {}
