"""Packer protocols, one per capability; a packer has a capability when `isinstance` says so."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

__all__ = [
    "BatchSlicer",
    "DataPackerFactory",
    "IdentityLock",
    "PackerProcessorIdentity",
    "PackerSelection",
    "PackerSemanticsIdentity",
    "PolicyPacker",
    "PretokenizedRolloutPacker",
    "ResumeGate",
    "RolloutHooks",
    "RolloutPacker",
    "RoutedPolicyInput",
    "SFTPacker",
    "SavesState",
    "SetsUp",
    "SpecialTokenGuard",
    "UsesTokenizer",
]


@runtime_checkable
class SetsUp(Protocol):
    """Builds its tokenizer from a model id or folder, after construction."""

    def setup(self, name_or_path: str, trust_remote_code: bool = False) -> None:
        """Make the packer ready; `ValueError` for an empty name."""


@runtime_checkable
class UsesTokenizer(Protocol):
    """Owns a transformers tokenizer."""

    tokenizer: Any


@runtime_checkable
class SpecialTokenGuard(Protocol):
    """Says whether its tokenizer adds special tokens by default."""

    def adds_special_tokens(self) -> bool:
        """Whether a plain tokenizer call differs from one without special tokens."""
        ...

    def assert_no_special_tokens(self) -> None:
        """Raise `ValueError` when `adds_special_tokens()`."""


@runtime_checkable
class SavesState(Protocol):
    """Can write a folder from which `setup` builds an equal packer."""

    def save_state(self, dest_path: str) -> None:
        """Write the folder."""


@runtime_checkable
class RolloutPacker(Protocol):
    """Turns a raw sample into what the engine is asked to generate from."""

    def get_rollout_input(self, item: Any) -> Any:
        """The generation prompt of one sample."""


@runtime_checkable
class PretokenizedRolloutPacker(Protocol):
    """Hands the engine exact prompt ids."""

    def get_pretokenized_rollout_input(self, item: Any, token_ids: Sequence[int]) -> Mapping[str, Any]:
        """A mapping whose `prompt_token_ids` are `token_ids`, exactly."""
        ...


@runtime_checkable
class RolloutHooks(Protocol):
    """Shapes whole batches of rollout inputs and engine outputs; passthrough by default."""

    def rollout_collate_fn(self, items: Any) -> Any:
        """Shape the rollout inputs of a batch."""

    def get_rollout_output(self, completions: Any, *args: Any, **kwargs: Any) -> Any:
        """Shape what the engine generated."""


@runtime_checkable
class PolicyPacker(Protocol):
    """Turns a sample and its completion into policy inputs, and policy inputs into a batch."""

    def get_policy_input(
        self,
        sample: Any,
        rollout_output: Any,
        n_ignore_prefix_tokens: int = 0,
        *,
        prompt_ids: Sequence[int] | None = None,
    ) -> Any:
        """One policy input: `input_ids` and `logprob_masks`, as attributes or mapping keys."""

    def policy_compute_max_len(self, processed_samples: Any) -> int:
        """The longest `input_ids` among the samples."""
        ...

    def policy_collate_fn(self, processed_samples: Any, computed_max_len: int) -> Mapping[str, Any]:
        """The batch: `input_ids` int64 [B, L] and `logprob_masks` bool [B, L], on CPU."""
        ...


@runtime_checkable
class BatchSlicer(Protocol):
    """Counts and slices a batch of samples."""

    def batch_size(self, batch: Any) -> int:
        """Number of samples."""
        ...

    def slice_batch(self, batch: Any, start: int, end: int) -> Any:
        """Samples `start` to `end`, as Python slices them."""


@runtime_checkable
class SFTPacker(Protocol):
    """Shapes supervised samples with unshifted labels."""

    def sft_process_sample(self, sample: Any) -> Any:
        """One labelled sample."""

    def sft_compute_max_len(self, processed_samples: Any) -> int:
        """The longest `input_ids` among the samples."""
        ...

    def sft_collate_fn(self, processed_samples: Any, computed_max_len: int, *args: Any, **kwargs: Any) -> Any:
        """The batch, with `labels`."""


@runtime_checkable
class PackerSemanticsIdentity(Protocol):
    """Declares, as plain JSON data, everything that decides its output."""

    def validation_semantics_identity(self) -> Mapping[str, Any]:
        """The declared semantics."""
        ...


@runtime_checkable
class PackerProcessorIdentity(Protocol):
    """Declares the immutable contract of its multimodal processor."""

    def processor_semantics_identity(self) -> Mapping[str, Any]:
        """The declared processor semantics."""
        ...


@runtime_checkable
class ResumeGate(Protocol):
    """Decides whether a run may resume from a checkpoint with the packer that it has."""

    def bind(self, packer: Any) -> Mapping[str, Any]:
        """What a checkpoint keeps of a packer: `identity`, its document as JSON data or None, `class_source_sha256`."""
        ...

    def admit(self, saved: Mapping[str, Any], packer: Any) -> None:
        """Raise `ValueError` unless `packer` is the one that `bind` gave `saved` for, before any state is restored."""

    def expect_semantics(self, packer: Any) -> None:
        """Raise `TypeError` or `ValueError` for a packer that held-out validation cannot take."""

    def expect_processor(self, packer: Any) -> None:
        """Raise `TypeError` or `ValueError` for a packer that a cross-token teacher cannot take."""


@runtime_checkable
class IdentityLock(Protocol):
    """Holds packers to a lock file, and updates it.

    `fresh` is a `Lock` as JSON data: the packers of now, each with the first entry that it would get. The answer has
    for every label the fields of a `LockFinding`: `outcome`, `passes`, `message` and `advice` among them. `complete`
    says that `fresh` holds every packer that is configured. `ValueError` refuses a file that is no lock.
    """

    def check(self, path: str, fresh: Mapping[str, Any], complete: bool = True) -> Mapping[str, Mapping[str, Any]]:
        """What every packer and every entry is found to be; reads only."""
        ...

    def update(
        self, path: str, fresh: Mapping[str, Any], approve: Collection[str], reason: str = "", complete: bool = True
    ) -> Mapping[str, Mapping[str, Any]]:
        """The same once the kinds in `approve`, of `new`, `changed` and `obsolete`, are written; what is then `passes`.

        `ValueError` for `changed` with a blank `reason`. Under CI it writes nothing, and answers as `check` does.
        """
        ...


@runtime_checkable
class RoutedPolicyInput(Protocol):
    """A policy input that carries recorded expert routing (or None)."""

    input_ids: Sequence[int]
    forward_routing: Any


@runtime_checkable
class DataPackerFactory(Protocol):
    """A zero-argument callable that returns a fresh packer on every call."""

    def __call__(self) -> Any:
        """A fresh packer, not yet set up."""


@runtime_checkable
class PackerSelection(Protocol):
    """A module or object that picks the packer for a model: the registry and factory rules."""

    def init_data_packer(
        self,
        name_or_path: str,
        packer: Any = None,
        trust_remote_code: bool = False,
        model_backend: str | None = None,
    ) -> Any:
        """A packer for the model, set up."""

    def build_packer(self, spec: Any) -> Any:
        """A fresh packer from a `DataPackerBuildSpec`, set up."""

    def register(self, model_types: Sequence[str], packer_cls: type, allow_override: bool = False) -> None:
        """Claim model types for a class."""
