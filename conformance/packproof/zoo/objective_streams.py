"""Faults of chapter objectives, in streams and rewards: broken ones that are taken, and advantages that are others."""

import math
from typing import Any

from packproof.zoo.member import fault
from packproof.zoo.miniature_objective import MiniatureObjective
from packproof.zoo.miniature_objective_rows import ObjectiveRow

__all__: list[str] = []


@fault("OBJ-8", report="https://github.com/huggingface/trl/pull/6693")
class NanMadeZero(MiniatureObjective):
    """A logprob that is no number becomes 0.0, and with it a ratio that nobody computed. Reported:
    https://github.com/huggingface/trl/pull/6693."""

    def _check_logprobs(self, row: ObjectiveRow, place: int) -> None:
        if row.logprobs is not None:
            row.logprobs = [0.0 if one is None or not math.isfinite(one) else one for one in row.logprobs]
        super()._check_logprobs(row, place)


@fault("OBJ-8")
class FarNumbersTaken(MiniatureObjective):
    """A logprob of -1e39 is a finite number, and becomes an infinity where it is put beside float32."""

    def _check_logprobs(self, row: ObjectiveRow, place: int) -> None:
        known = self._logprob(row, place)
        try:
            super()._check_logprobs(row, place)
        except ValueError as error:
            if "expected a finite" not in str(error) or known is None or not math.isfinite(known):
                raise


@fault("OBJ-8")
class ShorterStreamFilled(MiniatureObjective):
    """A stream of another length is cut or filled with its last entry until it fits."""

    def _check_logprobs(self, row: ObjectiveRow, place: int) -> None:
        if row.logprobs:
            count = len(row.completion)
            row.logprobs = [*row.logprobs, *[row.logprobs[-1]] * count][:count]
        super()._check_logprobs(row, place)


@fault("OBJ-8")
class AbsentLogprobsAreTheTrainers(MiniatureObjective):
    """Where no logprobs were recorded the trainer's own stand in, and every ratio is 1."""

    def _check_logprobs(self, row: ObjectiveRow, place: int) -> None:
        if row.logprobs is not None:
            super()._check_logprobs(row, place)

    def _ratio(self, lp: Any, q: Any) -> Any:
        return super()._ratio(lp, q.where(~q.isnan(), lp.detach()))


@fault("OBJ-8")
class BrokenEntryUnnamed(MiniatureObjective):
    """The refusal says that some logprob is no number, and not which."""

    def _check_logprobs(self, row: ObjectiveRow, place: int) -> None:
        try:
            super()._check_logprobs(row, place)
        except ValueError as error:
            if "expected a finite" in str(error):
                raise ValueError(f"trajectory {row.trajectory}: logprobs are not finite") from None
            raise


@fault("OBJ-8")
class UnreadEntriesRefused(MiniatureObjective):
    """A stream is looked at from end to end, so that a tool's tokens need logprobs too."""

    def _check_logprobs(self, row: ObjectiveRow, place: int) -> None:
        super()._check_logprobs(row, place)
        for at, entry in enumerate(row.entries if self.kind == "clipped" else ()):
            if entry >= 0:
                super()._check_logprobs(row, at)


@fault("OBJ-8")
class LogprobsOfToolsDemanded(MiniatureObjective):
    """A record that holds a tool's output is refused where that has no logprobs, though nobody reads them."""

    def _check_logprobs(self, row: ObjectiveRow, place: int) -> None:
        super()._check_logprobs(row, place)
        marked = self.kind == "clipped" and bool(row.sampled) and 0 in (row.sampled or ())
        for at in [at for at, entry in enumerate(row.entries) if marked and entry >= 0]:
            super()._check_logprobs(row, at)


@fault("OBJ-8")
class AdvantagesOfAnyNumber(MiniatureObjective):
    """Advantages that are too many are left over, and nobody says so."""

    def _advantages(self, trajectories: Any, advantages: Any, groups: Any) -> list[Any]:
        cut = None if advantages is None else advantages[: len(trajectories)]
        return super()._advantages(trajectories, cut, groups)


@fault("OBJ-12")
class SampleDeviation(MiniatureObjective):
    """The deviation is that of a sample, which every library's `std` has for a default."""

    def _deviation(self, group: list[float], mean: float) -> float:
        return super()._deviation(group, mean) * math.sqrt(len(group) / max(len(group) - 1, 1))


@fault("OBJ-12")
class SingleRewardKept(MiniatureObjective):
    """A group of one has no deviation, and its raw reward is taken for the advantage."""

    def _beside_group(self, reward: float, group: list[float]) -> float:
        return reward if len(group) == 1 else super()._beside_group(reward, group)


@fault("OBJ-12")
class EpsInsideTheRoot(MiniatureObjective):
    """eps is added to the variance, and not to the deviation."""

    def _beside_group(self, reward: float, group: list[float]) -> float:
        if max(group) == min(group):
            return 0.0
        mean = math.fsum(group) / len(group)
        return (reward - mean) / math.sqrt(self._deviation(group, mean) ** 2 + self.eps)


@fault("OBJ-12")
class RoundingDivided(MiniatureObjective):
    """Computed in float32: the mean of equal rewards is off in the last place, and that is divided by as little."""

    def _beside_group(self, reward: float, group: list[float]) -> float:
        import torch

        rewards = torch.tensor(group, dtype=torch.float32)
        off = reward - (rewards.sum() / len(group))
        spread = (rewards - rewards.sum() / len(group)).square().mean().sqrt()
        return (off / (spread + self.eps)).nan_to_num(nan=0.0).item()


@fault("OBJ-12")
class GroupsByPlace(MiniatureObjective):
    """A group is a run of equal labels, and one whose trajectories stand apart is two."""

    def _group_advantages(self, rewards: list[float], groups: list[Any]) -> list[float]:
        runs, number = [], -1
        for place, label in enumerate(groups):
            number += not place or label != groups[place - 1]
            runs.append(number)
        return super()._group_advantages(rewards, runs)


@fault("OBJ-12")
class RowsCountInTheirGroup(MiniatureObjective):
    """A conversation of two rows is two in its group, and pulls the mean towards its reward."""

    def _rows(self, number: int, trajectory: Any) -> list[ObjectiveRow]:
        rows = super()._rows(number, trajectory)
        self.counts = [*(self.counts if number else ()), len(rows)]
        return rows

    def _group_advantages(self, rewards: list[float], groups: list[Any]) -> list[float]:
        if len(rewards) != len(self.counts):
            return super()._group_advantages(rewards, groups)
        many = [number for number, count in enumerate(self.counts) for _ in range(count)]
        made = super()._group_advantages([rewards[at] for at in many], [groups[at] for at in many])
        return [made[many.index(number)] for number in range(len(rewards))]


@fault("OBJ-12")
class AbsentRewardIsZero(MiniatureObjective):
    """An answer that nobody scored counts as one that earned nothing."""

    def _advantages(self, trajectories: Any, advantages: Any, groups: Any) -> list[Any]:
        if advantages is None:
            for one in trajectories:
                one.reward = 0.0 if one.reward is None else one.reward
        return super()._advantages(trajectories, advantages, groups)
