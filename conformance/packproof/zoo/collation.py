"""Faults of chapter collation: rows are cut, moved, padded wrongly or mixed up."""

from typing import Any

from packproof.zoo.member import fault
from packproof.zoo.miniature import MiniaturePacker, Row

__all__: list[str] = []


@fault("COLL-1", report="https://github.com/NVlabs/alpamayo/pull/37")
class IdsCastToFloat(MiniaturePacker):
    """The batch is cast to the model's dtype, ids included, and half precision rounds ids above 256.

    Reported in https://github.com/NVlabs/alpamayo/pull/37. Float keeps small ids, so nothing crashes.
    """

    def _batch(self, ids: list[list[int]], masks: list[list[Any]]) -> dict[str, Any]:
        batch = super()._batch(ids, masks)
        return batch | {"input_ids": batch["input_ids"].float()}


@fault("COLL-1")
class IdsAsInt32(MiniaturePacker):
    """Ids are kept as int32 to save memory; embedding and loss of most models ask for int64."""

    def _batch(self, ids: list[list[int]], masks: list[list[Any]]) -> dict[str, Any]:
        batch = super()._batch(ids, masks)
        return batch | {"input_ids": batch["input_ids"].int()}


@fault("COLL-2")
class MaskAsIntegers(MiniaturePacker):
    """The mask is int64, so indexing with it picks positions 0 and 1 again and again instead of selecting."""

    def _batch(self, ids: list[list[int]], masks: list[list[Any]]) -> dict[str, Any]:
        batch = super()._batch(ids, masks)
        return batch | {"logprob_masks": batch["logprob_masks"].long()}


@fault("COLL-3")
class WidthIgnored(MiniaturePacker):
    """`computed_max_len` is accepted and not used: the batch is as wide as its longest row, so ranks disagree.

    Seen in public trainers, which round the width up before they pass it on.
    """

    def _collate(self, rows: Any, width: int) -> dict[str, Any]:
        return super()._collate(rows, self.policy_compute_max_len(rows))


@fault("COLL-3")
class WidthRoundedUp(MiniaturePacker):
    """The width is rounded up to a multiple of eight for the sake of the hardware, and no longer is what was asked."""

    def _collate(self, rows: Any, width: int) -> dict[str, Any]:
        return super()._collate(rows, -(-width // 8) * 8)


@fault("COLL-4", report="https://github.com/huggingface/trl/issues/6800")
class PaddedOnTheLeft(MiniaturePacker):
    """Filler stands on the left, as generation likes it, so positions depend on the width of the batch.

    Reported in https://github.com/huggingface/trl/issues/6800.
    """

    def _padded_ids(self, ids: list[int], width: int) -> list[int]:
        return [self.tokenizer.pad_token_id] * (width - len(ids)) + ids

    def _padded_mask(self, row: Row, width: int) -> list[Any]:
        return [0] * (width - len(row["logprob_masks"])) + row["logprob_masks"]


@fault("COLL-4", "COLL-8", "COLL-9")
class RowsSortedByLength(MiniaturePacker):
    """Rows are sorted by length for packing, and advantages, which are not, meet other rows."""

    def _collate(self, rows: Any, width: int) -> dict[str, Any]:
        return super()._collate(sorted(rows, key=lambda row: len(row["input_ids"])), width)


@fault("COLL-5", report="https://github.com/OpenGVLab/InternVL/issues/908")
class FillerIsZero(MiniaturePacker):
    """Filler is zero whatever the pad id is; zero is a real token of most vocabularies.

    Reported in https://github.com/OpenGVLab/InternVL/issues/908.
    """

    def _padded_ids(self, ids: list[int], width: int) -> list[int]:
        return ids + [0] * (width - len(ids))


@fault("COLL-5", report="https://github.com/NVIDIA-NeMo/Automodel/pull/3704")
class FillerIsPadOrEos(MiniaturePacker):
    """`pad or eos` fills with the end token where the pad id is zero.

    Reported in https://github.com/NVIDIA-NeMo/Automodel/pull/3704.
    """

    def _padded_ids(self, ids: list[int], width: int) -> list[int]:
        filler = self.tokenizer.pad_token_id or self.tokenizer.eos_token_id
        return ids + [filler] * (width - len(ids))


@fault("COLL-5")
class PadIdOnTheClass(MiniaturePacker):
    """Setup stores the pad id on the class, so the last packer set up decides what all the others fill with."""

    _pad_id = 0

    def _settle_pad(self) -> None:
        super()._settle_pad()
        type(self)._pad_id = self.tokenizer.pad_token_id

    def _padded_ids(self, ids: list[int], width: int) -> list[int]:
        return ids + [type(self)._pad_id] * (width - len(ids))


@fault("COLL-6", report="https://github.com/rllm-org/rllm/pull/508")
class FillerTrained(MiniaturePacker):
    """The mask is filled with ones, so padding carries loss and enters the token count.

    Trained filler: https://github.com/rllm-org/rllm/pull/508.
    """

    def _padded_mask(self, row: Row, width: int) -> list[Any]:
        return row["logprob_masks"] + [1] * (width - len(row["logprob_masks"]))


@fault("COLL-7", report="https://github.com/huggingface/trl/issues/976")
class PadEosCut(MiniaturePacker):
    """Collation takes every target that equals the pad id out of the mask; where pad is the end token, real ends too.

    Reported in https://github.com/huggingface/trl/issues/976: models never stopped.
    """

    def _padded_mask(self, row: Row, width: int) -> list[Any]:
        targets = [*row["input_ids"][1:], self.tokenizer.pad_token_id]
        marks = zip(row["logprob_masks"], targets, strict=True)
        kept = [int(mark and target != self.tokenizer.pad_token_id) for mark, target in marks]
        return super()._padded_mask({"logprob_masks": kept}, width)


@fault("COLL-7")
class MaskWrittenToUnseen(MiniaturePacker):
    """The mask that counts is a copy, renewed when another mask is put in its place, and not when one is written to."""

    def _row(self, prompt: list[int], completion: list[int], ignored: int) -> Row:
        row = super()._row(prompt, completion, ignored)
        return row | {"kept": (row["logprob_masks"], tuple(row["logprob_masks"]))}

    def _padded_mask(self, row: Row, width: int) -> list[Any]:
        mask, kept = row["kept"]
        return super()._padded_mask({"logprob_masks": list(kept)} if row["logprob_masks"] is mask else row, width)


@fault("COLL-7")
class MaskDerivedAgain(MiniaturePacker):
    """The mask is made again from lengths that the sample carries, so a trainer that silences a sample has no say."""

    def _row(self, prompt: list[int], completion: list[int], ignored: int) -> Row:
        return super()._row(prompt, completion, ignored) | {"lengths": (len(prompt), len(completion), ignored)}

    def _padded_mask(self, row: Row, width: int) -> list[Any]:
        return super()._padded_mask({"logprob_masks": self._mask(*row["lengths"])}, width)


@fault("COLL-7", "COLL-9")
class MasksOfTheFirstFourOnly(MiniaturePacker):
    """Masks are written for one micro-batch of four, and the rows after it stay as they were made: untrained."""

    def _batch(self, ids: list[list[int]], masks: list[list[Any]]) -> dict[str, Any]:
        batch = super()._batch(ids, masks)
        batch["logprob_masks"][4:] = False
        return batch


@fault("COLL-6", "COLL-7", report="https://github.com/huggingface/trl/pull/5178")
class MaskPaddedOnTheLeftOnly(MiniaturePacker):
    """Ids are padded on the right and their mask on the left: a side channel that was not moved with the ids.

    Such a channel: https://github.com/huggingface/trl/pull/5178.
    """

    def _padded_mask(self, row: Row, width: int) -> list[Any]:
        return [0] * (width - len(row["logprob_masks"])) + row["logprob_masks"]


@fault("COLL-8")
class WeightsNormalisedOverTheBatch(MiniaturePacker):
    """A row's loss weight is divided by the marked tokens of the whole batch, so a row counts less among long ones."""

    def _batch(self, ids: list[list[int]], masks: list[list[Any]]) -> dict[str, Any]:
        batch = super()._batch(ids, masks)
        marked = batch["logprob_masks"].sum(dim=-1)
        return batch | {"loss_weights": marked / marked.sum().clamp(min=1)}


@fault("COLL-8")
class LengthsAsFloatsAmongOthers(MiniaturePacker):
    """A column is made of integers where all rows are equally long, and of floats where they are not."""

    def _batch(self, ids: list[list[int]], masks: list[list[Any]]) -> dict[str, Any]:
        batch = super()._batch(ids, masks)
        marked = batch["logprob_masks"].sum(dim=-1)
        return batch | {"marked": marked if len(set(marked.tolist())) == 1 else marked.float()}


@fault("COLL-8")
class ColumnOfEqualRowsOnly(MiniaturePacker):
    """A column comes along only where every row marks as many tokens, so what a batch holds is a matter of chance."""

    def _batch(self, ids: list[list[int]], masks: list[list[Any]]) -> dict[str, Any]:
        batch = super()._batch(ids, masks)
        equal = len({sum(mask) for mask in masks}) == 1
        return batch | ({"marked": batch["logprob_masks"].sum(dim=-1)} if equal else {})


@fault("COLL-8", "COLL-9", report="https://github.com/hiyouga/LlamaFactory/pull/7318")
class PositionsRunOn(MiniaturePacker):
    """Positions are those of a packed row: they run on from one sample into the next.

    Reported in https://github.com/hiyouga/LlamaFactory/pull/7318.
    """

    def _collate(self, rows: Any, width: int) -> dict[str, Any]:
        import torch

        starts = [sum(len(row["input_ids"]) for row in rows[:number]) for number in range(len(rows))]
        return super()._collate(rows, width) | {"position_ids": torch.tensor(starts)[:, None] + torch.arange(width)}


@fault("COLL-9", report="https://github.com/huggingface/nanoVLM/pull/204")
class PositionsCountedOverTheBatch(MiniaturePacker):
    """Positions are counted over the flattened batch, so they tell the place of a row instead of places in it.

    Positions without borders: https://github.com/huggingface/nanoVLM/pull/204.
    """

    def _batch(self, ids: list[list[int]], masks: list[list[Any]]) -> dict[str, Any]:
        import torch

        batch = super()._batch(ids, masks)
        return batch | {"position_ids": torch.arange(batch["input_ids"].numel()).view_as(batch["input_ids"])}
