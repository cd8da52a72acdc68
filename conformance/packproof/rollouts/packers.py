"""Packers of the kit's own that a body is handed: they say what is asked of them, and their hooks do what a case says.

Every protocol has a class of its own here, since a packer without a protocol has to lack its methods.
"""

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from packer_schemas.observation import ObsBundle
from packer_schemas.rollout_cases import HookForm
from packproof.models import model_path
from packproof.zoo.miniature import MiniaturePacker

__all__ = ["MARK", "Guarded", "GuardedHooks", "Plain", "Pretokenized", "packer_for", "sample_of"]

MARK = " indeed"
"""What a hook that marks puts behind a text, and it is read by every tokenizer."""


def sample_of(prompt: str, **more: Any) -> ObsBundle:
    """A raw sample of a prompt, with other representations beside it."""
    return ObsBundle.model_construct(representations={"prompt": prompt, **more})


class Plain:
    """A packer of text that is set up, and no more; `asked` holds the name and the arguments of every call.

    With `from_samples` it hands over the ids that lie in a sample, with the `entries` that lie beside them.
    """

    from_samples = False
    shapes: ClassVar[type[MiniaturePacker]] = MiniaturePacker
    """What shapes its policy inputs and batches."""

    def __init__(self, tokenizer: str) -> None:
        self._inner = self.shapes()
        self._inner.setup(str(model_path(tokenizer)))
        self.tokenizer = self._inner.tokenizer
        self.asked: list[tuple[str, Any]] = []

    def named(self, name: str) -> list[Any]:
        """The arguments of every call of one method, in order."""
        return [arguments for asked, arguments in self.asked if asked == name]

    def get_rollout_input(self, item: Any) -> Any:
        """The prompt, which is a text, or what lies in the sample instead of it."""
        self.asked.append(("get_rollout_input", item))
        held = item.representations
        if self.from_samples and held.get("prompt_ids"):
            return {"prompt_token_ids": list(held["prompt_ids"]), **held.get("entries", {})}
        return held.get("rollout_input", held["prompt"])

    def get_policy_input(
        self, sample: Any, rollout_output: Any, n_ignore_prefix_tokens: int = 0, *, prompt_ids: Any = None
    ) -> dict[str, Any]:
        """As the miniature."""
        self.asked.append(("get_policy_input", (rollout_output, n_ignore_prefix_tokens, prompt_ids)))
        return self._inner.get_policy_input(sample, rollout_output, n_ignore_prefix_tokens, prompt_ids=prompt_ids)

    def policy_compute_max_len(self, processed_samples: Any) -> int:
        """As the miniature."""
        return self._inner.policy_compute_max_len(processed_samples)

    def policy_collate_fn(self, processed_samples: Any, computed_max_len: int) -> Mapping[str, Any]:
        """As the miniature."""
        return self._inner.policy_collate_fn(processed_samples, computed_max_len)


class Pretokenized(Plain):
    """Hands exact ids over too."""

    def get_pretokenized_rollout_input(self, item: Any, token_ids: Sequence[int]) -> dict[str, Any]:
        """The ids as they are, with the `entries` of the sample."""
        self.asked.append(("get_pretokenized_rollout_input", (item, list(token_ids))))
        return {"prompt_token_ids": list(token_ids), **item.representations.get("entries", {})}


class Guarded(Pretokenized):
    """Says whether its tokenizer adds special tokens."""

    def adds_special_tokens(self) -> bool:
        """Whether it does."""
        return self._inner.adds_special_tokens()

    def assert_no_special_tokens(self) -> None:
        """`ValueError` where it does."""
        self._inner.assert_no_special_tokens()


class GuardedHooks(Guarded):
    """Has hooks for whole batches, which do what `form` says."""

    form: HookForm = "passes on"

    def rollout_collate_fn(self, items: Any) -> Any:
        """The inputs, marked or one less."""
        self.asked.append(("rollout_collate_fn", list(items)))
        given = list(items)
        if self.form == "marks the inputs":
            return [one + MARK if isinstance(one, str) else one for one in given]
        return given[:-1] if self.form == "gives an input less" else given

    def get_rollout_output(self, completions: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: ARG002  the contract's
        """The completions, decoded, cut in place, or one less or more."""
        self.asked.append(("get_rollout_output", copy.deepcopy(list(completions))))
        return _ANSWERS.get(self.form, list)(completions) if self.form != "decodes" else self._decoded(completions)

    def _decoded(self, completions: Any) -> list[str]:
        return [one if isinstance(one, str) else self.tokenizer.decode(one) for one in completions]


def _cut(completions: Any) -> list[Any]:
    for one in completions:
        if isinstance(one, list):
            one[:1] = []
    return [one[1:] if isinstance(one, str) else one for one in completions]


_ANSWERS: dict[str, Callable[[Any], list[Any]]] = {
    "cuts what it is given": _cut,
    "gives an output less": lambda completions: list(completions)[:-1],
    "gives an output more": lambda completions: [*completions, []],
}


def packer_for(form: HookForm, tokenizer: str) -> Any:
    """A packer whose hooks are of this form, or that has none."""
    if form == "is not there":
        return Guarded(tokenizer)
    packer = GuardedHooks(tokenizer)
    packer.form = form
    return packer
