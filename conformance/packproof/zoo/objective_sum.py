"""Faults of chapter objectives, in the sum: what it is divided by, its terms, and what the metrics say of it."""

from collections.abc import Mapping
from typing import Any

from packproof.zoo.member import fault
from packproof.zoo.miniature_objective import MiniatureObjective
from packproof.zoo.miniature_objective_rows import ObjectiveRow

__all__: list[str] = []

Places = list[tuple[int, int]]


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
