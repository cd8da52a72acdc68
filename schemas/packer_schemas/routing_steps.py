"""The protocol of what carries recorded routing around a packer: from the rollout to the batch and into the model."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

__all__ = ["RoutingSteps"]


@runtime_checkable
class RoutingSteps(Protocol):
    """A module or object whose functions move records with their ids, or refuse to.

    A record is an integer NumPy array or CPU tensor `[L-1, layers, top_k]`, or None where nothing was recorded. Spec:
    routing, ROUTE-5 and ROUTE-12 to ROUTE-15.
    """

    def shape_policy_input(self, packer: Any, trajectory: Any, n_ignore_prefix_tokens: int = 0) -> Any:
        """The policy input of a `Trajectory`, made by `packer`, with the trajectory's record as `forward_routing`."""

    def cut_policy_input(self, policy_input: Any, start: int, end: int) -> Any:
        """A policy input of the positions `start` to `end - 1` alone; the one that was given stays as it was."""

    def join_policy_inputs(self, policy_inputs: Sequence[Any]) -> Any:
        """One policy input of all, one behind the other, as packing lays them into one row."""

    def join_turn_routing(
        self,
        earlier_ids: Sequence[int],
        earlier_record: Any,
        later_ids: Sequence[int],
        later_record: Any,
        first_row: int = 0,
    ) -> Any:
        """The record of the later turn's ids; `first_row` is the position that its own record begins at."""

    def flatten_routing(self, policy_inputs: Sequence[Any]) -> Any:
        """The records as they travel: `(rows, counts)`, all rows and how many each sample has, or a list of records."""

    def expect_replay_batch(
        self, batch: Mapping[str, Any], layers: int, top_k: int, experts: int | None = None
    ) -> None:
        """Raise `ValueError` unless a model of these sizes can replay the policy batch; None where it can."""
