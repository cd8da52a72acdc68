"""Objectives that take single turns only: what the chapter says of conversations is not tried on them."""

from typing import TYPE_CHECKING, Any

from packer_schemas.objective_cases import ScoredRow
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
        subject.kept["single turns"] = _refuses_any(subject)
    if subject.kept["single turns"]:
        raise Unexercised("the objective takes single turns only: it refuses `turns` by name")


def expect_turns_joined(subject: "ObjectiveSubject") -> None:
    """`Unexercised` where two turns that continue each other are refused."""
    if "joined turns" not in subject.kept:
        subject.kept["joined turns"] = _joins(subject)
    if not subject.kept["joined turns"]:
        raise Unexercised("turns that continue each other are refused, of which OBJ-14 speaks")


def _joins(subject: "ObjectiveSubject") -> bool:
    model = Probe(level=True)
    one = in_turns(recorded(_ROW.model_copy(update={"completion_ids": [120, 121]}), model))
    try:
        subject.build(IdsPacker())(model, [one], advantages=[1.0])
    except ValueError:
        return False
    except Exception:
        return True  # which is told where it happens
    return True


def _names_turns(error: Any) -> bool:
    return isinstance(error, ValueError) and "turns" in str(error)


def _refuses_any(subject: "ObjectiveSubject") -> bool:
    model = Probe(level=True)
    one = recorded(_ROW, model)
    alone = trajectory(one.obs.representations["prompt"], one.completion, one.reward, turns=[one.policy_info])
    try:
        subject.build(IdsPacker())(model, [alone], advantages=[1.0])
    except Exception as error:
        return _names_turns(error)
    return False
