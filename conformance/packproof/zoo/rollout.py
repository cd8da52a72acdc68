"""Faults of chapter rollout: the engine is asked something else."""

import unicodedata
from collections.abc import Sequence
from typing import Any

from packproof.zoo.member import fault
from packproof.zoo.miniature import MiniaturePacker

__all__: list[str] = []


@fault("ROLL-1")
class PromptStripped(MiniaturePacker):
    """White space around a string prompt is taken off, and a prompt that ends in a space or a newline loses it."""

    def _render(self, prompt: Any) -> str:
        return super()._render(prompt.strip() or prompt if isinstance(prompt, str) else prompt)


@fault("ROLL-1")
class StringPromptTemplated(MiniaturePacker):
    """A string prompt is wrapped into a user turn and put through the chat template, though it is final text."""

    def _render(self, prompt: Any) -> str:
        turns = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else prompt
        return super()._render(turns)


@fault("ROLL-1")
class PromptNormalised(MiniaturePacker):
    """A string prompt is brought into Unicode form NFC before it is sent, and a byte-level model reads other text."""

    def _render(self, prompt: Any) -> str:
        return super()._render(unicodedata.normalize("NFC", prompt) if isinstance(prompt, str) else prompt)


@fault("ROLL-2")
class GenerationPromptMissing(MiniaturePacker):
    """The conversation is rendered as history, without the generation prompt, so the model continues the user."""

    def _apply_template(self, turns: Any) -> str:
        return self.tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=False)


@fault("ROLL-2", report="https://github.com/PrimeIntellect-ai/prime-rl/issues/1334")
class EarlierTurnsDropped(MiniaturePacker):
    """Only the last user turn is rendered, so a talk of several turns loses its history.

    A template that rewrites earlier turns: https://github.com/PrimeIntellect-ai/prime-rl/issues/1334.
    """

    def _apply_template(self, turns: Any) -> str:
        return super()._apply_template(turns[-1:])


@fault("ROLL-2", report="https://github.com/huggingface/trl/issues/1400")
class TemplateBosStripped(MiniaturePacker):
    """BOS is cut from the rendered text so that encoding with special tokens does not double it.

    The packer encodes without special tokens, and so sends none. https://github.com/huggingface/trl/issues/1400.
    """

    def _apply_template(self, turns: Any) -> str:
        return super()._apply_template(turns).removeprefix(self.tokenizer.bos_token or "")


@fault("ROLL-2")
class LastAssistantTurnContinued(MiniaturePacker):
    """A conversation that ends with the assistant is left open for the model to go on, without a generation prompt."""

    def _apply_template(self, turns: Any) -> str:
        if turns[-1]["role"] != "assistant":
            return super()._apply_template(turns)
        return self.tokenizer.apply_chat_template(turns, tokenize=False, continue_final_message=True)


@fault("ROLL-2")
class SystemMessageDropped(MiniaturePacker):
    """The system message is dropped, for the sake of templates that know no such role."""

    def _apply_template(self, turns: Any) -> str:
        return super()._apply_template([turn for turn in turns if turn["role"] != "system"])


@fault("ROLL-2")
class MessageKeysDropped(MiniaturePacker):
    """Messages are rebuilt from role and content, so what a template reads beside them, such as reasoning, is gone."""

    def _apply_template(self, turns: Any) -> str:
        return super()._apply_template([{name: turn[name] for name in ("role", "content")} for turn in turns])


@fault("ROLL-2")
class LongConversationCut(MiniaturePacker):
    """A conversation of more than eight messages keeps the last eight, whatever the window of the model is."""

    def _apply_template(self, turns: Any) -> str:
        return super()._apply_template(turns[-8:])


@fault("ROLL-3")
class AnyPromptStringified(MiniaturePacker):
    """Whatever the prompt is, its printed form is sent: None becomes the word None."""

    def _render(self, prompt: Any) -> str:
        try:
            return super()._render(prompt)
        except TypeError:
            return str(prompt)


@fault("ROLL-3")
class PromptTypeAsserted(MiniaturePacker):
    """The prompt's type is checked with an assertion, as public packers do; `python -O` takes the check away."""

    def _check_conversation(self, prompt: Any) -> None:
        try:
            super()._check_conversation(prompt)
        except TypeError as error:
            raise AssertionError(str(error)) from None


@fault("ROLL-3")
class LaterMessagesUnchecked(MiniaturePacker):
    """Only the first message is looked at, and what is no message after it is skipped."""

    def _check_conversation(self, prompt: Any) -> None:
        super()._check_conversation(prompt[:1] if isinstance(prompt, list) else prompt)

    def _apply_template(self, turns: Any) -> str:
        messages = [turn for turn in turns if isinstance(turn, dict) and {"role", "content"} <= set(turn)]
        return super()._apply_template(messages)


@fault("ROLL-4")
class RenderedPromptStoredInTheSample(MiniaturePacker):
    """The rendered prompt is kept in the caller's sample, as a cache that nobody asked for and that goes stale."""

    def get_rollout_input(self, item: Any) -> str:
        """As the miniature, and kept."""
        item.representations["rendered"] = super().get_rollout_input(item)
        return item.representations["rendered"]


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
