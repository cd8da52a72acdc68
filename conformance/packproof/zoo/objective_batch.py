"""Faults of chapter objectives, in the batch: rows without weight, filler rows, and what is written in place."""

from collections.abc import Mapping
from typing import Any

from packproof.zoo.member import fault
from packproof.zoo.miniature_objective import MiniatureObjective, ObjectiveResult
from packproof.zoo.miniature_objective_rows import ObjectiveRow

__all__: list[str] = []

Places = list[tuple[int, int]]


@fault("OBJ-10", report="https://github.com/NVIDIA-NeMo/RL/issues/158")
class MeanOfNothing(MiniatureObjective):
    """A batch in which nothing is selected is divided by its own count, 0, and one NaN ends the run. Reported:
    https://github.com/NVIDIA-NeMo/RL/issues/158."""

    def _loss(self, terms: Any, count: float, places: Places, batch: Mapping[str, Any]) -> Any:
        return -terms.sum() / terms.new_tensor(float(count))


@fault("OBJ-10")
class NothingWithoutGraph(MiniatureObjective):
    """Where nothing is selected the loss is a plain 0, and the rank that has it hangs in the backward pass."""

    def _loss(self, terms: Any, count: float, places: Places, batch: Mapping[str, Any]) -> Any:
        loss = super()._loss(terms, count, places, batch)
        return loss if places else loss.detach()


@fault("OBJ-10")
class NoTrajectoriesTaken(MiniatureObjective):
    """A call without trajectories gives 0, so that a filter which lets nothing through is never noticed."""

    def __call__(self, model: Any, trajectories: Any, **given: Any) -> ObjectiveResult:
        if trajectories:
            return super().__call__(model, trajectories, **given)
        return ObjectiveResult(model.head.sum() * 0, {"logprob_gap_mean": 0.0, "logprob_gap_max": 0.0})


@fault("OBJ-10")
class SilentAnswersLeaveTheirGroup(MiniatureObjective):
    """An answer without a selected token is left out of its group, and the others are not compared with it."""

    def _advantages(self, trajectories: Any, advantages: Any, groups: Any) -> list[Any]:
        if groups is None or advantages is not None or len(groups) != len(trajectories):
            return super()._advantages(trajectories, advantages, groups)
        infos = [one.policy_info for one in trajectories]
        silent = [len(info.get("completion_ids", "-")) <= info.get("n_ignore_prefix_tokens", 0) for info in infos]
        own = [("silent", at) if silent[at] else label for at, label in enumerate(groups)]
        return super()._advantages(trajectories, advantages, own)


@fault("OBJ-11", report="https://github.com/PrimeIntellect-ai/prime-rl/pull/683")
class FillerInTheDenominator(MiniatureObjective):
    """The tokens of filler rows have no weight and are counted all the same, so that the step is too small. Reported:
    https://github.com/PrimeIntellect-ai/prime-rl/pull/683."""

    def _count(self, places: Places, rows: list[ObjectiveRow], given: Any) -> float:
        fill = sum(len(row.completion) - row.ignored for row in rows if row.filler)
        return super()._count(places, rows, given) + (fill if given is None else 0)


@fault("OBJ-11", report="https://github.com/rllm-org/rllm/pull/508")
class CopiesOfRowsTrained(MiniatureObjective):
    """Rows that were added so that the batch divides are trained like the rows that they are copies of. Reported:
    https://github.com/rllm-org/rllm/pull/508."""

    def _counts(self, row: ObjectiveRow, place: int) -> bool:
        filler, row.filler = row.filler, False
        counts = super()._counts(row, place)
        row.filler = filler
        return counts

    def _check_logprobs(self, row: ObjectiveRow, place: int) -> None:
        if not row.filler:
            super()._check_logprobs(row, place)

    def _check_advantage(self, row: ObjectiveRow, place: int, given: Any) -> None:
        if not row.filler:
            super()._check_advantage(row, place, given)

    def _logprob(self, row: ObjectiveRow, place: int) -> float | None:
        return super()._logprob(row, place) if row.logprobs is not None or not row.filler else -6.0

    def _advantage(self, row: ObjectiveRow, place: int, given: Any) -> float:
        return 1.0 if row.filler else super()._advantage(row, place, given)


@fault("OBJ-11")
class FillerOfTurnsTrained(CopiesOfRowsTrained):
    """The mark of a filler is read of single turns alone, and a conversation that was put in to fill is trained."""

    def _rows(self, number: int, trajectory: Any) -> list[ObjectiveRow]:
        self.turned = [*(self.turned if number else ()), "turns" in trajectory.policy_info]
        return super()._rows(number, trajectory)

    def _counts(self, row: ObjectiveRow, place: int) -> bool:
        return (
            super()._counts(row, place) if self.turned[row.trajectory] else MiniatureObjective._counts(self, row, place)
        )


@fault("OBJ-11")
class FillerInItsGroup(MiniatureObjective):
    """The reward of a filler row is one more in its group, and moves everybody's advantage."""

    def _advantages(self, trajectories: Any, advantages: Any, groups: Any) -> list[Any]:
        fillers = {at for at, one in enumerate(trajectories) if self._is_filler(one)}
        if advantages is not None or groups is None or not fillers:
            return super()._advantages(trajectories, advantages, groups)
        rewards = [one.reward or 0.0 for one in trajectories]
        return self._group_advantages(rewards, list(groups))


@fault("OBJ-16")
class LogprobsCutInPlace(MiniatureObjective):
    """The first n logprobs are taken off the trajectory's own list, and the second epoch finds a shorter one."""

    def _single(self, number: int, trajectory: Any, info: Mapping[str, Any]) -> ObjectiveRow:
        row = super()._single(number, trajectory, info)
        if row.logprobs is not None and row.ignored > 0 and len(row.logprobs) == row.total:
            row.logprobs = list(row.logprobs)
            del info["logprobs"][: row.ignored]
        return row


@fault("OBJ-16")
class MaskStruckOffInPlace(MiniatureObjective):
    """Predictions are struck off the packer's own mask as they are counted, and the next epoch finds none."""

    def _loss(self, terms: Any, count: float, places: Places, batch: Mapping[str, Any]) -> Any:
        for row, at in places:
            batch["logprob_masks"][row, at] = False
        return super()._loss(terms, count, places, batch)


@fault("OBJ-16")
class FieldsMadeFloats(MiniatureObjective):
    """All fields but the ids are cast to floats on the way to the model, masks and positions among them."""

    def _moved(self, value: Any, device: Any) -> Any:
        moved = super()._moved(value, device)
        return moved.float() if hasattr(moved, "float") and moved.dtype.itemsize < 8 else moved


@fault("OBJ-16")
class AdvantagesClearedInPlace(MiniatureObjective):
    """The caller's lists of advantages are cleared once they are read, for who would need them again."""

    def __call__(self, model: Any, trajectories: Any, **given: Any) -> ObjectiveResult:
        result = super().__call__(model, trajectories, **given)
        for one in given.get("advantages") or ():
            if isinstance(one, list):
                one[:] = [0.0] * len(one)
        return result


@fault("OBJ-16")
class RewardsReplacedInPlace(MiniatureObjective):
    """Advantages of groups are kept where the rewards were, and the report tells those for rewards."""

    def _advantages(self, trajectories: Any, advantages: Any, groups: Any) -> list[Any]:
        made = super()._advantages(trajectories, advantages, groups)
        if advantages is None:
            for one, advantage in zip(trajectories, made, strict=True):
                one.reward = advantage
        return made


@fault("OBJ-16")
class LabelsNumberedInPlace(MiniatureObjective):
    """The caller's labels are replaced by the numbers of their groups."""

    def _advantages(self, trajectories: Any, advantages: Any, groups: Any) -> list[Any]:
        made = super()._advantages(trajectories, advantages, groups)
        if isinstance(groups, list):
            groups[:] = [groups.index(label) for label in groups]
        return made


@fault("OBJ-16")
class TurnsJoinedInPlace(MiniatureObjective):
    """The first turn's own list grows by what the later ones hold, and in the next epoch nothing continues it."""

    def _append(self, last: ObjectiveRow, turn: ObjectiveRow) -> None:
        first = last.completion
        super()._append(last, turn)
        first.extend(last.completion[len(first) :])
