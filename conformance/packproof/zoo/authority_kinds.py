"""Faults of chapter authority: what is empty, and what is taken for ids."""

from typing import Any

from packproof.zoo.member import fault
from packproof.zoo.miniature import MiniaturePacker, Row

__all__: list[str] = []


@fault("AUTH-5")
class EmptyPromptGetsAnEndToken(MiniaturePacker):
    """A prompt without ids is replaced by the end token, so that there is something to continue."""

    def _text_prompt_ids(self, sample: Any) -> list[int]:
        return self._encode(self._render(sample.representations["prompt"])) or [self.tokenizer.eos_token_id]


@fault("AUTH-5")
class EmptyPromptAccepted(MiniaturePacker):
    """A prompt without ids is accepted; in public packers its mask is then one entry too long."""

    def _text_prompt_ids(self, sample: Any) -> list[int]:
        return self._encode(self._render(sample.representations["prompt"]))


@fault("AUTH-6")
class EmptyPromptIdsReadAsAbsent(MiniaturePacker):
    """`prompt_ids or ...` takes an empty list of stored ids for none at all, and renders the prompt instead."""

    def get_policy_input(
        self, sample: Any, rollout_output: Any, n_ignore_prefix_tokens: int = 0, *, prompt_ids: Any = None
    ) -> Row:
        """As the miniature, by truth."""
        given = prompt_ids if prompt_ids is not None and len(prompt_ids) else None
        return super().get_policy_input(sample, rollout_output, n_ignore_prefix_tokens, prompt_ids=given)


@fault("AUTH-7")
class NumpyScalarsRefused(MiniaturePacker):
    """Ids are told by `type(one) is int`, so lists of NumPy integers, which engines return, are refused."""

    def _id(self, one: Any) -> int:
        if type(one) is not int:
            raise TypeError(f"{one!r} is {type(one).__name__}, expected int")
        return super()._id(one)


@fault("AUTH-7", "AUTH-8")
class ArrayReadAsText(MiniaturePacker):
    """Only lists count as ids; an array or a tensor falls into the text branch and its printed form is encoded.

    The fall-through into the text branch is seen in public vision packers.
    """

    def _ids(self, given: Any) -> list[int]:
        return self._encode(str(given)) if hasattr(given, "tolist") else super()._ids(given)


@fault("AUTH-8")
class BoolsAccepted(MiniaturePacker):
    """`isinstance(True, int)` holds, so a mask passed by mistake is trained as ids 0 and 1."""

    def _id(self, one: Any) -> int:
        return super()._id(int(one) if isinstance(one, bool) else one)


@fault("AUTH-8")
class FloatsRounded(MiniaturePacker):
    """Ids go through `int()`, which takes floats: a column that a data frame made of floats is cut to integers."""

    def _id(self, one: Any) -> int:
        return super()._id(int(one) if isinstance(one, float) else one)


@fault("AUTH-8")
class NegativeIdsAccepted(MiniaturePacker):
    """The range of ids is not checked, so -100 from a label column becomes an input id."""

    def _id(self, one: Any) -> int:
        negative = isinstance(one, int) and not isinstance(one, bool) and one < 0
        return one if negative else super()._id(one)


@fault("AUTH-8")
class NumpyScalarsCast(MiniaturePacker):
    """What is no Python number goes through `int()`, so floats and bools of NumPy are cut to ids."""

    def _id(self, one: Any) -> int:
        return super()._id(abs(int(one)) if hasattr(one, "dtype") else one)


@fault("AUTH-9")
class AnswerUnwrapped(MiniaturePacker):
    """An engine's response object is unwrapped where its ids are found, and trained whatever else it says of them."""

    def _completion_ids(self, given: Any) -> list[int]:
        return super()._completion_ids(given.get("token_ids", given) if isinstance(given, dict) else given)


@fault("AUTH-9", report="https://github.com/huggingface/transformers/pull/45422")
class NoneTrainedAsText(MiniaturePacker):
    """A completion that is neither text nor ids is printed, so None is trained as the word None.

    None rendered as text: https://github.com/huggingface/transformers/pull/45422.
    """

    def _completion_ids(self, given: Any) -> list[int]:
        known = isinstance(given, (str, list, tuple)) or hasattr(given, "tolist")
        return super()._completion_ids(given if known else str(given))


@fault("AUTH-9")
class MissingCompletionReadAsEmpty(MiniaturePacker):
    """A completion of None counts as an empty one, so a failed request becomes a row."""

    def _completion_ids(self, given: Any) -> list[int]:
        return super()._completion_ids([] if given is None else given)


@fault("AUTH-6")
class EmptyArrayReadAsAbsent(MiniaturePacker):
    """Only an empty list of stored ids is refused; an empty array or tuple has no truth, and the prompt is rendered."""

    def get_policy_input(
        self, sample: Any, rollout_output: Any, n_ignore_prefix_tokens: int = 0, *, prompt_ids: Any = None
    ) -> Row:
        """As the miniature, by truth, for all but lists."""
        absent = prompt_ids is not None and not isinstance(prompt_ids, list) and not len(prompt_ids)
        given = None if absent else prompt_ids
        return super().get_policy_input(sample, rollout_output, n_ignore_prefix_tokens, prompt_ids=given)


@fault("AUTH-7")
class IgnoreCountLostForArrays(MiniaturePacker):
    """The branch for arrays and tensors returns early and forgets `n_ignore_prefix_tokens`."""

    def get_policy_input(
        self, sample: Any, rollout_output: Any, n_ignore_prefix_tokens: int = 0, *, prompt_ids: Any = None
    ) -> Row:
        """As the miniature, without n for arrays."""
        ignored = 0 if hasattr(rollout_output, "tolist") else n_ignore_prefix_tokens
        return super().get_policy_input(sample, rollout_output, ignored, prompt_ids=prompt_ids)


@fault("AUTH-8")
class NumpyArraysCast(MiniaturePacker):
    """A NumPy array is cast to int64 before anybody looks at it, so logprobs become the ids 0 and -1, or 0 at best."""

    def _ids(self, given: Any) -> list[int]:
        return super()._ids(abs(given.astype("int64")) if hasattr(given, "astype") else given)


@fault("AUTH-9")
class DigitsRead(MiniaturePacker):
    """Ids go through `int()`, which reads the string "7" as well: a row of a text file is trained unparsed."""

    def _id(self, one: Any) -> int:
        return super()._id(int(one) if isinstance(one, str) and one.isdigit() else one)


@fault("AUTH-9")
class MissingIdsDropped(MiniaturePacker):
    """Entries of None are dropped from a completion, and what was sampled closes up over the gap."""

    def _completion_ids(self, given: Any) -> list[int]:
        kept = given
        if isinstance(given, list) and any(one is not None for one in given):
            kept = [one for one in given if one is not None]
        return super()._completion_ids(kept)
