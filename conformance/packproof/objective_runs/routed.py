"""Recorded routing of conversations: what of the records of its turns a joined row is to have in the batch."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from packer_schemas.objective_cases import RecordedTurn
from packer_schemas.routing import FORWARD_REPLAY_BATCH_KEY, MISSING_EXPERT
from packproof.objective_runs.trajectories import found_in
from packproof.objective_runs.turns import Joined
from packproof.violation import Violation

if TYPE_CHECKING:
    from packproof.objective_runs.probe import Probe

__all__ = ["expect_routing"]


def expect_routing(call: str, rows: Sequence[Joined], turns: Sequence[RecordedTurn], model: "Probe") -> None:
    """In the batch that the model was given, every row has the experts of its turns, each from where it began."""
    given = [
        (ids, batch.get(FORWARD_REPLAY_BATCH_KEY), place)
        for (grid, _), batch in zip(model.calls, model.batches, strict=False)
        for place, ids in enumerate(grid)
    ]
    for number, row in enumerate(rows):
        found = next((one for one in given if found_in(one[0], row.ids) == 0), None)
        if found is None or found[1] is None:
            raise Violation.of(f"{call}: row {number}", expected=FORWARD_REPLAY_BATCH_KEY, got="a batch without it")
        got = [int(one) for one in found[1][found[2]].flatten()[: len(row.ids)]]
        wanted = _wanted(row, [len(turn.prompt_ids) + len(turn.completion_ids) for turn in turns])
        if got != wanted:
            last = [100 * (row.turns[-1] + 1) + at for at in range(len(wanted) - 1)]
            shown: dict[str, list[int] | list[str]] = {
                "position": list(range(len(row.ids))),
                "input_ids": row.ids,
                "expected": wanted,
                "got": got,
            }
            fault = "the last turn's record alone" if got[:-1] == last else ""
            raise Violation.of(f"{call}: experts in row {number}", rows=shown, fault=fault)


def _wanted(row: Joined, lengths: Sequence[int]) -> list[int]:
    """A turn of L ids has experts at its first L - 1 positions, and later turns at those behind them."""
    owners = [next(turn for turn in row.turns if at < lengths[turn] - 1) for at in range(len(row.ids) - 1)]
    return [*(100 * (turn + 1) + at for at, turn in enumerate(owners)), MISSING_EXPERT]
