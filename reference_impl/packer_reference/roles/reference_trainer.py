"""Everything here as one object: the parts that a trainer has around bodies and objectives."""

from collections.abc import Mapping, Sequence
from typing import Any

from packer_reference.rewards.shared_prefix import ignore_shared_prefixes
from packer_reference.roles.model_inputs import attach_model_inputs, role_batch
from packer_reference.roles.packers import RolePackers
from packer_schemas import DataPackerBuildSpec

__all__ = ["ReferenceTrainer"]


class ReferenceTrainer:
    """A `TrainerParts`: every role reads all that the packer gave."""

    def build_packers(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """As `RolePackers`; a role without a use for a packer is left out."""
        trust, mode = settings["trust_remote_code"], settings["distillation"]
        student = DataPackerBuildSpec(
            name_or_path=settings["model"], factory=settings["factory"], trust_remote_code=trust
        )
        teacher = None
        if mode:
            factory = settings["teacher_model_factory"]
            teacher = DataPackerBuildSpec(name_or_path=settings["teacher_model"], factory=factory)
        roles = RolePackers(student, teacher)
        packers = {
            "rollout": roles.rollout(),
            "policy": roles.policy(),
            "reward": roles.reward(settings["shared_prefix"] is not None),
            "teacher_codec": roles.teacher_codec() if mode else None,
            "teacher_model": roles.teacher_model(mode) if mode else None,
        }
        return {role: packer for role, packer in packers.items() if packer is not None}

    def record_model_inputs(self, packer: Any, trajectories: Sequence[Any]) -> None:
        """As `attach_model_inputs`."""
        attach_model_inputs(packer, trajectories)

    def role_batch(self, role: str, packer: Any, trajectories: Sequence[Any]) -> Mapping[str, Any]:  # noqa: ARG002
        """As `role_batch`: the same for every role."""
        return role_batch(packer, trajectories)

    def ignore_shared_prefixes(
        self, trajectories: Sequence[Any], groups: Sequence[Any], minimum: int, packer: Any = None
    ) -> None:
        """As `ignore_shared_prefixes`."""
        ignore_shared_prefixes(trajectories, groups, minimum, packer)
