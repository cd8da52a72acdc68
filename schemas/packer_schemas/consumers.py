"""What stands on both sides of a packer: rollout bodies, objectives, and the parts of a trainer around them."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

__all__ = ["HandsOverText", "Objective", "RolloutBody", "TrainerParts"]


@runtime_checkable
class RolloutBody(Protocol):
    """Has a model generate from samples, and records what happened. Spec: bodies.

    It is made by `factory(model, *, packer, sampling=None, routing_replay=False)`.
    """

    packer: Any

    def generate(self, samples: Sequence[Any], *, prompt_ids: Sequence[Sequence[int] | None] | None = None) -> Any:
        """The trajectories of B samples, G for each, those of the first sample first; `ValueError` for none."""


@runtime_checkable
class HandsOverText(Protocol):
    """A rollout body whose engine encodes the prompts that it is handed as text; `hands_over_text` is true."""

    hands_over_text: bool


@runtime_checkable
class Objective(Protocol):
    """Turns trajectories into a loss. Spec: objectives.

    It is made by `factory(packer=None, *, kind, clip_low, clip_high, eps, routing_replay)`.
    """

    def __call__(
        self,
        model: Any,
        trajectories: Sequence[Any],
        *,
        advantages: Sequence[Any] | None = None,
        groups: Sequence[Any] | None = None,
        denominator: int | None = None,
    ) -> Any:
        """A result with `loss`, a tensor without dimensions, and `metrics`, a mapping from names to floats."""


@runtime_checkable
class TrainerParts(Protocol):
    """What a trainer has beside bodies and objectives: who builds packers, what the roles read, the reward filter.

    Spec: bodies, BODY-17 to BODY-20.
    """

    def build_packers(self, settings: Mapping[str, Any]) -> Mapping[str, Any]:
        """The packers of a run by role: `rollout`, `policy`, `reward`, `teacher_codec` and `teacher_model`.

        A role that needs none is left out. `settings` are plain data: `model`, `factory`, `trust_remote_code`;
        `shared_prefix`, an integer of at least 1 or None for off; `distillation`, None or a mode such as `same_token`
        or `cross_token_multimodal`, and with it `teacher_model` and `teacher_model_factory`. An empty factory stands
        for the selection by model type.
        """
        ...

    def record_model_inputs(self, packer: Any, trajectories: Sequence[Any]) -> None:
        """Put the one policy input of each trajectory under `policy_info["model_inputs"]`."""

    def role_batch(self, role: str, packer: Any, trajectories: Sequence[Any]) -> Mapping[str, Any]:
        """What `policy`, `reference` or `critic` hands its model for these trajectories."""
        ...

    def ignore_shared_prefixes(
        self, trajectories: Sequence[Any], groups: Sequence[Any], minimum: int, packer: Any = None
    ) -> None:
        """Set `n_ignore_prefix_tokens` of every trajectory; groups are told by equal labels."""
