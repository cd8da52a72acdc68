"""Which role of a run builds which packer, and when."""

from typing import Any

from packer_reference.resume_gate import ResumeGate
from packer_reference.selection import build_packer
from packer_schemas import DataPackerBuildSpec, IdentityDocument
from packer_schemas.declarations import declarations, dotted_name

__all__ = ["CROSS_TOKEN_MULTIMODAL", "RolePackers", "teacher_identity"]

CROSS_TOKEN_MULTIMODAL = "cross_token_multimodal"  # noqa: S105  a distillation mode
"""The one distillation mode in which the teacher reads ids of its own."""


class RolePackers:
    """The packers of a run's roles, from one setting for the student and one for a distinct teacher model.

    Every call builds a fresh packer that is set up, and none builds one that its role does not use. `student` and
    `teacher` are what `DataPackerFactories.spec` gives for the two; a role in another process makes its own
    `RolePackers` of the same specs. Errors of `build_packer` pass through. Spec: bodies, BODY-18 and BODY-19.
    """

    def __init__(self, student: DataPackerBuildSpec, teacher: DataPackerBuildSpec | None = None) -> None:
        for name, spec in (("student", student), ("teacher", teacher)):
            if not isinstance(spec, DataPackerBuildSpec) and (spec is not None or name == "student"):
                raise TypeError(f"RolePackers: {name} is a {type(spec).__name__}, expected a DataPackerBuildSpec")
        self.student, self.teacher = student, teacher

    def rollout(self) -> Any:
        """The packer of a rollout body."""
        return build_packer(self.student)

    def policy(self) -> Any:
        """The packer of the policy, which every objective enters through: a run builds it at once."""
        return build_packer(self.student)

    def teacher_codec(self) -> Any:
        """What the teacher's actor reads the student's ids with: the student's packer, whatever the teacher's model."""
        return build_packer(self.student)

    def reward(self, shared_prefix_filtering: bool) -> Any:
        """The packer of the reward side, or None: only the filter of shared prefixes has a use for one."""
        if not isinstance(shared_prefix_filtering, bool):
            raise TypeError(
                f"RolePackers.reward: shared_prefix_filtering is {shared_prefix_filtering!r}, expected True or False"
            )
        return build_packer(self.student) if shared_prefix_filtering else None

    def teacher_model(self, mode: str) -> Any:
        """The packer of the teacher's own model, or None: only the mode `cross_token_multimodal` has a use for one.

        With an empty factory the teacher's model type selects it. Raises `ValueError` where that mode has no teacher's
        spec, `TypeError` for a packer without `processor_semantics_identity`. Spec: bodies, BODY-19; identity, IDENT-2.
        """
        if mode != CROSS_TOKEN_MULTIMODAL:
            return None
        if self.teacher is None:
            raise ValueError(
                f"RolePackers.teacher_model: mode {mode!r} needs the teacher's spec; pass RolePackers(student, teacher)"
            )
        packer = build_packer(self.teacher)
        ResumeGate().expect_processor(packer)
        return packer


def teacher_identity(packer: Any) -> IdentityDocument:
    """What a run with a cross-token teacher is bound to: the processor's declaration alone, with a digest of its own.

    Two teachers that process alike have equal digests, whatever else they declare. Raises `TypeError` for a packer that
    declares no processor, and what its declaration raises. Spec: identity, IDENT-2 and IDENT-5.
    """
    ResumeGate().expect_processor(packer)
    return IdentityDocument.make(dotted_name(type(packer)), {"processor": declarations(packer)["processor"]})
