"""Faults of chapter masks: `n_ignore_prefix_tokens` is lost, miscounted or taken beyond its borders."""

from typing import Any

from packproof.zoo.member import fault
from packproof.zoo.miniature import MiniaturePacker, Row

__all__: list[str] = []


@fault("MASK-3")
class IgnoreCountIgnored(MiniaturePacker):
    """`n_ignore_prefix_tokens` is accepted and not used, as in the multi-turn path of a public packer.

    The decoupled loss then trains a prefix that the group shares.
    """

    def _mask(self, prompt_len: int, completion_len: int, ignored: int) -> list[Any]:
        return super()._mask(prompt_len, completion_len, 0)


@fault("MASK-3")
class IgnoreCountOneShort(MiniaturePacker):
    """`n_ignore_prefix_tokens` is read as the first position to train, counted from one, so one token too many is."""

    def _mask(self, prompt_len: int, completion_len: int, ignored: int) -> list[Any]:
        return super()._mask(prompt_len, completion_len, max(ignored - 1, 0))


@fault("MASK-3")
class IgnoreCountFromTheEnd(MiniaturePacker):
    """`n_ignore_prefix_tokens` takes predictions off the end of the completion instead of its front."""

    def _mask(self, prompt_len: int, completion_len: int, ignored: int) -> list[Any]:
        return [0] * (prompt_len - 1) + [1] * (completion_len - ignored) + [0] * (1 + ignored)


@fault("MASK-3", "MASK-9")
class IgnoreCountLostForText(MiniaturePacker):
    """The branch for text completions does not pass `n_ignore_prefix_tokens` on."""

    def get_policy_input(
        self, sample: Any, rollout_output: Any, n_ignore_prefix_tokens: int = 0, *, prompt_ids: Any = None
    ) -> Row:
        """As the miniature, without n for text."""
        self._check_ignored(n_ignore_prefix_tokens, len(self._completion_ids(rollout_output)))
        ignored = 0 if isinstance(rollout_output, str) else n_ignore_prefix_tokens
        return super().get_policy_input(sample, rollout_output, ignored, prompt_ids=prompt_ids)


@fault("MASK-3")
class IgnoreCountAfterAOneTokenPrompt(MiniaturePacker):
    """`max(P - 1, 1) + n` guards a sum that needs no guard: with one prompt token and n, one token too many is lost."""

    def _mask(self, prompt_len: int, completion_len: int, ignored: int) -> list[Any]:
        mask = super()._mask(prompt_len, completion_len, ignored)
        return [0, *mask[:-1]] if prompt_len == 1 and ignored else mask


@fault("MASK-3")
class IgnoreCountPassesSpecials(MiniaturePacker):
    """n counts the tokens that a reader sees: special ones among the first do not count, and one more is lost."""

    def _row(self, prompt: list[int], completion: list[int], ignored: int) -> Row:
        special = set(self.tokenizer.all_special_ids)
        more = sum(id in special for id in completion[:ignored])
        return super()._row(prompt, completion, min(ignored + more, len(completion)))


@fault("MASK-4")
class IgnoreCountClamped(MiniaturePacker):
    """An `n_ignore_prefix_tokens` out of range is clamped in silence; public packers accept it and give other masks."""

    def get_policy_input(
        self, sample: Any, rollout_output: Any, n_ignore_prefix_tokens: int = 0, *, prompt_ids: Any = None
    ) -> Row:
        """As the miniature, after clamping."""
        most = len(self._completion_ids(rollout_output))
        return super().get_policy_input(
            sample, rollout_output, min(max(n_ignore_prefix_tokens, 0), most), prompt_ids=prompt_ids
        )


@fault("MASK-4")
class NegativeIgnoreCountAccepted(MiniaturePacker):
    """Only the upper bound of `n_ignore_prefix_tokens` is checked, so -1 trains the last prompt id.

    Seen in public packers, where list repetition makes negative counts vanish.
    """

    def _check_ignored(self, ignored: int, completion_len: int) -> None:
        super()._check_ignored(max(ignored, 0), completion_len)


@fault("MASK-4")
class IgnoreCountOfTextUnchecked(MiniaturePacker):
    """Only a list of ids has a length to hold n against, so for text any n above it is taken."""

    def get_policy_input(
        self, sample: Any, rollout_output: Any, n_ignore_prefix_tokens: int = 0, *, prompt_ids: Any = None
    ) -> Row:
        """As the miniature, after clamping for text."""
        most = len(self._completion_ids(rollout_output))
        ignored = min(n_ignore_prefix_tokens, most) if isinstance(rollout_output, str) else n_ignore_prefix_tokens
        return super().get_policy_input(sample, rollout_output, ignored, prompt_ids=prompt_ids)


@fault("MASK-4")
class IgnoreCountClampedForConversations(MiniaturePacker):
    """The route for conversations clamps n, as it does with everything that comes from a chat."""

    def get_policy_input(
        self, sample: Any, rollout_output: Any, n_ignore_prefix_tokens: int = 0, *, prompt_ids: Any = None
    ) -> Row:
        """As the miniature, after clamping for conversations."""
        talk = prompt_ids is None and isinstance(sample.representations["prompt"], list)
        most = len(self._completion_ids(rollout_output))
        ignored = min(n_ignore_prefix_tokens, most) if talk else n_ignore_prefix_tokens
        return super().get_policy_input(sample, rollout_output, ignored, prompt_ids=prompt_ids)
