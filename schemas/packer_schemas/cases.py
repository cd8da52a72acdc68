"""Cases: what a check is run on. Each is plain data, so a counterexample is a small JSON file in any language."""

from typing import Annotated, Literal

from pydantic import Field, JsonValue, TypeAdapter

from packer_schemas.case_parts import KIND, Frozen, OnModel, Sample
from packer_schemas.conversation import Prompt
from packer_schemas.identity_cases import (
    ClassSourceCase,
    DeclarationCase,
    DocumentCase,
    ModelChangeCase,
    ResumeCase,
    SteadyCase,
    ValueCase,
)
from packer_schemas.lock_cases import LockCase
from packer_schemas.objective_cases import (
    CalledTwiceCase,
    ClippedCase,
    DividedCase,
    FieldsCase,
    FillerCase,
    GradientCase,
    HandedOverCase,
    PairedCase,
    RearrangedCase,
    RewardsCase,
    ScoredCase,
    StreamCase,
    TurnsCase,
    UnshapedCase,
    WeightlessCase,
)
from packer_schemas.policy import TokenIds
from packer_schemas.rollout_cases import (
    BodyMadeCase,
    DrawsCase,
    GenerationCase,
    GivenPromptCase,
    GroupCase,
    MediaCase,
    NoSamplesCase,
    RepeatedCase,
    RolloutHookCase,
    RoutingCase,
    SpoiledCase,
    SpokenOfCase,
    UntouchedCase,
)
from packer_schemas.routing_cases import (
    RoutingBatchCase,
    RoutingMoveCase,
    RoutingReplayCase,
    RoutingTrajectoryCase,
    RoutingTurnsCase,
)
from packer_schemas.source_cases import (
    SourceAskedCase,
    SourceOutsideCase,
    SourceReadingCase,
    SourceSpanCase,
    TripleCase,
)
from packer_schemas.source_run_cases import (
    ColumnsCase,
    CursorCase,
    FactoryCallCase,
    FingerprintCase,
    MissingColumnCase,
    OverlapCase,
    PreflightCase,
    ReturnedCase,
    SelectorsCase,
    UnreachableCase,
    WrittenItemCase,
)
from packer_schemas.trainer_cases import PackersOfARunCase, RoleInputCase, SharedPrefixCase

__all__ = [
    "BadIdsCase",
    "BatchCase",
    "Case",
    "CaseFile",
    "IdContainer",
    "IdContainerCase",
    "LockCase",
    "PolicyCase",
    "PretokenizedCase",
    "PromptCase",
    "RefusedPromptCase",
    "Sample",
    "SelectionCase",
    "SetupCase",
    "case_adapter",
]


_PROMPT = 'What `representations["prompt"]` holds.'
_SAMPLE = "The sample and its rollout."


class SetupCase(OnModel):
    """A packer set up with `model`, tried on one prompt."""

    kind: Literal["setup"] = Field(default="setup", description=KIND)
    prompt: Prompt = Field(default="the prompt text", description=_PROMPT)


class PromptCase(OnModel):
    """One prompt for the rollout side."""

    kind: Literal["prompt"] = Field(default="prompt", description=KIND)
    prompt: Prompt = Field(description=_PROMPT)


class RefusedPromptCase(OnModel):
    """A prompt that is neither a string nor a conversation."""

    kind: Literal["refused-prompt"] = Field(default="refused-prompt", description=KIND)
    prompt: JsonValue = Field(description="What stands in the place of a prompt.")


class PretokenizedCase(OnModel):
    """A prompt together with the exact ids the engine is to use."""

    kind: Literal["pretokenized"] = Field(default="pretokenized", description=KIND)
    prompt: Prompt = Field(default="the prompt text", description=_PROMPT)
    token_ids: TokenIds = Field(min_length=1, description="The ids that the engine is to generate from.")


class PolicyCase(OnModel):
    """One sample for the policy side."""

    kind: Literal["policy"] = Field(default="policy", description=KIND)
    sample: Sample = Field(description=_SAMPLE)


IdContainer = Literal["tuple", "numpy int32", "numpy int64", "list of numpy int64", "tensor int32", "tensor int64"]


class IdContainerCase(OnModel):
    """One sample whose ids, prompt and completion alike, are handed over in another container."""

    kind: Literal["id-container"] = Field(default="id-container", description=KIND)
    sample: Sample = Field(description=_SAMPLE)
    container: IdContainer = Field(description="What the ids are handed over in.")


class BadIdsCase(OnModel):
    """Ids that are not ids: bools, floats, negatives."""

    kind: Literal["bad-ids"] = Field(default="bad-ids", description=KIND)
    stream: Literal["prompt_ids", "completion"] = Field(description="Where the ids are handed over.")
    ids: list[JsonValue] = Field(min_length=1, description="What is handed over as ids.")


class BatchCase(OnModel):
    """Samples to be collated at the longest row plus `extra_width`."""

    kind: Literal["batch"] = Field(default="batch", description=KIND)
    samples: list[Sample] = Field(min_length=1, description="The samples in the order of their rows.")
    extra_width: int = Field(default=0, ge=0, description="Columns of padding beyond the longest row, in tokens.")


class SelectionCase(Frozen):
    """A model folder with only a `config.json`, for the selection rules."""

    kind: Literal["selection"] = Field(default="selection", description=KIND)
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
    | SelectionCase
    | DeclarationCase
    | SteadyCase
    | ModelChangeCase
    | DocumentCase
    | ValueCase
    | ClassSourceCase
    | ResumeCase
    | LockCase
    | RoutingBatchCase
    | RoutingTrajectoryCase
    | RoutingMoveCase
    | RoutingReplayCase
    | RoutingTurnsCase
    | SourceReadingCase
    | SourceSpanCase
    | SourceOutsideCase
    | SourceAskedCase
    | TripleCase
    | ColumnsCase
    | CursorCase
    | FactoryCallCase
    | FingerprintCase
    | MissingColumnCase
    | OverlapCase
    | PreflightCase
    | ReturnedCase
    | SelectorsCase
    | UnreachableCase
    | WrittenItemCase
    | HandedOverCase
    | ScoredCase
    | CalledTwiceCase
    | UnshapedCase
    | FieldsCase
    | GradientCase
    | RearrangedCase
    | PairedCase
    | StreamCase
    | DividedCase
    | WeightlessCase
    | FillerCase
    | RewardsCase
    | ClippedCase
    | TurnsCase
    | BodyMadeCase
    | GenerationCase
    | RolloutHookCase
    | GivenPromptCase
    | SpoiledCase
    | RoutingCase
    | GroupCase
    | NoSamplesCase
    | RepeatedCase
    | DrawsCase
    | SpokenOfCase
    | MediaCase
    | UntouchedCase
    | RoleInputCase
    | PackersOfARunCase
    | SharedPrefixCase,
    Field(discriminator="kind"),
]

case_adapter: TypeAdapter[Case] = TypeAdapter(Case)
"""Validates a case document of any kind."""


class CaseFile(Frozen):
    """A stored case: the requirement it is for and the case itself."""

    requirement: str = Field(pattern=r"^[A-Z]+-[0-9]+$", description="Requirement id, as MASK-2.")
    packer: str = Field(default="", description="Target it was found on; information only.")
    case: Case = Field(description="What the check of the requirement is run on.")
