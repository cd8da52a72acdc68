"""Faults of chapter rollout: exact ids, and what moves whole batches."""

from collections.abc import Sequence
from typing import Any

from packproof.zoo.member import fault
from packproof.zoo.miniature import MiniaturePacker

__all__: list[str] = []


@fault("ROLL-5", report="https://github.com/sgl-project/sglang/pull/26555")
class PretokenizedIdsTokenizedAgain(MiniaturePacker):
    """Exact prompt ids are decoded and encoded again on their way to the engine.

    Reported in https://github.com/sgl-project/sglang/pull/26555.
    """

    def get_pretokenized_rollout_input(self, item: Any, token_ids: Sequence[int]) -> dict[str, Any]:
        """Other ids, where decoding and encoding is not the identity."""
        return {"prompt_token_ids": self._encode(self.tokenizer.decode(token_ids))}


@fault("ROLL-5", report="https://github.com/OpenRLHF/OpenRLHF/issues/393")
class BosBeforePretokenizedIds(MiniaturePacker):
    """A BOS is put in front of exact prompt ids, also where they have one already.

    Doubled BOS tokens: https://github.com/OpenRLHF/OpenRLHF/issues/393.
    """

    def get_pretokenized_rollout_input(self, item: Any, token_ids: Sequence[int]) -> dict[str, Any]:
        """One id more."""
        bos = self.tokenizer.bos_token_id
        return {"prompt_token_ids": [*([] if bos is None else [bos]), *token_ids]}


@fault("ROLL-5", report="https://github.com/hiyouga/EasyR1/pull/210")
class PretokenizedIdsTruncated(MiniaturePacker):
    """Exact prompt ids beyond the tokenizer's limit are cut, on one side of the system only.

    Reported in https://github.com/hiyouga/EasyR1/pull/210.
    """

    def get_pretokenized_rollout_input(self, item: Any, token_ids: Sequence[int]) -> dict[str, Any]:
        """The last ids only."""
        return {"prompt_token_ids": list(token_ids)[-self.tokenizer.model_max_length :]}


@fault("ROLL-6")
class EqualPromptsMerged(MiniaturePacker):
    """Equal rollout inputs are sent once, so a group of n completions of one prompt comes back as one."""

    def rollout_collate_fn(self, items: Any) -> Any:
        """The first of each."""
        return [item for number, item in enumerate(items) if item not in items[:number]]


@fault("ROLL-6")
class EqualNeighboursMerged(MiniaturePacker):
    """Runs of equal rollout inputs, which is what groups look like, are sent once."""

    def rollout_collate_fn(self, items: Any) -> Any:
        """The first of each run."""
        return [item for number, item in enumerate(items) if not number or item != items[number - 1]]


@fault("ROLL-6")
class PromptsSortedByLength(MiniaturePacker):
    """Rollout inputs are sorted by length to save padding, and completions come back to the wrong samples."""

    def rollout_collate_fn(self, items: Any) -> Any:
        """Longest first."""
        return sorted(items, key=len, reverse=True)


@fault("ROLL-6")
class RolloutInputsPopped(MiniaturePacker):
    """The hook takes the rollout inputs out of the list that it is given, which the caller still needs."""

    def rollout_collate_fn(self, items: Any) -> Any:
        """All of them, and none left."""
        taken = list(items)
        items.clear()
        return taken


@fault("ROLL-7")
class CompletionsStripped(MiniaturePacker):
    """Text completions are stripped, so trained text differs from what was generated."""

    def get_rollout_output(self, completions: Any, *args: Any, **kwargs: Any) -> Any:
        """Less white space."""
        return [one.strip() if isinstance(one, str) else one for one in completions]


@fault("ROLL-7")
class EmptyCompletionsDropped(MiniaturePacker):
    """Empty completions are filtered out, and those behind them move up to other samples."""

    def get_rollout_output(self, completions: Any, *args: Any, **kwargs: Any) -> Any:
        """The others."""
        return [one for one in completions if len(one)]


@fault("ROLL-8")
class TurnsCountedAsSamples(MiniaturePacker):
    """The size of a batch counts the turns of its conversations."""

    def batch_size(self, batch: Any) -> int:
        """Turns, and one for a string."""
        prompts = [item.representations["prompt"] for item in batch]
        return sum(1 if isinstance(prompt, str) else len(prompt) for prompt in prompts)


@fault("ROLL-8", report="https://github.com/mosaicml/streaming/pull/619")
class EqualSamplesCountedOnce(MiniaturePacker):
    """Equal prompts count once, so a group of completions counts as one sample.

    Counting what is replicated: https://github.com/mosaicml/streaming/pull/619.
    """

    def batch_size(self, batch: Any) -> int:
        """Different prompts."""
        return len({str(item.representations["prompt"]) for item in batch})


@fault("ROLL-9")
class SliceIncludesItsEnd(MiniaturePacker):
    """The end of a slice is taken as inclusive, so neighbouring slices share a sample."""

    def slice_batch(self, batch: Any, start: int, end: int) -> Any:
        """One more."""
        return batch[start : end + 1]


@fault("ROLL-9")
class EmptySliceIsEverything(MiniaturePacker):
    """An empty slice is false, and the whole batch is taken instead."""

    def slice_batch(self, batch: Any, start: int, end: int) -> Any:
        """Never empty."""
        return batch[start:end] or batch


@fault("ROLL-9")
class OddBatchFilledUp(MiniaturePacker):
    """A batch of an odd number of samples is filled up in place before it is sliced, and grows while it is read."""

    def slice_batch(self, batch: Any, start: int, end: int) -> Any:
        """Of the batch as it was."""
        part = batch[start:end]
        batch.extend(batch[-1:] * (len(batch) % 2))
        return part


@fault("ROLL-9")
class SwappedBoundsSorted(MiniaturePacker):
    """A start behind the end is taken for a slip, and the two are swapped."""

    def slice_batch(self, batch: Any, start: int, end: int) -> Any:
        """In order."""
        return batch[end:start] if 0 <= end < start else batch[start:end]


@fault("ROLL-9")
class FarNegativeWraps(MiniaturePacker):
    """A negative start is counted from the back by hand, and wraps once more where it is beyond the front."""

    def slice_batch(self, batch: Any, start: int, end: int) -> Any:
        """By arithmetic."""
        return batch[start + len(batch) if start < 0 else start : end]
