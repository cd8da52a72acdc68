"""Faults of chapter objectives, in what is scored: ids handed over, rows made by hand, batches with more than ids."""

from collections.abc import Mapping, Sequence
from typing import Any

from packproof.zoo.member import fault
from packproof.zoo.miniature_objective import MiniatureObjective
from packproof.zoo.miniature_objective_rows import ObjectiveRow

__all__: list[str] = []


class _TakesOtherIds(MiniatureObjective):
    """Goes on where the packer's row has more completion ids than logprobs were recorded for."""

    def _check_logprobs(self, row: ObjectiveRow, place: int) -> None:
        if row.logprobs is None or 0 <= place < len(row.logprobs):
            super()._check_logprobs(row, place)


@fault("OBJ-1", report="https://github.com/rllm-org/rllm/issues/816")
class CompletionTextHandedOver(_TakesOtherIds):
    """The packer gets the text that a hook made of the completion, and encodes it anew; the logprobs stay as they were.
    Reported: https://github.com/rllm-org/rllm/issues/816."""

    def __call__(self, model: Any, trajectories: Any, **given: Any) -> Any:
        self.texts = [None if "turns" in one.policy_info else one.completion for one in trajectories]
        return super().__call__(model, trajectories, **given)

    def _shaped(self, row: ObjectiveRow) -> Any:
        text = self.texts[row.trajectory]
        if not isinstance(text, str):
            return super()._shaped(row)
        return self.packer.get_policy_input(row.obs, text, row.ignored, prompt_ids=row.prompt)


@fault("OBJ-1")
class StoredPromptLeftOut(MiniatureObjective):
    """The packer is called as in supervised training, and makes the prompt's ids out of the sample."""

    def _shaped(self, row: ObjectiveRow) -> Any:
        return self.packer.get_policy_input(row.obs, row.completion, row.ignored)


@fault("OBJ-1")
class EmptyCompletionTakenForNone(_TakesOtherIds):
    """`completion_ids or completion`: an engine that stopped at once is scored on the text that stands beside."""

    def _completion(self, trajectory: Any, info: Mapping[str, Any]) -> Any:
        ids = info.get("completion_ids")
        return (
            trajectory.completion
            if ids is not None and not ids and trajectory.completion
            else super()._completion(trajectory, info)
        )


@fault("OBJ-1")
class EmptyPromptTakenForNone(MiniatureObjective):
    """`prompt_ids or None`: a record that is broken goes ahead with a prompt that no engine saw."""

    def _prompt(self, info: Mapping[str, Any]) -> Any:
        return info.get("prompt_ids") or None


@fault("OBJ-2")
class HandMadeMaskStartsEarly(MiniatureObjective):
    """The second place that makes masks forgot that position i predicts the id at i + 1, the other way round."""

    def _by_hand(self, prompt: list[int], completion: list[int], ignored: int) -> dict[str, Any]:
        made = super()._by_hand(prompt, completion, ignored)
        mask = made["logprob_masks"]
        return {**made, "logprob_masks": [*mask[1:], 0] if len(prompt) > 1 and completion else mask}


@fault("OBJ-2")
class HandMadeRowWithoutIgnoredIds(MiniatureObjective):
    """Without a packer the ignored ids are trained like the others."""

    def _by_hand(self, prompt: list[int], completion: list[int], ignored: int) -> dict[str, Any]:
        return super()._by_hand(prompt, completion, 0)


@fault("OBJ-2")
class HandMadeRowBeginsWithOne(MiniatureObjective):
    """Every row made by hand gets a beginning-of-sequence id, for the engine surely had one."""

    def _by_hand(self, prompt: list[int], completion: list[int], ignored: int) -> dict[str, Any]:
        return super()._by_hand([*prompt[:1], 1, *prompt[1:]], completion, ignored)


@fault("OBJ-2")
class IgnoredBeyondTheEndTaken(MiniatureObjective):
    """Without a packer, more ignored ids than there are is as good as all of them."""

    def _check_by_hand(self, row: ObjectiveRow) -> None:
        row.ignored = max(0, min(row.ignored, len(row.completion)))
        super()._check_by_hand(row)


@fault("OBJ-3")
class PromptGuessed(MiniatureObjective):
    """A trajectory without prompt ids is scored behind a filler id, and so under a prefix that no engine saw."""

    def _check_by_hand(self, row: ObjectiveRow) -> None:
        row.prompt = row.prompt or [0]
        super()._check_by_hand(row)


@fault("OBJ-3", report="https://github.com/microsoft/agent-lightning/issues/559")
class PicturesLeftOut(MiniatureObjective):
    """The answer to a picture is trained without it, and the loss looks normal. Reported:
    https://github.com/microsoft/agent-lightning/issues/559."""

    def _has_media(self, prompt: Any) -> bool:
        return False


@fault("OBJ-3")
class IncompleteOnesLeftOut(MiniatureObjective):
    """What lacks its ids is dropped from the batch, which shrinks by whatever a hook forgot to record."""

    def __call__(self, model: Any, trajectories: Any, **given: Any) -> Any:
        kept = [one for one in trajectories if "turns" in one.policy_info or self._whole(one)]
        if self.packer is not None or not kept or given.get("advantages") is None:
            return super().__call__(model, trajectories, **given)
        pairs = zip(trajectories, given.pop("advantages"), strict=False)
        return super().__call__(model, kept, advantages=[one for of, one in pairs if of in kept], **given)

    def _whole(self, trajectory: Any) -> bool:
        return {"prompt_ids", "completion_ids"} <= set(trajectory.policy_info)


@fault("OBJ-3")
class RefusedWithoutAdvice(MiniatureObjective):
    """The refusal says what is missing, and nothing of where it could come from."""

    def _check_by_hand(self, row: ObjectiveRow) -> None:
        try:
            super()._check_by_hand(row)
        except ValueError as error:
            raise ValueError(str(error).partition(", or pass")[0].partition("; pass")[0]) from None


@fault("OBJ-4")
class PixelsDropped(MiniatureObjective):
    """`model(batch["input_ids"])` works for every batch; where there were pixels, placeholders are read as words."""

    def _tying(self, batch: Mapping[str, Any]) -> list[str]:
        return ["forward_replay_routing"] * self.routing_replay


@fault("OBJ-4")
class MediaToldByThePackersClass(MiniatureObjective):
    """Policy inputs with media are refused of packers whose class is called a vision packer, and of no others."""

    def _refuse_media(self, inputs: Sequence[Any]) -> None:
        if "Vision" in type(self.packer).__name__:
            super()._refuse_media(inputs)


@fault("OBJ-4")
class RoutingHandedOnUnasked(MiniatureObjective):
    """Recorded routing goes to the model with the rest of the batch, though the run replays none."""

    def _logits(self, model: Any, batch: Mapping[str, Any], mask: list[list[bool]]) -> Any:
        return model.forward_policy_batch(dict(batch)) if self._tying(batch) else super()._logits(model, batch, mask)


@fault("OBJ-4")
class BookkeepingRefused(MiniatureObjective):
    """Whatever is not ids, mask or routing ties the batch to a model, counts of rows and units among it."""

    def _tying(self, batch: Mapping[str, Any]) -> list[str]:
        return [*super()._tying(batch), *[name for name in batch if name in ("mm_row_counts", "mm_units")]]


@fault("OBJ-4")
class FieldsUnnamed(MiniatureObjective):
    """The batch is refused, and nobody learns for which of its fields."""

    def _check_fields(self, model: Any, batch: Mapping[str, Any], inputs: Sequence[Any]) -> None:
        try:
            super()._check_fields(model, batch, inputs)
        except ValueError as error:
            if "forward_policy_batch" in str(error):
                raise ValueError("the batch holds more than the model can take: no forward_policy_batch") from None
            raise


@fault("OBJ-4")
class PolicyGradientDropsFields(MiniatureObjective):
    """The policy gradient needs ids alone, so it hands over those, and what else the batch has is lost."""

    def _logits(self, model: Any, batch: Mapping[str, Any], mask: list[list[bool]]) -> Any:
        if self.kind == "policy_gradient" and not self.routing_replay:
            return model(batch["input_ids"].to(model.device))
        return super()._logits(model, batch, mask)
