"""Faults of chapter masks: the wrong predictions are marked."""

from typing import Any

from packproof.zoo.member import fault
from packproof.zoo.miniature import MiniaturePacker, Row

__all__: list[str] = []


@fault("MASK-1", report="https://github.com/agentscope-ai/Trinity-RFT/issues/272")
class MaskOneEntryShort(MiniaturePacker):
    """The mask has one entry per next-token logprob, L - 1 of them, as stores that are aligned with targets keep it.

    Streams of unequal length were reported in https://github.com/agentscope-ai/Trinity-RFT/issues/272.
    """

    def _mask(self, prompt_len: int, completion_len: int, ignored: int) -> list[Any]:
        return super()._mask(prompt_len, completion_len, ignored)[:-1]


@fault("MASK-1")
class MaskOneEntryShortForText(MiniaturePacker):
    """Only the branch for text completions leaves out the last entry; collation fills it up again."""

    def get_policy_input(
        self, sample: Any, rollout_output: Any, n_ignore_prefix_tokens: int = 0, *, prompt_ids: Any = None
    ) -> Row:
        """As the miniature, one entry short for text."""
        row = super().get_policy_input(sample, rollout_output, n_ignore_prefix_tokens, prompt_ids=prompt_ids)
        return row | {"logprob_masks": row["logprob_masks"][:-1]} if isinstance(rollout_output, str) else row


@fault("MASK-2", report="https://github.com/verl-project/verl/pull/3287")
class MaskShiftedRight(MiniaturePacker):
    """Entry i says whether id i is trained, where it should speak of the prediction made at i.

    Two index conventions met in https://github.com/verl-project/verl/pull/3287: the first answer token was lost.
    """

    def _mask(self, prompt_len: int, completion_len: int, ignored: int) -> list[Any]:
        return [0] * (prompt_len + ignored) + [1] * (completion_len - ignored)


@fault("MASK-2", report="https://github.com/PrimeIntellect-ai/prime-rl/pull/1525")
class MaskShiftedLeft(MiniaturePacker):
    """The mask is shifted once more than the logprobs are, so the last prompt id is trained and the last id is not.

    An off-by-one between two streams of equal length: https://github.com/PrimeIntellect-ai/prime-rl/pull/1525.
    """

    def _mask(self, prompt_len: int, completion_len: int, ignored: int) -> list[Any]:
        return [*super()._mask(prompt_len, completion_len, ignored)[1:], 0]


@fault("MASK-2", report="https://github.com/huggingface/trl/pull/4976")
class UnfinishedCompletionDropped(MiniaturePacker):
    """A completion without an end token counts as cut, and nothing of it is trained, though nobody asked for that.

    Masks of truncated completions went wrong in https://github.com/huggingface/trl/pull/4976.
    """

    def _row(self, prompt: list[int], completion: list[int], ignored: int) -> Row:
        finished = not completion or completion[-1] in self.tokenizer.all_special_ids
        return super()._row(prompt, completion, ignored if finished else len(completion))


@fault("MASK-2")
class PromptEndFoundByItsEndToken(MiniaturePacker):
    """The end of the prompt is looked up by the last end token before the answer; a prompt without turns has none."""

    def _row(self, prompt: list[int], completion: list[int], ignored: int) -> Row:
        row, end = super()._row(prompt, completion, ignored), self.tokenizer.eos_token_id
        after = len(prompt) - prompt[::-1].index(end) if end in prompt else len(prompt)
        return row | {"logprob_masks": self._mask(after, len(prompt) - after + len(completion), ignored)}


@fault("MASK-2", report="https://github.com/nvidia-cosmos/cosmos-rl/pull/132")
class PromptTrained(MiniaturePacker):
    """Everything is trained, the prompt too: the default of https://github.com/nvidia-cosmos/cosmos-rl/pull/132."""

    def _mask(self, prompt_len: int, completion_len: int, ignored: int) -> list[Any]:
        return [1] * (prompt_len - 1) + super()._mask(prompt_len, completion_len, ignored)[prompt_len - 1 :]


@fault("MASK-2", report="https://github.com/huggingface/transformers/issues/34494")
class LastTokenLost(MiniaturePacker):
    """The end of the span is taken as exclusive twice, so the last id of a completion carries no loss.

    Span ends went wrong in https://github.com/huggingface/transformers/issues/34494.
    """

    def _mask(self, prompt_len: int, completion_len: int, ignored: int) -> list[Any]:
        mask = super()._mask(prompt_len, completion_len, ignored)
        return mask[:-2] + [0] * min(2, len(mask))


@fault("MASK-5", report="https://github.com/NVIDIA-NeMo/RL/issues/158")
class EmptyCompletionTrainsThePrompt(MiniaturePacker):
    """Every row gets at least one target, so that no loss divides by zero, also where nothing was generated.

    The division is in https://github.com/NVIDIA-NeMo/RL/issues/158.
    """

    def _mask(self, prompt_len: int, completion_len: int, ignored: int) -> list[Any]:
        mask = super()._mask(prompt_len, completion_len, ignored)
        return mask if completion_len else [*mask[:-1], 1]


@fault("MASK-5")
class EmptyTextRefused(MiniaturePacker):
    """The empty list is a completion, the empty text is not: it is refused as if the engine had given no answer."""

    def _completion_ids(self, given: Any) -> list[int]:
        if isinstance(given, str) and not given:
            raise ValueError("the completion is empty")
        return super()._completion_ids(given)


@fault("MASK-6")
class OneTokenPromptStartsLate(MiniaturePacker):
    """The first marked position is `max(P - 1, 1)`, a guard against minus one that moves the mask of short prompts."""

    def _mask(self, prompt_len: int, completion_len: int, ignored: int) -> list[Any]:
        mask = super()._mask(prompt_len, completion_len, ignored)
        return [0, *mask[1:]] if prompt_len == 1 else mask


@fault("MASK-7", report="https://github.com/meta-pytorch/torchtune/issues/949")
class EndTokenUntrained(MiniaturePacker):
    """Special tokens are taken out of the loss, so the model never learns to stop.

    Reported in https://github.com/meta-pytorch/torchtune/issues/949.
    """

    def _row(self, prompt: list[int], completion: list[int], ignored: int) -> Row:
        row, special = super()._row(prompt, completion, ignored), set(self.tokenizer.all_special_ids)
        targets = [*row["input_ids"][1:], -1]
        marks = [
            int(mark and target not in special) for mark, target in zip(row["logprob_masks"], targets, strict=True)
        ]
        return row | {"logprob_masks": marks}


@fault("MASK-7")
class RepeatedEndUntrained(MiniaturePacker):
    """Of special tokens that repeat at the end of a completion, only the first is trained: the rest pass for filler."""

    def _row(self, prompt: list[int], completion: list[int], ignored: int) -> Row:
        row, special = super()._row(prompt, completion, ignored), set(self.tokenizer.all_special_ids)
        ids, marks = row["input_ids"], list(row["logprob_masks"])
        place = len(ids) - 1
        while place > len(prompt) and ids[place] == ids[place - 1] and ids[place] in special:
            place -= 1
            marks[place] = 0
        return row | {"logprob_masks": marks}


@fault("MASK-7", report="https://github.com/huggingface/transformers/issues/23530")
class PadIdUntrained(MiniaturePacker):
    """Targets that equal the pad id are untrained; where the pad id is the end token, that is every end.

    Reported in https://github.com/huggingface/transformers/issues/23530.
    """

    def _row(self, prompt: list[int], completion: list[int], ignored: int) -> Row:
        row, pad = super()._row(prompt, completion, ignored), self.tokenizer.pad_token_id
        last = len(row["input_ids"]) - 1
        lost = {index for index in range(last) if row["input_ids"][index + 1] == pad}
        return row | {"logprob_masks": [0 if i in lost else mark for i, mark in enumerate(row["logprob_masks"])]}


@fault("MASK-8")
class MaskOfFloats(MiniaturePacker):
    """The mask holds loss weights, 0.0 and 1.0, for whoever multiplies by it; a consumer that indexes gets nothing."""

    def _mask(self, prompt_len: int, completion_len: int, ignored: int) -> list[Any]:
        return [float(mark) for mark in super()._mask(prompt_len, completion_len, ignored)]


@fault("MASK-8")
class MaskOfFloatsForText(MiniaturePacker):
    """Only the route for text prompts makes its mask of floats, by an arithmetic of its own."""

    def get_policy_input(
        self, sample: Any, rollout_output: Any, n_ignore_prefix_tokens: int = 0, *, prompt_ids: Any = None
    ) -> Row:
        """As the miniature, in floats for text prompts."""
        row = super().get_policy_input(sample, rollout_output, n_ignore_prefix_tokens, prompt_ids=prompt_ids)
        return row if prompt_ids is not None else row | {"logprob_masks": [float(one) for one in row["logprob_masks"]]}


@fault("MASK-9", report="https://github.com/tloen/alpaca-lora/pull/306")
class PromptLengthWithSpecials(MiniaturePacker):
    """The prompt's length is counted on an encoding with special tokens, its ids come from one without.

    Reported in https://github.com/tloen/alpaca-lora/pull/306: the first answer token was lost.
    """

    def get_policy_input(
        self, sample: Any, rollout_output: Any, n_ignore_prefix_tokens: int = 0, *, prompt_ids: Any = None
    ) -> Row:
        """As the miniature, with the mask of a longer prompt."""
        row = super().get_policy_input(sample, rollout_output, n_ignore_prefix_tokens, prompt_ids=prompt_ids)
        if prompt_ids is not None or not self.adds_special_tokens():
            return row
        return row | {"logprob_masks": [0, *row["logprob_masks"][:-1]]}


@fault("MASK-9", report="https://github.com/allenai/open-instruct/pull/1202")
class TextCompletionTrainsThePrompt(MiniaturePacker):
    """The route for text completions forgets the mask option, whose default is to train all.

    A switch that was not passed on after a refactor: https://github.com/allenai/open-instruct/pull/1202.
    """

    def get_policy_input(
        self, sample: Any, rollout_output: Any, n_ignore_prefix_tokens: int = 0, *, prompt_ids: Any = None
    ) -> Row:
        """As the miniature, with everything marked for text."""
        row = super().get_policy_input(sample, rollout_output, n_ignore_prefix_tokens, prompt_ids=prompt_ids)
        if not isinstance(rollout_output, str):
            return row
        return row | {"logprob_masks": [1] * (len(row["input_ids"]) - 1) + [0]}
