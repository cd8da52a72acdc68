"""Faults of chapter authority: ids are made up, lost or encoded again."""

from typing import Any

from packproof.zoo.member import fault
from packproof.zoo.miniature import MiniaturePacker, Row

__all__: list[str] = []


@fault("AUTH-1", report="https://github.com/sgl-project/sglang/pull/26555")
class RetokenisedPrompt(MiniaturePacker):
    """Stored prompt ids are decoded and encoded again, which gives other ids for the same text.

    Reported in https://github.com/sgl-project/sglang/pull/26555.
    """

    def _stored_ids(self, given: Any) -> list[int]:
        ids = super()._stored_ids(given)
        return self._encode(self.tokenizer.decode(ids)) or ids


@fault("AUTH-1", report="https://github.com/hiyouga/EasyR1/pull/210")
class StoredPromptTruncated(MiniaturePacker):
    """Stored prompt ids beyond the tokenizer's limit are cut from the left, in silence.

    The engine was not asked to: https://github.com/hiyouga/EasyR1/pull/210.
    """

    def _stored_ids(self, given: Any) -> list[int]:
        return super()._stored_ids(given)[-self.tokenizer.model_max_length :]


@fault("AUTH-1", report="https://github.com/OpenRLHF/OpenRLHF/issues/393")
class BosBeforeStoredPrompt(MiniaturePacker):
    """A BOS is put in front of stored ids that have none, though the engine saw none either.

    BOS tokens that nobody asked for: https://github.com/OpenRLHF/OpenRLHF/issues/393.
    """

    def _stored_ids(self, given: Any) -> list[int]:
        ids, bos = super()._stored_ids(given), self.tokenizer.bos_token_id
        return ids if bos is None or ids[0] == bos else [bos, *ids]


@fault("AUTH-1", report="https://github.com/huggingface/trl/issues/5224")
class StoredPromptIgnored(MiniaturePacker):
    """`prompt_ids` is accepted and not used: the prompt is always rendered and encoded again.

    The route of https://github.com/huggingface/trl/issues/5224.
    """

    def get_policy_input(
        self, sample: Any, rollout_output: Any, n_ignore_prefix_tokens: int = 0, *, prompt_ids: Any = None
    ) -> Row:
        """As the miniature, from text."""
        if prompt_ids is not None:
            self._not_empty(self._ids(prompt_ids))
        return super().get_policy_input(sample, rollout_output, n_ignore_prefix_tokens)


@fault("AUTH-2", report="https://github.com/huggingface/trl/issues/5224")
class RetokenisedCompletion(MiniaturePacker):
    """Sampled ids are decoded and encoded again, so other ids are trained than were sampled.

    Reported in https://github.com/huggingface/trl/issues/5224, and the default of a public packer.
    """

    def get_policy_input(
        self, sample: Any, rollout_output: Any, n_ignore_prefix_tokens: int = 0, *, prompt_ids: Any = None
    ) -> Row:
        """As the miniature, by way of text."""
        row = super().get_policy_input(sample, rollout_output, n_ignore_prefix_tokens, prompt_ids=prompt_ids)
        if isinstance(rollout_output, str):
            return row
        start = len(row["input_ids"]) - len(rollout_output)
        again = self._encode(self.tokenizer.decode(row["input_ids"][start:]))
        return self._row(row["input_ids"][:start], again, min(n_ignore_prefix_tokens, len(again)))


@fault("AUTH-2", report="https://github.com/NovaSky-AI/SkyRL/pull/758")
class EndTokenAppendedToIds(MiniaturePacker):
    """Sampled ids that do not end in the end token get one, with weight, though nothing sampled it.

    Reported in https://github.com/NovaSky-AI/SkyRL/pull/758.
    """

    def get_policy_input(
        self, sample: Any, rollout_output: Any, n_ignore_prefix_tokens: int = 0, *, prompt_ids: Any = None
    ) -> Row:
        """As the miniature, with one id more."""
        row = super().get_policy_input(sample, rollout_output, n_ignore_prefix_tokens, prompt_ids=prompt_ids)
        if isinstance(rollout_output, str) or row["input_ids"][-1] == self.tokenizer.eos_token_id:
            return row
        ids, mask = row["input_ids"], row["logprob_masks"]
        return {"input_ids": [*ids, self.tokenizer.eos_token_id], "logprob_masks": [*mask[:-1], 1, 0]}


@fault("AUTH-2", report="https://github.com/stanford-cs336/assignment5-alignment/issues/15")
class SampledIdsTruncated(MiniaturePacker):
    """Sampled ids beyond the tokenizer's limit are cut in silence, and with them the end of the answer.

    Two lengths for one response: https://github.com/stanford-cs336/assignment5-alignment/issues/15.
    """

    def _completion_ids(self, given: Any) -> list[int]:
        ids = super()._completion_ids(given)
        return ids if isinstance(given, str) else ids[: self.tokenizer.model_max_length]


@fault("AUTH-2")
class EchoCutOff(MiniaturePacker):
    """A completion that begins as its prompt does is taken for an engine's echo of it, and the echo is cut off."""

    def _row(self, prompt: list[int], completion: list[int], ignored: int) -> Row:
        echo = len(prompt) if completion[: len(prompt)] == prompt else 0
        return super()._row(prompt, completion[echo:], min(ignored, len(completion) - echo))


@fault("AUTH-2")
class OverlapJoinedOnce(MiniaturePacker):
    """Ids that end the prompt and begin the completion are taken for one stretch handed over twice, and joined."""

    def _row(self, prompt: list[int], completion: list[int], ignored: int) -> Row:
        most = min(len(prompt) - 1, len(completion))
        seam = next((n for n in range(most, 1, -1) if prompt[-n:] == completion[:n]), 0)
        return super()._row(prompt, completion[seam:], min(ignored, len(completion) - seam))


@fault("AUTH-2")
class StopTokenDroppedBehindTextPrompts(MiniaturePacker):
    """Where the prompt is text, a special token at the end of the sampled ids is taken for the engine's and dropped."""

    def get_policy_input(
        self, sample: Any, rollout_output: Any, n_ignore_prefix_tokens: int = 0, *, prompt_ids: Any = None
    ) -> Row:
        """As the miniature, with one id less."""
        row = super().get_policy_input(sample, rollout_output, n_ignore_prefix_tokens, prompt_ids=prompt_ids)
        if prompt_ids is not None or isinstance(rollout_output, str) or not len(rollout_output):
            return row
        if row["input_ids"][-1] not in self.tokenizer.all_special_ids:
            return row
        start = len(row["input_ids"]) - len(rollout_output)
        kept = row["input_ids"][start:-1]
        return self._row(row["input_ids"][:start], kept, min(n_ignore_prefix_tokens, len(kept)))


@fault("AUTH-2", "AUTH-3", report="https://github.com/huggingface/trl/pull/5350")
class RowTruncated(MiniaturePacker):
    """A row longer than the tokenizer's limit loses the end of its completion, in silence.

    A safety net that hides a broken contract: https://github.com/huggingface/trl/pull/5350.
    """

    def _row(self, prompt: list[int], completion: list[int], ignored: int) -> Row:
        kept = completion[: max(self.tokenizer.model_max_length - len(prompt), 0)]
        return super()._row(prompt, kept, min(ignored, len(kept)))


@fault("AUTH-3", report="https://github.com/unslothai/unsloth-zoo/pull/1110")
class BosInside(MiniaturePacker):
    """A text completion is encoded with the tokenizer's defaults, so a BOS lands in the middle of the sequence.

    Reported in https://github.com/unslothai/unsloth-zoo/pull/1110, and seen in public vision packers.
    """

    def _completion_ids(self, given: Any) -> list[int]:
        return list(self.tokenizer(given).input_ids) if isinstance(given, str) else super()._completion_ids(given)


@fault("AUTH-3", report="https://github.com/NovaSky-AI/SkyRL/pull/758")
class StopTokenAppended(MiniaturePacker):
    """A text completion gets an end token, although an answer that was cut has none.

    A made-up stop token: https://github.com/NovaSky-AI/SkyRL/pull/758.
    """

    def _completion_ids(self, given: Any) -> list[int]:
        ids = super()._completion_ids(given)
        return [*ids, self.tokenizer.eos_token_id] if isinstance(given, str) else ids


@fault("AUTH-3")
class CompletionStripped(MiniaturePacker):
    """White space around a text completion is taken off before it is encoded, so the space in front of it is lost."""

    def _completion_ids(self, given: Any) -> list[int]:
        return super()._completion_ids(given.strip() if isinstance(given, str) else given)


@fault("AUTH-3", report="https://github.com/huggingface/trl/issues/2054")
class PromptAndCompletionEncodedAsOne(MiniaturePacker):
    """Prompt text and completion text are joined and encoded once, so a token may straddle the border.

    Merges over the border: https://github.com/huggingface/trl/issues/2054.
    """

    def get_policy_input(
        self, sample: Any, rollout_output: Any, n_ignore_prefix_tokens: int = 0, *, prompt_ids: Any = None
    ) -> Row:
        """As the miniature, where either side is given as ids."""
        row = super().get_policy_input(sample, rollout_output, n_ignore_prefix_tokens, prompt_ids=prompt_ids)
        if prompt_ids is not None or not isinstance(rollout_output, str):
            return row
        text = self._render(sample.representations["prompt"])
        ids, prompt = self._encode(text + rollout_output), self._encode(text)
        return self._row(ids[: len(prompt)], ids[len(prompt) :], min(n_ignore_prefix_tokens, len(ids) - len(prompt)))


@fault("AUTH-3", "AUTH-4", report="https://github.com/hiyouga/EasyR1/pull/210")
class TextTruncated(MiniaturePacker):
    """Text is encoded with `truncation=True`, in silence, on the trainer's side only.

    The engine saw the whole of it: https://github.com/hiyouga/EasyR1/pull/210.
    """

    def _encode(self, text: str) -> list[int]:
        return list(self.tokenizer(text, add_special_tokens=False, truncation=True).input_ids)


@fault("AUTH-4", report="https://github.com/huggingface/trl/issues/1400")
class PromptEncodedWithSpecials(MiniaturePacker):
    """The rendered prompt, which holds its BOS, is encoded with special tokens and gets a second one.

    Reported in https://github.com/huggingface/trl/issues/1400.
    """

    def _text_prompt_ids(self, sample: Any) -> list[int]:
        text = self._render(sample.representations["prompt"])
        self._not_empty(self._encode(text))
        return list(self.tokenizer(text).input_ids)


@fault("AUTH-4")
class PromptOfTextPairsWithSpecials(MiniaturePacker):
    """Where prompt and completion are both text, the prompt is encoded as the beginning of a text, with its BOS."""

    def get_policy_input(
        self, sample: Any, rollout_output: Any, n_ignore_prefix_tokens: int = 0, *, prompt_ids: Any = None
    ) -> Row:
        """As the miniature, with another prompt for text."""
        text = self._render(sample.representations["prompt"]) if prompt_ids is None else ""
        if text and isinstance(rollout_output, str):
            prompt_ids = list(self.tokenizer(text).input_ids)
        return super().get_policy_input(sample, rollout_output, n_ignore_prefix_tokens, prompt_ids=prompt_ids)


@fault("AUTH-4")
class PromptWithoutAnswerWithSpecials(MiniaturePacker):
    """A prompt without an answer is encoded as a text of its own, on a short cut that nobody looked at again."""

    def get_policy_input(
        self, sample: Any, rollout_output: Any, n_ignore_prefix_tokens: int = 0, *, prompt_ids: Any = None
    ) -> Row:
        """As the miniature, with another prompt for nothing."""
        text = self._render(sample.representations["prompt"]) if prompt_ids is None else ""
        if text and not len(rollout_output):
            prompt_ids = list(self.tokenizer(text).input_ids)
        return super().get_policy_input(sample, rollout_output, n_ignore_prefix_tokens, prompt_ids=prompt_ids)


@fault("AUTH-4", report="https://github.com/thinking-machines-lab/tinker-cookbook/issues/860")
class TrainedPromptWithoutGenerationPrompt(MiniaturePacker):
    """The trainer renders a conversation without the generation prompt that the engine was given.

    Trained and sampled prompts that differ: https://github.com/thinking-machines-lab/tinker-cookbook/issues/860.
    """

    def _text_prompt_ids(self, sample: Any) -> list[int]:
        prompt = sample.representations["prompt"]
        if isinstance(prompt, str):
            return super()._text_prompt_ids(sample)
        text = self.tokenizer.apply_chat_template(prompt, tokenize=False, add_generation_prompt=False)
        return self._not_empty(self._encode(text))
