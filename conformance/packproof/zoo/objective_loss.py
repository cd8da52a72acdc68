"""Faults of chapter objectives, in the loss: what it reaches, what stands beside what, and what it is divided by."""

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


class _DividesInItsOwnWay(MiniatureObjective):
    """Knows in `_loss` whether the caller gave a denominator."""

    def _count(self, places: Places, rows: list[ObjectiveRow], given: Any) -> float:
        self.told = given is not None or not places
        return super()._count(places, rows, given)


@fault("OBJ-6", "OBJ-9")
class DividedByAllPredictions(_DividesInItsOwnWay):
    """The mean is taken over the whole batch, fill and prompts with it, so that the width sets the learning rate."""

    def _loss(self, terms: Any, count: float, places: Places, batch: Mapping[str, Any]) -> Any:
        rows, width = batch["input_ids"].shape
        return super()._loss(terms, count if self.told else rows * (width - 1), places, batch)


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


@fault("OBJ-9")
class UnsampledInTheDenominator(MiniatureObjective):
    """The denominator is counted in the packer's mask, before the ids that nobody sampled are taken out of it."""

    def _count(self, places: Places, rows: list[ObjectiveRow], given: Any) -> float:
        more = sum(row.sampled.count(0) for row in rows if row.sampled and not row.filler and given is None)
        return super()._count(places, rows, given) + more


@fault("OBJ-9")
class ScoredInHalfPrecision(MiniatureObjective):
    """Logprobs have the type of the logits: in bfloat16 one of -6.238 is -6.25, and no ratio is right."""

    def _logprobs(self, logits: Any, batch: Mapping[str, Any], places: Places) -> Any:
        return super()._logprobs(logits, batch, places).to(logits.dtype).float()


@fault("OBJ-9")
class SummedInHalfPrecision(MiniatureObjective):
    """Terms are right, and summed in the type of the logits, which has no room for what comes late."""

    def _logits(self, model: Any, batch: Mapping[str, Any], mask: list[list[bool]]) -> Any:
        logits = super()._logits(model, batch, mask)
        self.type = logits.dtype
        return logits

    def _loss(self, terms: Any, count: float, places: Places, batch: Mapping[str, Any]) -> Any:
        return super()._loss(terms.to(self.type), count, places, batch)


@fault("OBJ-9")
class MeanOfRowMeans(_DividesInItsOwnWay):
    """A mean over each row, then a mean of those: what a token weighs depends on how long its answer is."""

    def _loss(self, terms: Any, count: float, places: Places, batch: Mapping[str, Any]) -> Any:
        if self.told:
            return super()._loss(terms, count, places, batch)
        rows = [row for row, _ in places]
        weights = terms.new_tensor([1 / rows.count(row) / len(set(rows)) for row in rows])
        return -(terms * weights).sum()


@fault("OBJ-9")
class DividedByRows(_DividesInItsOwnWay):
    """The sum is divided by the number of trajectories: long answers make large steps."""

    def _loss(self, terms: Any, count: float, places: Places, batch: Mapping[str, Any]) -> Any:
        return super()._loss(terms, count if self.told else len({row for row, _ in places}), places, batch)


@fault("OBJ-9")
class DenominatorOfThePart(MiniatureObjective):
    """Each part of a step is divided by its own predictions, whatever the caller said of the step."""

    def _loss(self, terms: Any, count: float, places: Places, batch: Mapping[str, Any]) -> Any:
        return super()._loss(terms, len(places), places, batch)


@fault("OBJ-9")
class DenominatorRaised(MiniatureObjective):
    """A denominator that is less than the predictions of the call must be wrong, and is quietly made their number."""

    def _count(self, places: Places, rows: list[ObjectiveRow], given: Any) -> float:
        return max(super()._count(places, rows, given), len(places))


@fault("OBJ-9")
class ZeroDenominatorTaken(MiniatureObjective):
    """A denominator of 0 is quietly made 1, and one below 0 turns the sign."""

    def _count(self, places: Places, rows: list[ObjectiveRow], given: Any) -> float:
        return super()._count(places, rows, None) if given is None else given


@fault("OBJ-9")
class TermsShrink(MiniatureObjective):
    """The sign is lost on the way, and what earned a reward is unlearned."""

    def _loss(self, terms: Any, count: float, places: Places, batch: Mapping[str, Any]) -> Any:
        return -super()._loss(terms, count, places, batch)


@fault("OBJ-13")
class AlwaysClipped(MiniatureObjective):
    """The ratio is clipped on both sides in every case, so that a step that went wrong is never taken back."""

    def _clipped(self, lp: Any, q: Any, a: Any) -> Any:
        return self._ratio(lp, q).clamp(1 - self.clip_low, 1 + self.clip_high) * a


@fault("OBJ-13")
class LargerTermTaken(MiniatureObjective):
    """The larger of both products is taken, which bounds what it should not and lets go what it should bound."""

    def _clipped(self, lp: Any, q: Any, a: Any) -> Any:
        ratio = self._ratio(lp, q)
        return (ratio * a).maximum(ratio.clamp(1 - self.clip_low, 1 + self.clip_high) * a)


@fault("OBJ-13")
class RatioTurnedRound(MiniatureObjective):
    """The recorded probability is divided by the trainer's: the two are exchanged."""

    def _ratio(self, lp: Any, q: Any) -> Any:
        return (q - lp).exp()


@fault("OBJ-13")
class BoundsExchanged(MiniatureObjective):
    """The bound below is used above and the bound above is used below, which shows where they differ."""

    def _clipped(self, lp: Any, q: Any, a: Any) -> Any:
        ratio = self._ratio(lp, q)
        return (ratio * a).minimum(ratio.clamp(1 - self.clip_high, 1 + self.clip_low) * a)


@fault("OBJ-13")
class BoundsUnchecked(MiniatureObjective):
    """A clip of 1 or below 0 is taken as it comes."""

    def _check_options(self) -> None:
        if self.eps < 0:
            raise ValueError(f"eps {self.eps}: out of range")


@fault("OBJ-13")
class ClippedOnBothSides(MiniatureObjective):
    """The dual clip: for an advantage below 0 a term stops at 3 times the advantage, and a far step is not undone."""

    def _clipped(self, lp: Any, q: Any, a: Any) -> Any:
        terms = super()._clipped(lp, q, a)
        return terms.where(a >= 0, terms.maximum(3 * a))


@fault("OBJ-13")
class RatioBounded(MiniatureObjective):
    """lp less q is kept within 1.5 of 0, so that nothing overflows, and a ratio of 10 is one of 4.48."""

    def _ratio(self, lp: Any, q: Any) -> Any:
        return (lp - q).clamp(-1.5, 1.5).exp()


@fault("OBJ-17")
class GapWithItsSign(MiniatureObjective):
    """The mean gap has a sign, and faults in both directions cancel."""

    def _metrics(self, lp: Any, q: Any) -> dict[str, float]:
        found = super()._metrics(lp, q)
        gap = (lp - q)[~q.isnan()]
        return found | ({"logprob_gap_mean": gap.mean().item()} if len(gap) else {})


@fault("OBJ-17")
class LargestGapLeftOut(MiniatureObjective):
    """The mean is told and the maximum is not, so that one token of a thousand stays hidden."""

    def _metrics(self, lp: Any, q: Any) -> dict[str, float]:
        return {"logprob_gap_mean": super()._metrics(lp, q)["logprob_gap_mean"]}


@fault("OBJ-17")
class GapsAsTensors(MiniatureObjective):
    """Metrics are tensors, which a log keeps alive for as long as it is read."""

    def _metrics(self, lp: Any, q: Any) -> dict[str, Any]:
        return {name: lp.new_tensor(value) for name, value in super()._metrics(lp, q).items()}


@fault("OBJ-17")
class GapOverAllPredictions(MiniatureObjective):
    """The gaps are summed where something was recorded, and divided by all predictions, recorded or not."""

    def _metrics(self, lp: Any, q: Any) -> dict[str, float]:
        found = super()._metrics(lp, q)
        return found | {"logprob_gap_mean": (lp - q).abs().nan_to_num().sum().item() / max(len(q), 1)}
