"""Peace with OBJ-15: what another rule measures says nothing where ids that nobody sampled are trained."""

from collections.abc import Sequence

from packer_schemas.objective_cases import ScoredRow
from packproof.objective_runs.calls import Scored
from packproof.objective_runs.trajectories import ids_of
from packproof.violation import Unexercised

__all__ = ["expect_unsampled_untrained"]


def expect_unsampled_untrained(got: Scored, rows: Sequence[ScoredRow]) -> None:
    """`Unexercised` where completion ids of the rows that were not sampled have weight."""
    marked = [row for row in rows if row.sampled and 0 in row.sampled]
    for row, line in zip(marked, got.weights([ids_of(row) for row in marked]), strict=True):
        own = line[len(row.prompt_ids) - 1 : -1]
        if any(weight and not said for weight, said in zip(own, row.sampled or [], strict=True)):
            raise Unexercised("an id that was not sampled has weight, of which OBJ-15 speaks")
