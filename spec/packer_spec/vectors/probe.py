"""Probes: the inputs of the test vectors, in tables; what is to come out is asked of the oracle."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["EITHER", "MENTIONS", "Group", "Probe", "Refusal", "vectors_of"]

EITHER = "ValueError or TypeError"

MENTIONS = (
    "error: the input is refused; kind is the exception of Python, two of which are joined by 'or' where either will "
    "do, and in another language any error will do that a caller can tell from an answer and from a crash. Each text "
    "in mentions occurs in the message as a whole word: not directly beside another letter, digit or underscore."
)
"""What the description of each file says about errors."""

Answer = Callable[[dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True)
class Refusal:
    """What has to be raised: an exception type of Python, or `EITHER`, with a message that mentions these words."""

    kind: str
    mentions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Probe:
    """One input, and in one line what is worth seeing about it."""

    note: str
    input: dict[str, Any]
    refusal: Refusal | None = None


@dataclass(frozen=True)
class Group:
    """Probes of one requirement. New ones go into a new group at the end: a vector keeps its id once it is released."""

    requirement: str
    probes: Sequence[Probe]


def vectors_of(name: str, groups: Sequence[Group], answer: Answer) -> list[dict[str, Any]]:
    """The vectors of a table, as the oracle answers; `AssertionError` where it does not refuse what the table says.

    Ids count up over all groups: `masks-001`, `masks-002`.
    """
    probes = [(group.requirement, probe) for group in groups for probe in group.probes]
    return [
        {"id": f"{name}-{number:03}", "requirement": requirement, "note": probe.note, "input": probe.input}
        | (_answered(probe, answer) if probe.refusal is None else _refused(probe, probe.refusal, answer))
        for number, (requirement, probe) in enumerate(probes, 1)
    ]


def _answered(probe: Probe, answer: Answer) -> dict[str, Any]:
    return {"expected": answer(probe.input)}


def _refused(probe: Probe, refusal: Refusal, answer: Answer) -> dict[str, Any]:
    try:
        got = answer(probe.input)
    except (ValueError, TypeError, KeyError, NotImplementedError) as error:
        kinds = {kind.__name__ for kind in type(error).__mro__}
        missing = [word for word in refusal.mentions if not _mentioned(word, str(error))]
        if kinds.isdisjoint(refusal.kind.split(" or ")) or missing:
            raise AssertionError(f"{probe.note}: the oracle raises {error!r}, the table wants {refusal}") from error
        return {"error": {"kind": refusal.kind, "mentions": list(refusal.mentions)}}
    raise AssertionError(f"{probe.note}: the oracle answers {got}, the table wants {refusal}")


def _mentioned(word: str, message: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", message) is not None
