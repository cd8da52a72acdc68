"""Turns of a conversation, joined to rows: a turn goes on in the row of the last one only where its prompt does."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from packer_reference.routing.turns import join_turn_routing
from packer_reference.token_ids import token_ids
from packer_schemas import ROLLOUT_ROUTED_EXPERTS_KEY

__all__ = ["Growing", "Placed", "grown_rows", "turn_named"]


@dataclass(frozen=True)
class Placed:
    """One turn in a row: where its ids begin among the row's completion ids and among all of the trajectory."""

    number: int
    start: int
    entry: int
    length: int
    record: Mapping[str, Any]


@dataclass
class Growing:
    """A row that turns are appended to: the prompt of its first turn, then whatever the engine read and sampled."""

    prompt_length: int
    ids: list[int]
    routing: Any
    turns: list[Placed] = field(default_factory=list)


def grown_rows(turns: Any, name: str, replay: bool) -> list[Growing]:
    """The rows of the records in `turns`, in order; with `replay`, each with its routing joined.

    A turn continues the row if its prompt begins with all ids of the row so far; otherwise it begins a row of its own.
    What its prompt has beyond the row, and its completion, are appended. Raises `ValueError` for no turns, a turn that
    lacks its ids and routing that cannot be joined, `TypeError` for what are no turns or ids; all begin with `name`.
    Spec: objectives, OBJ-14; routing, ROUTE-14.
    """
    rows: list[Growing] = []
    entry = 0
    for number, turn in enumerate(_listed(turns, name)):
        where = turn_named(name, number)
        prompt, completion = _ids(turn, "prompt_ids", where), _ids(turn, "completion_ids", where)
        record = turn.get(ROLLOUT_ROUTED_EXPERTS_KEY) if replay else None
        ids = prompt + completion
        if rows and prompt[: len(rows[-1].ids)] == rows[-1].ids:
            row = rows[-1]
            row.routing = _joined(row, ids, record, where) if replay else None
            row.ids = ids
        else:
            row = Growing(len(prompt), ids, record)
            rows.append(row)
        row.turns.append(Placed(number, len(prompt) - row.prompt_length, entry, len(completion), turn))
        entry += len(completion)
    return rows


def turn_named(name: str, number: int) -> str:
    """How messages call a turn."""
    return f"{name}, turns[{number}]"


def _joined(row: Growing, ids: list[int], record: Any, where: str) -> Any:
    try:
        return join_turn_routing(row.ids, row.routing, ids, record)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{where}: {error}") from error


def _listed(turns: Any, name: str) -> Sequence[Any]:
    if not isinstance(turns, Sequence) or isinstance(turns, str):
        raise TypeError(f"{name}: turns is a {type(turns).__name__}, expected a list of records of the engine")
    if not turns:
        raise ValueError(f"{name}: turns is empty, expected one record for each call of the engine")
    return turns


def _ids(turn: Any, key: str, where: str) -> list[int]:
    if not isinstance(turn, Mapping):
        raise TypeError(f"{where} is a {type(turn).__name__}, expected a mapping with prompt_ids and completion_ids")
    if turn.get(key) is None:
        raise ValueError(f"{where} has no {key}; record {key} of every call of the engine")
    return token_ids(turn[key], f"{where}: {key}")
