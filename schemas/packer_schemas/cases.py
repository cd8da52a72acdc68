"""Cases: what a check is run on. Each is plain data, so a counterexample is a small JSON file in any language."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter

from packer_schemas.conversation import Prompt
from packer_schemas.policy import TokenIds

__all__ = [
    "BadIdsCase",
    "BatchCase",
    "Case",
    "CaseFile",
    "IdContainer",
    "IdContainerCase",
    "PolicyCase",
    "PretokenizedCase",
    "PromptCase",
    "RefusedPromptCase",
    "Sample",
    "SelectionCase",
    "SetupCase",
    "case_adapter",
]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", protected_namespaces=())


class _OnModel(_Frozen):
    model: str | None = Field(default=None, description="Model the packer is set up with; null: the subject's first.")


class Sample(_Frozen):
    """One sample with its rollout: how the prompt and the completion reach the packer."""

    prompt: Prompt = "the prompt text"
    prompt_ids: TokenIds | None = Field(default=None, description="Stored prompt ids; null: derived from `prompt`.")
    completion: str | TokenIds
    n_ignore_prefix_tokens: int = 0


class SetupCase(_OnModel):
    """A packer set up with `model`, tried on one prompt."""

    kind: Literal["setup"] = "setup"
    prompt: Prompt = "the prompt text"


class PromptCase(_OnModel):
    """One prompt for the rollout side."""

    kind: Literal["prompt"] = "prompt"
    prompt: Prompt


class RefusedPromptCase(_OnModel):
    """A prompt that is neither a string nor a conversation."""

    kind: Literal["refused-prompt"] = "refused-prompt"
    prompt: JsonValue


class PretokenizedCase(_OnModel):
    """A prompt together with the exact ids the engine is to use."""

    kind: Literal["pretokenized"] = "pretokenized"
    prompt: Prompt = "the prompt text"
    token_ids: TokenIds = Field(min_length=1)


class PolicyCase(_OnModel):
    """One sample for the policy side."""

    kind: Literal["policy"] = "policy"
    sample: Sample


IdContainer = Literal["tuple", "numpy int32", "numpy int64", "list of numpy int64", "tensor int32", "tensor int64"]


class IdContainerCase(_OnModel):
    """One sample whose ids, prompt and completion alike, are handed over in another container."""

    kind: Literal["id-container"] = "id-container"
    sample: Sample
    container: IdContainer


class BadIdsCase(_OnModel):
    """Ids that are not ids: bools, floats, negatives."""

    kind: Literal["bad-ids"] = "bad-ids"
    stream: Literal["prompt_ids", "completion"]
    ids: list[JsonValue] = Field(min_length=1)


class BatchCase(_OnModel):
    """Samples to be collated at the longest row plus `extra_width`."""

    kind: Literal["batch"] = "batch"
    samples: list[Sample] = Field(min_length=1)
    extra_width: int = Field(default=0, ge=0)


class SelectionCase(_Frozen):
    """A model folder with only a `config.json`, for the selection rules."""

    kind: Literal["selection"] = "selection"
    config: dict[str, JsonValue]
    model_backend: str | None = None


Case = Annotated[
    SetupCase
    | PromptCase
    | RefusedPromptCase
    | PretokenizedCase
    | PolicyCase
    | IdContainerCase
    | BadIdsCase
    | BatchCase
    | SelectionCase,
    Field(discriminator="kind"),
]

case_adapter: TypeAdapter[Case] = TypeAdapter(Case)
"""Validates a case document of any kind."""


class CaseFile(_Frozen):
    """A stored case: the requirement it is for and the case itself."""

    requirement: str = Field(pattern=r"^[A-Z]+-[0-9]+$")
    packer: str = Field(default="", description="Target it was found on; information only.")
    case: Case
