"""Cases for the rules that bind the parts of a trainer: who builds packers, what roles read, what a filter leaves."""

from typing import Literal

from pydantic import Field, JsonValue

from packer_schemas.case_parts import KIND, Frozen
from packer_schemas.policy import TokenIds

__all__ = ["PackersOfARunCase", "Rewarded", "Role", "RoleInputCase", "RolledOut", "SharedPrefixCase"]

Role = Literal["policy", "reference", "critic"]
"""Who reads the one policy input of a trajectory."""


class RolledOut(Frozen):
    """What was recorded of one generation, and how much of it the reward step leaves out."""

    prompt_ids: TokenIds = Field(min_length=1, description="Ids generated from.")
    completion: TokenIds = Field(description="Ids sampled.")
    ignored: int = Field(default=0, ge=0, description="n_ignore_prefix_tokens, which is known afterwards.")


class RoleInputCase(Frozen):
    """Trajectories that policy, reference and critic read."""

    kind: Literal["role-input"] = Field(default="role-input", description=KIND)
    trajectories: list[RolledOut] = Field(min_length=1, description="In the order of their rows.")
    routing: Literal["none", "recorded", "recorded, and policy inputs are mappings"] = Field(
        default="none", description="Whether experts were recorded, and whether a policy input has room for them."
    )


class PackersOfARunCase(Frozen):
    """Settings of a run, and the packers that it builds."""

    kind: Literal["packers-of-a-run"] = Field(default="packers-of-a-run", description=KIND)
    factory: bool = Field(default=True, description="Whether a factory of the student's packer is configured.")
    shared_prefix: int | None = Field(default=None, ge=1, description="The minimum of the filter; null: it is off.")
    distillation: Literal["same_token", "cross_token", "cross_token_multimodal"] | None = Field(
        default=None, description="Mode of an on-policy distillation; null: there is none."
    )
    trust_remote_code: bool = Field(default=False, description="The trust setting.")
    teacher_factory: bool = Field(default=True, description="Whether a factory of the teacher's packer is configured.")


class Rewarded(Frozen):
    """One completion of a group with its reward."""

    group: int = Field(default=0, description="The label of its group.")
    completion: str | TokenIds = Field(description="Ids sampled, or text alone.")
    reward: float | None = Field(description="Its reward; null: there is none.")


class SharedPrefixCase(Frozen):
    """Completions that are filtered by what they share with others."""

    kind: Literal["shared-prefix"] = Field(default="shared-prefix", description=KIND)
    completions: list[Rewarded] = Field(min_length=1, description="In any order.")
    minimum: JsonValue = Field(default=1, description="The least number of shared ids that counts.")
