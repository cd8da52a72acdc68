"""The root contract of every packer, and the registry from model type to packer class."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, NoReturn

from packer_reference.token_ids import token_ids as checked_ids

__all__ = ["BaseDataPacker"]


class BaseDataPacker(ABC):
    """Turns raw samples into model-ready CPU tensors; weight-free.

    Four methods are abstract: `get_rollout_input`, `get_policy_input`, `policy_compute_max_len` and
    `policy_collate_fn`. The rest have defaults that pass things through, except the SFT triad, which refuses.
    """

    _classes: ClassVar[dict[str, type]] = {}

    @staticmethod
    def register(model_types: Iterable[str], packer_cls: type, allow_override: bool = False) -> None:
        """Claim Hugging Face model types for a packer class; all of them or, on an error, none.

        Registering the same class again changes nothing. Raises `ValueError` if a type is claimed by another class
        and `allow_override` is false, `TypeError` if the arguments are no list of names and no class.
        Spec: selection, SEL-2.
        """
        names = [model_types] if isinstance(model_types, str) else list(model_types)
        for name in names:
            if not isinstance(name, str) or not name.strip():
                raise TypeError(f"register: got {name!r} among the model types, expected names such as 'qwen2'")
        if not isinstance(packer_cls, type):
            raise TypeError(f"register: got {packer_cls!r} for {names}, expected a packer class, not an instance")
        for name in names:
            holder = BaseDataPacker._classes.get(name)
            if holder is not None and holder is not packer_cls and not allow_override:
                raise ValueError(
                    f"register: model_type={name!r} is claimed by {holder.__module__}.{holder.__qualname__}; "
                    f"pass allow_override=True to give it to {packer_cls.__module__}.{packer_cls.__qualname__}"
                )
        BaseDataPacker._classes.update(dict.fromkeys(names, packer_cls))

    @staticmethod
    def registered_class(model_type: str) -> type | None:
        """The class that claims `model_type`, or None. Spec: selection, SEL-3."""
        return BaseDataPacker._classes.get(model_type)

    @abstractmethod
    def get_rollout_input(self, item: Any) -> Any:
        """The generation prompt of one sample."""

    @abstractmethod
    def get_policy_input(
        self,
        sample: Any,
        rollout_output: Any,
        n_ignore_prefix_tokens: int = 0,
        *,
        prompt_ids: Sequence[int] | None = None,
    ) -> Any:
        """One policy input: `input_ids` and `logprob_masks` of one length."""

    @abstractmethod
    def policy_compute_max_len(self, processed_samples: Any) -> int:
        """The longest `input_ids` among the samples."""

    @abstractmethod
    def policy_collate_fn(self, processed_samples: Any, computed_max_len: int) -> Mapping[str, Any]:
        """The batch: `input_ids` int64 [B, L] and `logprob_masks` bool [B, L], on CPU."""

    def get_pretokenized_rollout_input(self, item: Any, token_ids: Sequence[int]) -> dict[str, Any]:
        """`{"prompt_token_ids": ids}` for an engine that is to use exactly these ids, in a list of its own.

        Raises `ValueError` for no ids at all, `TypeError` or `ValueError` for bad ones. Spec: rollout input, ROLL-5.
        """
        ids = checked_ids(token_ids, "get_pretokenized_rollout_input: token_ids")
        if not ids:
            raise ValueError("get_pretokenized_rollout_input: token_ids is empty; an engine needs at least one id")
        return {"prompt_token_ids": ids}

    def rollout_collate_fn(self, items: Any) -> Any:
        """The rollout inputs as they are. Spec: rollout input, ROLL-6."""
        return items

    def get_rollout_output(self, completions: Any, *args: Any, **kwargs: Any) -> Any:
        """The completions as they are. Spec: rollout input, ROLL-7."""
        return completions

    def batch_size(self, batch: Any) -> int:
        """Number of samples. Spec: rollout input, ROLL-8."""
        return len(batch)

    def slice_batch(self, batch: Any, start: int, end: int) -> Any:
        """`batch[start:end]`, with Python's meaning of every bound. Spec: rollout input, ROLL-9."""
        return batch[start:end]

    def sft_process_sample(self, sample: Any) -> Any:
        """Raises `NotImplementedError`: an RL packer has no labels to give."""
        self._refuse_sft("sft_process_sample")

    def sft_compute_max_len(self, processed_samples: Any) -> int:
        """Raises `NotImplementedError`."""
        self._refuse_sft("sft_compute_max_len")

    def sft_collate_fn(self, processed_samples: Any, computed_max_len: int, *args: Any, **kwargs: Any) -> Any:
        """Raises `NotImplementedError`."""
        self._refuse_sft("sft_collate_fn")

    def _refuse_sft(self, method: str) -> NoReturn:
        raise NotImplementedError(
            f"{type(self).__name__}.{method}: this packer shapes RL samples only; "
            "build a packer that implements the SFT methods, or override all three of them"
        )
