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


_KIND = "Kind of case; a document always names it."
_PROMPT = 'What `representations["prompt"]` holds.'
_SAMPLE = "The sample and its rollout."


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", protected_namespaces=())


class _OnModel(_Frozen):
    model: str | None = Field(default=None, description="Model the packer is set up with; null: the subject's first.")


class Sample(_Frozen):
    """One sample with its rollout: how the prompt and the completion reach the packer."""

    prompt: Prompt = Field(default="the prompt text", description=_PROMPT)
    prompt_ids: TokenIds | None = Field(default=None, description="Stored prompt ids; null: derived from `prompt`.")
    completion: str | TokenIds = Field(description="Generated text, or the generated ids.")
    n_ignore_prefix_tokens: int = Field(
        default=0, description="Leading completion tokens that are not trained on; a value out of range is a case too."
    )


class SetupCase(_OnModel):
    """A packer set up with `model`, tried on one prompt."""

    kind: Literal["setup"] = Field(default="setup", description=_KIND)
    prompt: Prompt = Field(default="the prompt text", description=_PROMPT)


class PromptCase(_OnModel):
    """One prompt for the rollout side."""

    kind: Literal["prompt"] = Field(default="prompt", description=_KIND)
    prompt: Prompt = Field(description=_PROMPT)


class RefusedPromptCase(_OnModel):
    """A prompt that is neither a string nor a conversation."""

    kind: Literal["refused-prompt"] = Field(default="refused-prompt", description=_KIND)
    prompt: JsonValue = Field(description="What stands in the place of a prompt.")


class PretokenizedCase(_OnModel):
    """A prompt together with the exact ids the engine is to use."""

    kind: Literal["pretokenized"] = Field(default="pretokenized", description=_KIND)
    prompt: Prompt = Field(default="the prompt text", description=_PROMPT)
    token_ids: TokenIds = Field(min_length=1, description="The ids that the engine is to generate from.")


class PolicyCase(_OnModel):
    """One sample for the policy side."""

    kind: Literal["policy"] = Field(default="policy", description=_KIND)
    sample: Sample = Field(description=_SAMPLE)


IdContainer = Literal["tuple", "numpy int32", "numpy int64", "list of numpy int64", "tensor int32", "tensor int64"]


class IdContainerCase(_OnModel):
    """One sample whose ids, prompt and completion alike, are handed over in another container."""

    kind: Literal["id-container"] = Field(default="id-container", description=_KIND)
    sample: Sample = Field(description=_SAMPLE)
    container: IdContainer = Field(description="What the ids are handed over in.")


class BadIdsCase(_OnModel):
    """Ids that are not ids: bools, floats, negatives."""

    kind: Literal["bad-ids"] = Field(default="bad-ids", description=_KIND)
    stream: Literal["prompt_ids", "completion"] = Field(description="Where the ids are handed over.")
    ids: list[JsonValue] = Field(min_length=1, description="What is handed over as ids.")


class BatchCase(_OnModel):
    """Samples to be collated at the longest row plus `extra_width`."""

    kind: Literal["batch"] = Field(default="batch", description=_KIND)
    samples: list[Sample] = Field(min_length=1, description="The samples in the order of their rows.")
    extra_width: int = Field(default=0, ge=0, description="Columns of padding beyond the longest row, in tokens.")


class SelectionCase(_Frozen):
    """A model folder with only a `config.json`, for the selection rules."""

    kind: Literal["selection"] = Field(default="selection", description=_KIND)
    config: dict[str, JsonValue] = Field(description="Content of the folder's `config.json`.")
    model_backend: str | None = Field(default=None, description="Backend asked for; null: none.")


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

    requirement: str = Field(pattern=r"^[A-Z]+-[0-9]+$", description="Requirement id, as MASK-2.")
    packer: str = Field(default="", description="Target it was found on; information only.")
    case: Case = Field(description="What the check of the requirement is run on.")
