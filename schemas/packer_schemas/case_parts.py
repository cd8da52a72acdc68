"""What cases of every kind are made of: the frozen base, the model they run on, and the sample."""

from pydantic import BaseModel, ConfigDict, Field

from packer_schemas.conversation import Prompt
from packer_schemas.policy import TokenIds

__all__ = ["KIND", "Frozen", "OnModel", "Sample"]

KIND = "Kind of case; a document always names it."
"""Description of the field `kind`."""


class Frozen(BaseModel):
    """A document that is not changed and knows its fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", protected_namespaces=())


class OnModel(Frozen):
    """A case that runs on one model."""

    model: str | None = Field(default=None, description="Model the packer is set up with; null: the subject's first.")


class Sample(Frozen):
    """One sample with its rollout: how the prompt and the completion reach the packer."""

    prompt: Prompt = Field(default="the prompt text", description='What `representations["prompt"]` holds.')
    prompt_ids: TokenIds | None = Field(default=None, description="Stored prompt ids; null: derived from `prompt`.")
    completion: str | TokenIds = Field(description="Generated text, or the generated ids.")
    n_ignore_prefix_tokens: int = Field(
        default=0, description="Leading completion tokens that are not trained on; a value out of range is a case too."
    )
