"""Objectives that take single turns only: what the chapter says of conversations is not tried on them."""

from typing import TYPE_CHECKING, Any

from packer_schemas.objective_cases import ScoredRow
from packer_schemas.trajectory import Trajectory
from packproof.objective_runs.ids_packer import IdsPacker
from packproof.objective_runs.probe import Probe
from packproof.objective_runs.trajectories import in_turns, recorded, trajectory
from packproof.violation import Unexercised

if TYPE_CHECKING:
    from packproof.consumers.subject import ObjectiveSubject

__all__ = ["expect_conversations_taken", "expect_turns_joined"]

_ROW = ScoredRow(prompt_ids=[110], completion_ids=[120])


def expect_conversations_taken(subject: "ObjectiveSubject", error: BaseException | None) -> None:
    """`Unexercised` where an error names `turns`, and so does the refusal of a conversation of one turn."""
    if not _names_turns(error):
        return
    if "single turns" not in subject.kept:
        row = recorded(_ROW, Probe(level=True))
        prompt = row.obs.representations["prompt"]
        alone = trajectory(prompt, row.completion, row.reward, turns=[row.policy_info])
        subject.kept["single turns"] = _names_turns(_refusal(subject, alone))
    if subject.kept["single turns"]:
        raise Unexercised("the objective takes single turns only: it refuses `turns` by name")


def expect_turns_joined(subject: "ObjectiveSubject") -> None:
    """`Unexercised` where two turns that continue each other are refused."""
    if "joined turns" not in subject.kept:
        row = _ROW.model_copy(update={"completion_ids": [120, 121]})
        refusal = _refusal(subject, in_turns(recorded(row, Probe(level=True))))
        subject.kept["joined turns"] = not isinstance(refusal, ValueError)  # others are told where they happen
    if not subject.kept["joined turns"]:
        raise Unexercised("turns that continue each other are refused, of which OBJ-14 speaks")


def _names_turns(error: Any) -> bool:
    return isinstance(error, ValueError) and "turns" in str(error)


def _refusal(subject: "ObjectiveSubject", conversation: Trajectory) -> Exception | None:
    """What the objective raises for a conversation, if anything."""
    try:
        subject.build(IdsPacker())(Probe(level=True), [conversation], advantages=[1.0])
    except Exception as error:
        return error
    return None
