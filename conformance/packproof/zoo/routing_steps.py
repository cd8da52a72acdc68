"""Faults of chapter routing, around the packer: records are dropped, cut at the wrong end, joined at the wrong row."""

import warnings
from dataclasses import dataclass
from typing import Any

from packproof.zoo.member import fault
from packproof.zoo.miniature_routed import MiniatureRouted, RoutedRow
from packproof.zoo.miniature_steps import MiniatureSteps

__all__: list[str] = []


@fault("ROUTE-1")
class TrajectoryAliasRead(MiniatureSteps):
    """Records are also read from `routed_experts`, the engine's word, where another hop may have left its own."""

    def shape_policy_input(self, packer: Any, trajectory: Any, n_ignore_prefix_tokens: int = 0) -> Any:
        made = super().shape_policy_input(packer, trajectory, n_ignore_prefix_tokens)
        alias = trajectory.policy_info.get("routed_experts")
        return made if alias is None else self._attached(made, alias)


@fault("ROUTE-3")
class AttachedWithoutCounting(MiniatureSteps):
    """The record is attached as it comes, and whether its rows are those of the ids nobody asks until the batch."""

    def _attached(self, made: Any, record: Any) -> Any:
        if not hasattr(made, "forward_routing"):
            raise TypeError(f"{type(made).__name__} has no room for rollout_routed_experts")
        made.forward_routing = record
        return made


@fault("ROUTE-5", report="https://github.com/inclusionAI/AReno/pull/524")
class RecordForgotten(MiniatureSteps):
    """Ids and mask are shaped, and the record stays behind, as it did where the data of several ranks were merged.

    Reported in https://github.com/inclusionAI/AReno/pull/524.
    """

    def _attached(self, made: Any, record: Any) -> Any:
        if not hasattr(made, "forward_routing"):
            return super()._attached(made, record)
        self._check_rows("rollout_routed_experts", record, len(made.input_ids) - 1)
        return made


@fault("ROUTE-5")
class RecordDroppedWithoutRoom(MiniatureSteps):
    """A policy input that has no field for the record gets none, and nobody is told that this packer cannot replay."""

    def _attached(self, made: Any, record: Any) -> Any:
        return super()._attached(made, record) if hasattr(made, "forward_routing") else made


@fault("ROUTE-5")
class RecordPinnedOn(MiniatureSteps):
    """A policy input without a field for the record gets an attribute that its packer knows nothing of."""

    def _attached(self, made: Any, record: Any) -> Any:
        if isinstance(made, dict):
            return super()._attached(made, record)
        self._check_rows("rollout_routed_experts", record, len(made.input_ids) - 1)
        made.forward_routing = record
        return made


@dataclass
class _Forgetful(RoutedRow):
    """Copies of it have ids and mask."""

    def __deepcopy__(self, memo: Any) -> "_Forgetful":
        return _Forgetful([*self.input_ids], [*self.logprob_masks])


@fault("ROUTE-5")
class CopiesWithoutTheirRecord(MiniatureRouted):
    """A policy input copies its ids and mask, and the record of the copy is None; gathering and sending copy."""

    def _row(self, prompt: list[int], completion: list[int], ignored: int) -> Any:
        made = super()._row(prompt, completion, ignored)
        return _Forgetful(made.input_ids, made.logprob_masks)


@fault("ROUTE-12")
class CutKeepsTheFirstRows(MiniatureSteps):
    """The slice of the ids is taken of the record, from the front: the number of rows is right, the rows are not."""

    def _cut(self, rows: Any, start: int, end: int) -> Any:
        return rows[: end - start - 1]


@fault("ROUTE-12")
class CutKeepsARowTooMany(MiniatureSteps):
    """Ids, mask and record are cut by one slice, so the record has as many rows as ids, unless the ids end there."""

    def _cut(self, rows: Any, start: int, end: int) -> Any:
        return rows[start:end]


@fault("ROUTE-12")
class BordersAsPythonHasThem(MiniatureSteps):
    """A cut takes any two numbers, as slices do: what lies beyond the ids is left out, and -1 counts from the end."""

    def _check_borders(self, start: int, end: int, length: int) -> None:
        pass


@fault("ROUTE-12")
class JoinWithoutBorders(MiniatureSteps):
    """Records are joined row to row, so the second sequence's rows lie one position before their ids."""

    def _border(self, record: Any) -> list[Any]:
        return []


@fault("ROUTE-12")
class BordersAreExpertZero(MiniatureSteps):
    """Between two joined sequences lies a row of zeros, for a step that nobody took and an expert that exists."""

    def _border(self, record: Any) -> list[Any]:
        return [self._missing(record, 1) + 1]


@fault("ROUTE-12")
class JoinDropsWhatSomeLack(MiniatureSteps):
    """Where one of the joined sequences has no record, the row has none, and the records of the others are gone."""

    def _check_all_or_none(self, records: list[Any]) -> None:
        pass

    def join_policy_inputs(self, policy_inputs: Any) -> Any:
        lacking = any(one.forward_routing is None for one in policy_inputs)
        rows = [RoutedRow(one.input_ids, one.logprob_masks) for one in policy_inputs] if lacking else policy_inputs
        return super().join_policy_inputs(rows)


@fault("ROUTE-12")
class TypeKeptInACut(MiniatureSteps):
    """A record that was cut or joined is int64, whatever its ids."""

    def join_turn_routing(self, *given: Any, **named: Any) -> Any:
        return MiniatureSteps().join_turn_routing(*given, **named)

    def _type(self, largest: int) -> str:
        return "int64"


@fault("ROUTE-12")
class MovedByTheMask(MiniatureRouted):
    """Rows where the mask is 0 are made filler, to save space; a mask that a trainer sets to zero takes all of them."""

    def policy_collate_fn(self, processed_samples: Any, computed_max_len: int) -> dict[str, Any]:
        batch = super().policy_collate_fn(processed_samples, computed_max_len)
        if self._key() in batch:
            for row, sample in zip(batch[self._key()], processed_samples, strict=True):
                row[:] = row if any(sample.logprob_masks) or sum(map(bool, row.flatten())) == 0 else -1
        return batch


@fault("ROUTE-13", report="https://github.com/radixark/miles/issues/407")
class ReplayWithoutRouting(MiniatureSteps):
    """The switch is on, the batch carries nothing, and the model routes as it likes: the run is called a replay.

    Reported in https://github.com/radixark/miles/issues/407.
    """

    def expect_replay_batch(self, batch: Any, layers: int, top_k: int, experts: int | None = None) -> None:
        if batch.get("forward_replay_routing") is not None:
            super().expect_replay_batch(batch, layers, top_k, experts)


@fault("ROUTE-13")
class ReplayOnlyWarned(MiniatureSteps):
    """A batch that cannot be replayed is warned of, once among thousands of lines, and is run all the same."""

    def _refuse(self, message: str) -> None:
        warnings.warn(message, stacklevel=2)


@fault("ROUTE-13")
class ReplayOfAnyLayout(MiniatureSteps):
    """Rows and width are compared, and not the model's layers and top_k: a prefix of the layers is replayed."""

    def _fits(self, got: list[int], expected: list[int]) -> bool:
        return len(got) == len(expected) and got[:2] == expected[:2]


@fault("ROUTE-13")
class ReplayOfAnyExpert(MiniatureSteps):
    """Ids are not compared with the number of experts, and the one beyond the last is read past the weights."""

    def _check_ids(self, ids: list[Any], experts: int | None) -> None:
        super()._check_ids(ids, None)


@fault("ROUTE-14", report="https://github.com/inclusionAI/AReno/pull/524")
class JoinedAtTheEarlierRows(MiniatureSteps):
    """The later turn's rows begin where the earlier turn's ended, though the later prompt repeats less of it.

    Reported in https://github.com/inclusionAI/AReno/pull/524.
    """

    def _turn_border(self, shared: int, earlier: int, later: int) -> int:
        return min(earlier - 1, later - 1)


@fault("ROUTE-14")
class JoinedARowEarly(MiniatureSteps):
    """The row of the last shared id is taken from the later turn as well, which costs the record it was made with."""

    def _turn_border(self, shared: int, earlier: int, later: int) -> int:
        return max(0, super()._turn_border(shared, earlier, later) - 1)


@fault("ROUTE-14")
class NothingSharedIsJoined(MiniatureSteps):
    """Two turns that share no id are joined at row 0, as if the later one had gone on from the earlier."""

    def _check_turns(self, shared: int, first_row: int, length: int) -> None:
        super()._check_turns(max(1, shared), first_row, length)


@fault("ROUTE-14")
class GapBetweenTurnsIsExpertZero(MiniatureSteps):
    """Rows that the engine recorded in neither turn hold 0, because the joined record began as zeros."""

    def _gap(self, record: Any, count: int) -> Any:
        return super()._gap(record, count) * 0


@fault("ROUTE-15", report="https://github.com/NovaSky-AI/SkyRL/pull/2235")
class SentAsARectangle(MiniatureSteps):
    """The records travel padded to the longest, so that most of what is copied at every hop is filler.

    Reported in https://github.com/NovaSky-AI/SkyRL/pull/2235.
    """

    def flatten_routing(self, policy_inputs: Any) -> Any:
        rows, counts = super().flatten_routing(policy_inputs)
        ends = [sum(counts[: at + 1]) for at in range(len(counts))]
        most = max(counts) + 1
        parts = []
        for end, count in zip(ends, counts, strict=True):
            parts += [rows[end - count : end], self._missing(rows, most - count)]
        return self._packed(parts), [most] * len(counts)


@fault("ROUTE-15")
class EmptyRecordsLeftOut(MiniatureSteps):
    """Samples without rows are left out of the counts, and from there on every record is its neighbour's."""

    def flatten_routing(self, policy_inputs: Any) -> Any:
        rows, counts = super().flatten_routing(policy_inputs)
        return rows, [count for count in counts if count]


@fault("ROUTE-15")
class BordersFoundByFiller(MiniatureSteps):
    """The borders are looked for: a row of -1 ends a record, though the engine may not have recorded one inside it."""

    def flatten_routing(self, policy_inputs: Any) -> Any:
        rows, counts = super().flatten_routing(policy_inputs)
        ends = [sum(counts[: at + 1]) for at in range(len(counts))]
        found = []
        for end, count in zip(ends, counts, strict=True):
            own = [bool((row == -1).all()) for row in rows[end - count : end]]
            found.append(own.index(True) if True in own else count)
        return rows, found
