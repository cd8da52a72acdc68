"""Three packers that are wrong in ways that are seen in public code; shapes fit, and no run of them crashes."""

from typing import Any

from packer_reference import DecoderOnlyLLMDataPacker

__all__ = ["WRONG", "BosAgain", "LateMask", "TextAgain"]


class LateMask(DecoderOnlyLLMDataPacker):
    """Marks completion ids instead of predictions, and then nothing at the end of the row."""

    def get_policy_input(
        self, sample: Any, rollout_output: Any, n_ignore_prefix_tokens: int = 0, *, prompt_ids: Any = None
    ) -> Any:
        """The right row, with a mask that is one place late: the first answer id is never trained."""
        row = super().get_policy_input(sample, rollout_output, n_ignore_prefix_tokens, prompt_ids=prompt_ids)
        row.logprob_masks = [*[0, *row.logprob_masks][: len(row.input_ids) - 1], 0]
        return row


class BosAgain(DecoderOnlyLLMDataPacker):
    """Encodes the prompt again, with what the tokenizer adds by default, whatever the engine generated from."""

    def get_policy_input(
        self, sample: Any, rollout_output: Any, n_ignore_prefix_tokens: int = 0, *, prompt_ids: Any = None
    ) -> Any:
        """A row with an id in front that the engine never saw."""
        again = self.tokenizer(self.get_rollout_input(sample))["input_ids"]
        return super().get_policy_input(sample, rollout_output, n_ignore_prefix_tokens, prompt_ids=again)


class TextAgain(DecoderOnlyLLMDataPacker):
    """Takes the text of the completion for the completion, and encodes it again."""

    def get_policy_input(
        self, sample: Any, rollout_output: Any, n_ignore_prefix_tokens: int = 0, *, prompt_ids: Any = None
    ) -> Any:
        """A row whose completion has the ids that the tokenizer gives, and not those that were sampled."""
        text = rollout_output if isinstance(rollout_output, str) else self.tokenizer.decode(rollout_output)
        return super().get_policy_input(sample, text, n_ignore_prefix_tokens, prompt_ids=prompt_ids)


WRONG = {"mask": LateMask, "bos": BosAgain, "retokenise": TextAgain}
