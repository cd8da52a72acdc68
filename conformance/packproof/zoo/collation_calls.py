"""Faults of chapter collation: batches of one, of none or too narrow, and what a call leaves behind."""

from typing import Any

from packproof.zoo.member import fault
from packproof.zoo.miniature import MiniaturePacker, Row

__all__: list[str] = []


@fault("COLL-10", report="https://github.com/TransferQueue/TransferQueue/pull/134")
class SingleRowSqueezed(MiniaturePacker):
    """`squeeze()` takes the batch axis off a batch of one: a count of one comes back in another layout.

    Such a layout: https://github.com/TransferQueue/TransferQueue/pull/134.
    """

    def _batch(self, ids: list[list[int]], masks: list[list[Any]]) -> dict[str, Any]:
        return {name: column.squeeze(0) for name, column in super()._batch(ids, masks).items()}


@fault("COLL-10")
class SingleRowInAnotherDtype(MiniaturePacker):
    """A batch of one takes a short cut of its own, and comes back in other dtypes."""

    def _batch(self, ids: list[list[int]], masks: list[list[Any]]) -> dict[str, Any]:
        batch = super()._batch(ids, masks)
        return {name: column.int() for name, column in batch.items()} if len(ids) == 1 else batch


@fault("COLL-11", report="https://github.com/NovaSky-AI/SkyRL/pull/2081")
class ZeroSamplesAccepted(MiniaturePacker):
    """Zero samples give two empty tensors, which fail later and elsewhere; seen in public packers.

    Batches of zero: https://github.com/NovaSky-AI/SkyRL/pull/2081.
    """

    def _check_batch(self, rows: Any, width: int) -> None:
        if rows:
            super()._check_batch(rows, width)


@fault("COLL-11", report="https://github.com/NovaSky-AI/SkyRL/pull/2081")
class ZeroSamplesIndexed(MiniaturePacker):
    """The first sample is looked at before anybody asks whether there is one, so zero samples are an IndexError.

    Reported in https://github.com/NovaSky-AI/SkyRL/pull/2081.
    """

    def _check_batch(self, rows: Any, width: int) -> None:
        if len(rows[0]["input_ids"]) > width:
            raise ValueError(f"max_len {width} is below the first sample")
        super()._check_batch(rows, width)


@fault("COLL-12", report="https://github.com/huggingface/trl/pull/5350")
class RowsCutToWidth(MiniaturePacker):
    """Rows are sliced to the width asked for, in silence, and the end of the longest answer is gone.

    Seen in public collators; a silent cut was taken out in https://github.com/huggingface/trl/pull/5350.
    """

    def _check_batch(self, rows: Any, width: int) -> None:
        super()._check_batch(rows, max(width, *(len(row["input_ids"]) for row in rows), 0))

    def _padded_ids(self, ids: list[int], width: int) -> list[int]:
        return super()._padded_ids(ids, width)[:width]

    def _padded_mask(self, row: Row, width: int) -> list[Any]:
        return super()._padded_mask(row, width)[:width]


@fault("COLL-12")
class NegativeWidthMeansAny(MiniaturePacker):
    """A width of -1 means "as wide as needed", as in other interfaces, so a width that was miscounted passes."""

    def policy_collate_fn(self, processed_samples: Any, computed_max_len: int) -> dict[str, Any]:
        """As the miniature, with a width of its own."""
        needed = computed_max_len < 0 < len(processed_samples)
        width = self.policy_compute_max_len(processed_samples) if needed else computed_max_len
        return super().policy_collate_fn(processed_samples, width)


@fault("COLL-13")
class BatchKept(MiniaturePacker):
    """The last batch is kept and handed out again for the same samples, after the trainer has written into it."""

    def __init__(self) -> None:
        super().__init__()
        self._last: tuple[Any, dict[str, Any]] = (None, {})

    def _batch(self, ids: list[list[int]], masks: list[list[Any]]) -> dict[str, Any]:
        if self._last[0] != (ids, masks):
            self._last = ((ids, masks), super()._batch(ids, masks))
        return self._last[1]


@fault("COLL-13", report="https://github.com/pytorch/pytorch/issues/65604")
class BufferUsedAgain(MiniaturePacker):
    """Batches of one shape are written into one buffer, so the next batch overwrites the one still in use.

    Shared storage behind tensors that look apart: https://github.com/pytorch/pytorch/issues/65604.
    """

    def __init__(self) -> None:
        super().__init__()
        self._buffers: dict[Any, Any] = {}

    def _batch(self, ids: list[list[int]], masks: list[list[Any]]) -> dict[str, Any]:
        fresh = super()._batch(ids, masks)
        return {
            name: self._buffers.setdefault((name, column.shape), column).copy_(column) for name, column in fresh.items()
        }


@fault("COLL-14")
class SamplesPaddedInPlace(MiniaturePacker):
    """Collation pads the lists of its samples in place, so a second collation at another width finds longer samples."""

    def _padded_ids(self, ids: list[int], width: int) -> list[int]:
        ids[:] = super()._padded_ids(ids, width)
        return ids


@fault("COLL-14")
class FieldsTakenOutOfTheSamples(MiniaturePacker):
    """Collation deletes from its samples what it does not put into the batch, as public vision packers do."""

    def _row(self, prompt: list[int], completion: list[int], ignored: int) -> Row:
        return super()._row(prompt, completion, ignored) | {"prompt_length": len(prompt)}

    def _padded_mask(self, row: Row, width: int) -> list[Any]:
        row.pop("prompt_length", None)
        return super()._padded_mask(row, width)


@fault("COLL-14")
class WidthCallPadsInPlace(MiniaturePacker):
    """The call that asks for the width pads the samples to it, since it has them in hand."""

    def policy_compute_max_len(self, processed_samples: Any) -> int:
        """The longest row, which all rows are then."""
        width = super().policy_compute_max_len(processed_samples)
        for row in processed_samples:
            row["logprob_masks"] = self._padded_mask(row, width)
            row["input_ids"] = self._padded_ids(row["input_ids"], width)
        return width


@fault("COLL-14")
class WidthCallSorts(MiniaturePacker):
    """The call that asks for the width sorts the samples to find the longest, and their advantages stay behind."""

    def policy_compute_max_len(self, processed_samples: Any) -> int:
        """Of the last."""
        processed_samples.sort(key=lambda row: len(row["input_ids"]))
        return len(processed_samples[-1]["input_ids"])


@fault("COLL-14")
class WeightsGrow(MiniaturePacker):
    """A list of weights on every sample is padded in place, and grows with each width that it is collated at."""

    def _row(self, prompt: list[int], completion: list[int], ignored: int) -> Row:
        row = super()._row(prompt, completion, ignored)
        return row | {"weights": [1.0] * len(row["input_ids"])}

    def _padded_mask(self, row: Row, width: int) -> list[Any]:
        row.get("weights", []).extend([0.0] * (width - len(row["input_ids"])))
        return super()._padded_mask(row, width)


@fault("COLL-14")
class RefusedSamplesEmptied(MiniaturePacker):
    """A batch that is refused is cleared on the way out, so that a second try at a larger width has nothing left."""

    def _check_batch(self, rows: Any, width: int) -> None:
        try:
            super()._check_batch(rows, width)
        except ValueError:
            for row in rows:
                row.update(input_ids=[], logprob_masks=[])
            raise


@fault("COLL-13", "COLL-14")
class SingleRowIsAView(MiniaturePacker):
    """A sample keeps tensors, and a batch of one at its own width is a view of them: written to, it changes both."""

    def _row(self, prompt: list[int], completion: list[int], ignored: int) -> Row:
        import torch

        row = super()._row(prompt, completion, ignored)
        return row | {"positions": torch.arange(len(row["input_ids"]))}

    def _collate(self, rows: Any, width: int) -> dict[str, Any]:
        import torch

        batch = super()._collate(rows, width)
        if len(rows) == 1 and len(rows[0]["input_ids"]) == width:
            return batch | {"position_ids": rows[0]["positions"].unsqueeze(0)}
        return batch | {"position_ids": torch.arange(width).repeat(len(rows), 1)}


@fault("COLL-15")
class LongestByTheTokenizer(MiniaturePacker):
    """The width is at least the tokenizer's `model_max_length`, so short batches are mostly filler.

    Seen in a public packer.
    """

    def policy_compute_max_len(self, processed_samples: Any) -> int:
        """Never small."""
        return max(super().policy_compute_max_len(processed_samples), self.tokenizer.model_max_length)


@fault("COLL-15")
class LongestAmongTheFirstFour(MiniaturePacker):
    """The width is looked up among the first rows of a batch, as a sample of it."""

    def policy_compute_max_len(self, processed_samples: Any) -> int:
        """Of four."""
        return super().policy_compute_max_len(processed_samples[:4])
