"""Faults of chapter objectives, in what the loss reaches, and in what stands beside each prediction."""

from collections.abc import Mapping
from typing import Any

from packproof.zoo.member import fault
from packproof.zoo.miniature_objective import MiniatureObjective
from packproof.zoo.miniature_objective_rows import ObjectiveRow

__all__ = ["LogprobsCompactedOverSampled"]

Places = list[tuple[int, int]]


@fault("OBJ-5", report="https://github.com/verl-project/verl/pull/3287")
class MaskCutAtTheFront(MiniatureObjective):
    """`mask[1:]` for `mask[:-1]`: the last prompt id is trained, the end of the answer is lost, and every shape fits.
    Reported: https://github.com/verl-project/verl/pull/3287."""

    def _logprobs(self, logits: Any, batch: Mapping[str, Any], places: Places) -> Any:
        return super()._logprobs(logits, batch, [(row, max(at - 1, 0)) for row, at in places])


@fault("OBJ-5")
class LabelsNotShifted(MiniatureObjective):
    """The labels are the ids themselves: every position is trained to say again what it was given."""

    def _logprobs(self, logits: Any, batch: Mapping[str, Any], places: Places) -> Any:
        ids = batch["input_ids"]
        return super()._logprobs(logits, {**batch, "input_ids": ids.roll(1, dims=1)}, places)


@fault("OBJ-5")
class MaskMultipliedIn(MiniatureObjective):
    """What is not selected is multiplied by 0, and a NaN there is still a NaN."""

    def _logprobs(self, logits: Any, batch: Mapping[str, Any], places: Places) -> Any:
        return super()._logprobs(logits, batch, places) + logits.sum() * 0


@fault("OBJ-6", report="https://github.com/huggingface/trl/issues/6800")
class FilledOnTheLeft(MiniatureObjective):
    """Rows are moved to the right end before the model sees them, which reads the fill in front as a prefix. Reported:
    https://github.com/huggingface/trl/issues/6800."""

    def _mask(self, batch: Mapping[str, Any], rows: list[ObjectiveRow], inputs: Any) -> list[list[bool]]:
        self.lengths = [len(row["input_ids"]) for row in inputs]
        return super()._mask(batch, rows, inputs)

    def _logits(self, model: Any, batch: Mapping[str, Any], mask: list[list[bool]]) -> Any:
        import torch

        if self.packer is None or self._tying(batch):
            return super()._logits(model, batch, mask)
        fill = [batch["input_ids"].shape[1] - length for length in self.lengths]
        moved = [ids.roll(by) for ids, by in zip(batch["input_ids"], fill, strict=True)]
        logits = super()._logits(model, {**batch, "input_ids": torch.stack(moved)}, mask)
        return torch.stack([row.roll(-by, dims=0) for row, by in zip(logits, fill, strict=True)])


@fault("OBJ-7", report="https://github.com/PrimeIntellect-ai/prime-rl/pull/1525")
class LogprobsCountedFromIgnored(MiniatureObjective):
    """With n ids ignored, the first selected prediction gets the first logprob of all. Reported:
    https://github.com/PrimeIntellect-ai/prime-rl/pull/1525."""

    def _logprob(self, row: ObjectiveRow, place: int) -> float | None:
        return super()._logprob(row, place - row.ignored)


@fault("OBJ-7", report="https://github.com/agentscope-ai/Trinity-RFT/issues/272")
class AdvantagesCountedFromIgnored(MiniatureObjective):
    """One stream is cut by n and the other is not, so that each token has its neighbour's advantage. Reported:
    https://github.com/agentscope-ai/Trinity-RFT/issues/272."""

    def _advantage(self, row: ObjectiveRow, place: int, given: Any) -> float:
        return super()._advantage(row, place - row.ignored, given)


@fault("OBJ-7")
class StreamsReadBackwards(MiniatureObjective):
    """The engine's list is taken to begin with the last token."""

    def _logprob(self, row: ObjectiveRow, place: int) -> float | None:
        last = len(row.logprobs or ()) - 1
        return super()._logprob(row, last - place if -1 not in row.entries and last == row.total - 1 else place)


@fault("OBJ-7")
class LogprobsCompactedOverSampled(MiniatureObjective):
    """A tool's tokens have no logprobs of their own, so those of the rest are taken one after the other."""

    def _single(self, number: int, trajectory: Any, info: Mapping[str, Any]) -> ObjectiveRow:
        row = super()._single(number, trajectory, info)
        if row.logprobs and row.sampled:
            pairs = list(zip(row.sampled, row.logprobs, strict=False))
            row.logprobs = [one for said, one in pairs if said] + [one for said, one in pairs if not said]
        return row


@fault("OBJ-7")
class AdvantagesCompactedOverSampled(MiniatureObjective):
    """The list of advantages is read one entry after the other, and what was not sampled takes none."""

    def _single(self, number: int, trajectory: Any, info: Mapping[str, Any]) -> ObjectiveRow:
        row = super()._single(number, trajectory, info)
        if row.sampled and len(row.sampled) == len(row.entries):
            row.entries = [sum(row.sampled[:place]) for place in range(len(row.entries))]
        return row
