"""Faults of chapter lifecycle: what a call does to its arguments, and what it keeps of them."""

from typing import Any

from packproof.zoo.member import fault
from packproof.zoo.miniature import MiniaturePacker, Row

__all__: list[str] = []


@fault("LIFE-9")
class PromptTakenOutOfTheSample(MiniaturePacker):
    """The prompt is popped from the caller's sample, so the next completion of its group has none."""

    def _text_prompt_ids(self, sample: Any) -> list[int]:
        return self._not_empty(self._encode(self._render(sample.representations.pop("prompt"))))


@fault("LIFE-9")
class StoredPromptExtended(MiniaturePacker):
    """The completion is appended to the caller's own list of prompt ids, which grows with every call."""

    def get_policy_input(
        self, sample: Any, rollout_output: Any, n_ignore_prefix_tokens: int = 0, *, prompt_ids: Any = None
    ) -> Row:
        """As the miniature, then the damage."""
        row = super().get_policy_input(sample, rollout_output, n_ignore_prefix_tokens, prompt_ids=prompt_ids)
        if isinstance(prompt_ids, list):
            prompt_ids[:] = row["input_ids"]
        return row


@fault("LIFE-9")
class AssistantTextReplacedByPads(MiniaturePacker):
    """Assistant texts in the caller's messages are replaced while the prompt is built, and never put back.

    Seen in two public packers: after one call the caller's assistant text was a run of pad tokens.
    """

    def _text_prompt_ids(self, sample: Any) -> list[int]:
        ids = super()._text_prompt_ids(sample)
        for turn in sample.representations["prompt"]:
            if isinstance(turn, dict) and turn["role"] == "assistant":
                turn["content"] = self.tokenizer.pad_token * 10
        return ids


@fault("LIFE-9")
class EngineBufferCleared(MiniaturePacker):
    """An array or a tensor of ids is zeroed once it is read, for the engine to fill it again; it was the caller's."""

    def _ids(self, given: Any) -> list[int]:
        ids = super()._ids(given)
        if hasattr(given, "tolist"):
            given[...] = 0
        return ids


@fault("LIFE-9")
class RefusedCompletionEmptied(MiniaturePacker):
    """A call that is refused empties the caller's completion, so that nobody tries it again, or finds out why."""

    def get_policy_input(
        self, sample: Any, rollout_output: Any, n_ignore_prefix_tokens: int = 0, *, prompt_ids: Any = None
    ) -> Row:
        """As the miniature, with damage in place of care."""
        try:
            return super().get_policy_input(sample, rollout_output, n_ignore_prefix_tokens, prompt_ids=prompt_ids)
        except ValueError:
            if isinstance(rollout_output, list):
                rollout_output.clear()
            raise


@fault("LIFE-9")
class SampleTagged(MiniaturePacker):
    """A note that it was packed is left on the sample, which then no longer equals the sample of the next epoch."""

    def get_policy_input(
        self, sample: Any, rollout_output: Any, n_ignore_prefix_tokens: int = 0, *, prompt_ids: Any = None
    ) -> Row:
        """As the miniature, then the note."""
        row = super().get_policy_input(sample, rollout_output, n_ignore_prefix_tokens, prompt_ids=prompt_ids)
        vars(sample)["packed"] = True
        return row


@fault("LIFE-10")
class StoredPromptAliased(MiniaturePacker):
    """With nothing to append, the caller's own list becomes `input_ids`, and changes when the caller reuses it."""

    def get_policy_input(
        self, sample: Any, rollout_output: Any, n_ignore_prefix_tokens: int = 0, *, prompt_ids: Any = None
    ) -> Row:
        """As the miniature, without the copy."""
        row = super().get_policy_input(sample, rollout_output, n_ignore_prefix_tokens, prompt_ids=prompt_ids)
        nothing_to_append = isinstance(prompt_ids, list) and row["input_ids"] == prompt_ids
        return row | {"input_ids": prompt_ids} if nothing_to_append else row


@fault("LIFE-10")
class StoredArrayViewed(MiniaturePacker):
    """With nothing to append, `input_ids` is a view of the caller's array or tensor, made to save a copy."""

    def get_policy_input(
        self, sample: Any, rollout_output: Any, n_ignore_prefix_tokens: int = 0, *, prompt_ids: Any = None
    ) -> Row:
        """As the miniature, over the caller's memory."""
        row = super().get_policy_input(sample, rollout_output, n_ignore_prefix_tokens, prompt_ids=prompt_ids)
        viewable = hasattr(prompt_ids, "tolist") and len(row["input_ids"]) == len(prompt_ids)
        return row | {"input_ids": prompt_ids[:]} if viewable else row


@fault("LIFE-10")
class ConversationKeptOnTheRow(MiniaturePacker):
    """The policy input carries the caller's own messages for the report, and shows whatever is done to them later."""

    def get_policy_input(
        self, sample: Any, rollout_output: Any, n_ignore_prefix_tokens: int = 0, *, prompt_ids: Any = None
    ) -> Row:
        """As the miniature, with the prompt."""
        row = super().get_policy_input(sample, rollout_output, n_ignore_prefix_tokens, prompt_ids=prompt_ids)
        return row | {"messages": sample.representations["prompt"]}


@fault("LIFE-10")
class StoredArrayViewedBeside(MiniaturePacker):
    """Beside its own ids the policy input carries a view of the caller's array or tensor of prompt ids."""

    def get_policy_input(
        self, sample: Any, rollout_output: Any, n_ignore_prefix_tokens: int = 0, *, prompt_ids: Any = None
    ) -> Row:
        """As the miniature, with the view."""
        row = super().get_policy_input(sample, rollout_output, n_ignore_prefix_tokens, prompt_ids=prompt_ids)
        return row | {"prompt": prompt_ids[:]} if hasattr(prompt_ids, "tolist") else row


@fault("LIFE-10")
class EngineIdsKeptSmall(MiniaturePacker):
    """Sampled ids are kept as an int32 array, and `asarray` copies only what is no such array already."""

    def get_policy_input(
        self, sample: Any, rollout_output: Any, n_ignore_prefix_tokens: int = 0, *, prompt_ids: Any = None
    ) -> Row:
        """As the miniature, with the array."""
        import numpy as np

        row = super().get_policy_input(sample, rollout_output, n_ignore_prefix_tokens, prompt_ids=prompt_ids)
        ids = not isinstance(rollout_output, str)
        return row | {"sampled": np.asarray(rollout_output, dtype=np.int32)} if ids else row
