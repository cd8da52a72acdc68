"""From a trajectory to the rows that are scored: ids for the packer, and what was recorded of each completion id."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from packer_reference.objectives.turns import Growing, grown_rows, turn_named
from packer_reference.policy_row import ignored_prefix
from packer_schemas import ROLLOUT_ROUTED_EXPERTS_KEY

__all__ = ["Part", "Row", "rows_of"]


@dataclass(frozen=True)
class Part:
    """What one call of the engine sampled in a row, and recorded of it.

    Its ids stand at `start` among the row's completion ids and at `entry` among all of the trajectory; a `length` of
    None is that of a text, which the packer encodes.
    """

    name: str
    start: int
    entry: int
    length: int | None
    streams: Mapping[str, Any]


@dataclass(frozen=True)
class Row:
    """One row of the batch; what it has of a trajectory is enough for `shape_policy_input`.

    `completion` is a text or the ids, with `length` ids of which `total` are all of the trajectory's own; both are None
    for a text. A position of the completion that is in no part was not sampled.
    """

    trajectory: int
    obs: Any
    prompt_ids: Any
    completion: Any
    ignored: Any
    filler: bool
    routing: Any
    length: int | None
    total: int | None
    parts: tuple[Part, ...]

    @property
    def policy_info(self) -> dict[str, Any]:
        """What the packer is asked to keep."""
        return {"prompt_ids": self.prompt_ids, ROLLOUT_ROUTED_EXPERTS_KEY: self.routing}


def rows_of(at: int, trajectory: Any, replay: bool) -> list[Row]:
    """The rows of trajectory number `at`: one, or one for every run of its turns in which each continues the last.

    Recorded routing is taken along where `replay` is on. Raises `TypeError` for what is no trajectory and for ids that
    are none, `ValueError` for turns that are not records of the engine, for an n outside the first of them, and for
    routing that cannot be joined; all name the trajectory. Spec: objectives, OBJ-1, OBJ-14 and OBJ-15.
    """
    try:
        info, obs = trajectory.policy_info or {}, trajectory.obs
    except AttributeError as error:
        raise TypeError(
            f"trajectory {at} is a {type(trajectory).__name__}, expected obs, completion, policy_info and reward, as "
            f"packer_schemas.Trajectory has them: {error}"
        ) from None
    ignored = info.get("n_ignore_prefix_tokens")
    ignored, filler = 0 if ignored is None else ignored, bool(info.get("filler"))
    name, turns = f"trajectory {at}", info.get("turns")
    if turns is None:
        completion = info.get("completion_ids")
        completion = getattr(trajectory, "completion", None) if completion is None else completion
        length = None if isinstance(completion, str) else _count(completion, name)
        part = Part(name, 0, 0, length, info)
        routing = info.get(ROLLOUT_ROUTED_EXPERTS_KEY) if replay else None
        prompt = info.get("prompt_ids")
        return [Row(at, obs, prompt, completion, ignored, filler, routing, length, length, (part,))]
    grown = grown_rows(turns, name, replay)
    ignored = ignored_prefix(ignored, grown[0].turns[0].length, turn_named(name, 0))
    total = sum(turn.length for row in grown for turn in row.turns)
    rows = []
    for one in grown:
        prompt, completion, parts = one.ids[: one.prompt_length], one.ids[one.prompt_length :], _parts(name, one)
        n = ignored if one is grown[0] else 0
        rows.append(Row(at, obs, prompt, completion, n, filler, one.routing, len(completion), total, parts))
    return rows


def _parts(name: str, row: Growing) -> tuple[Part, ...]:
    """What each turn of the row sampled; between them stand the ids that a template or a tool wrote."""
    return tuple(Part(turn_named(name, one.number), one.start, one.entry, one.length, one.record) for one in row.turns)


def _count(completion: Any, name: str) -> int:
    try:
        return len(completion)
    except TypeError:
        raise TypeError(
            f"{name}: the completion is {type(completion).__name__} {completion!r}, expected a text or token ids"
        ) from None
