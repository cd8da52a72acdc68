"""Cases for the rules that bind a rollout body: what it is made with, what it generates from, and with which model."""

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from packer_schemas.case_parts import KIND, Frozen
from packer_schemas.policy import TokenIds

__all__ = [
    "BodyMadeCase",
    "DrawsCase",
    "GenerationCase",
    "GivenPromptCase",
    "GroupCase",
    "HookForm",
    "MadeWith",
    "MediaCase",
    "NoSamplesCase",
    "RepeatedCase",
    "RolloutHookCase",
    "RoutingCase",
    "SampledId",
    "SpoiledCase",
    "SpokenOfCase",
    "TinyTokenizer",
    "UntouchedCase",
]

TinyTokenizer = Literal["tiny-qwen", "tiny-gpt2", "tiny-llama3", "tiny-spm"]
"""Whose tokenizer the packer has; the last two put a token in front by default."""

MadeWith = Literal[
    "no packer",
    "a positional packer",
    "a positional tokenizer",
    "a positional sampling",
    "a tokenizer by name",
    "None for the packer",
    "a packer that takes no samples",
]
"""What stands in the place of the packer, or beside it."""

HookForm = Literal[
    "passes on",
    "decodes",
    "cuts what it is given",
    "marks the inputs",
    "gives an input less",
    "gives an output less",
    "gives an output more",
    "is not there",
]
"""What the packer's hooks for whole batches do."""

SampledId = Literal[
    "any",
    "the end",
    "the fill",
    "one of stop_token_ids",
    "the end, where another id stops",
    "the end, where no id stops",
    "a stop string",
]
"""What a greedy completion is made to hold; the last ones set `stop_token_ids`, or `stop`."""

_TOKENIZER = "Whose tokenizer the packer has."
_WEIGHTS = "Decides the weights of the model."
_PROMPTS = "The texts of the samples, in order."
_GROUP = "Completions for each sample."
_MOST = "The largest length of a completion."
_TRAINING = "Whether the model comes in training mode"
_IDS = Annotated[TokenIds, Field(min_length=1)]


class _Generating(Frozen):
    tokenizer: TinyTokenizer = Field(default="tiny-qwen", description=_TOKENIZER)
    weights: int = Field(default=0, ge=0, description=_WEIGHTS)


class BodyMadeCase(Frozen):
    """A body that is made as nobody is to make one."""

    kind: Literal["body-made"] = Field(default="body-made", description=KIND)
    given: MadeWith = Field(description="What it is made with.")


class GenerationCase(_Generating):
    """Samples that a model generates from."""

    kind: Literal["generation"] = Field(default="generation", description=KIND)
    prompts: list[str] = Field(min_length=1, description=_PROMPTS)
    group: int = Field(default=1, ge=1, le=4, description=_GROUP)
    max_tokens: int = Field(default=3, ge=1, le=16, description=_MOST)
    temperature: float = Field(default=0.0, ge=0, description="0 takes the likeliest id.")
    positions: Literal["rotary", "learned"] = Field(default="rotary", description="How the model tells places apart.")
    samples_id: SampledId = Field(
        default="any", description="What the first sample has for the id at place `at` of its greedy completion."
    )
    at: int = Field(default=0, ge=0, description="A place in that completion.")
    room: int | None = Field(
        default=None, description="How many ids the model takes beyond the longest prompt; null: enough."
    )
    training: bool = Field(default=False, description=_TRAINING + ", with dropout.")


class RolloutHookCase(_Generating):
    """Samples that go through the hooks of a packer."""

    kind: Literal["rollout-hook"] = Field(default="rollout-hook", description=KIND)
    hook: HookForm = Field(description="What the hooks do.")
    prompts: list[str] = Field(min_length=1, description=_PROMPTS)
    group: int = Field(default=1, ge=1, le=4, description=_GROUP)
    max_tokens: int = Field(default=2, ge=1, le=8, description=_MOST)


class GivenPromptCase(_Generating):
    """Samples of which some come with the ids to generate from."""

    kind: Literal["given-prompt"] = Field(default="given-prompt", description=KIND)
    prompt_ids: list[_IDS | None] = Field(min_length=1, description="The ids of each sample; null: none are given.")
    how: Literal[
        "to generate",
        "by the packer",
        "one entry less",
        "one entry more",
        "the last one empty",
        "to a packer that takes none",
    ] = Field(default="to generate", description="How they are handed over.")
    images: int = Field(default=0, ge=0, le=3, description="How many belong to the ids of each sample.")
    group: int = Field(default=1, ge=1, le=4, description=_GROUP)
    room: int | None = Field(
        default=None, description="How many ids the model takes beyond the longest prompt; null: enough."
    )


class SpoiledCase(_Generating):
    """A model that gives no logprob at some places."""

    kind: Literal["spoiled-logits"] = Field(default="spoiled-logits", description=KIND)
    prompts: list[str] = Field(min_length=1, description=_PROMPTS)
    spoiled: Literal["NaN", "an infinity"] = Field(description="What stands among the logits.")
    at: int = Field(default=0, ge=0, description="A place in the first sample's completion, from which on it does.")
    max_tokens: int = Field(default=3, ge=1, le=8, description=_MOST)


class RoutingCase(_Generating):
    """Samples that a model with routed experts generates from, or one without."""

    kind: Literal["routing-record"] = Field(default="routing-record", description=KIND)
    prompts: list[str] = Field(min_length=1, description=_PROMPTS)
    group: int = Field(default=1, ge=1, le=4, description=_GROUP)
    max_tokens: int = Field(default=2, ge=1, le=8, description=_MOST)
    replay: bool = Field(default=True, description="Whether routing is to be recorded.")
    experts: bool = Field(default=True, description="Whether the model has routed experts.")


class GroupCase(_Generating):
    """Samples of which some are equal, in groups of any size."""

    kind: Literal["group"] = Field(default="group", description=KIND)
    prompts: list[str] = Field(min_length=1, description=_PROMPTS)
    n: JsonValue = Field(default=1, description="What is asked for as the number of completions for each sample.")
    max_tokens: int = Field(default=2, ge=1, le=8, description=_MOST)
    short: int = Field(default=0, ge=0, description="Which sample's completion ends with its first id.")


class NoSamplesCase(Frozen):
    """A call without samples."""

    kind: Literal["no-samples"] = Field(default="no-samples", description=KIND)
    group: int = Field(default=1, ge=1, le=4, description=_GROUP)
    prompt_ids: bool = Field(default=False, description="Whether an empty list of ids comes with it.")


class RepeatedCase(_Generating):
    """Calls that are made twice, by bodies made alike, or one call whose draws are told apart."""

    kind: Literal["repeated"] = Field(default="repeated", description=KIND)
    prompts: list[str] = Field(min_length=1, description=_PROMPTS)
    seed: int | None = Field(default=0, description="The seed of the sampling; null: none, and draws are told apart.")
    group: int = Field(default=1, ge=1, le=4, description=_GROUP)
    calls: int = Field(default=1, ge=1, le=3, description="How many calls each body gets.")
    even: bool = Field(default=False, description="Whether all ids are equally likely, so that draws are told apart.")


class DrawsCase(_Generating):
    """Completions whose ids are held against the probabilities that they are to be drawn with."""

    kind: Literal["draws"] = Field(default="draws", description=KIND)
    prompts: list[str] = Field(min_length=1, description=_PROMPTS)
    group: int = Field(default=8, ge=1, le=16, description=_GROUP)
    max_tokens: int = Field(default=16, ge=1, le=32, description=_MOST)
    temperature: float = Field(default=1.0, gt=0, description="Divides the logits.")
    own_settings: bool = Field(
        default=False,
        description="Whether the model comes with settings for generation, of which sampling says nothing.",
    )
    unknown: str = Field(default="", description="A key of sampling that nobody knows; empty: there is none.")


class SpokenOfCase(Frozen):
    """A body that hands over text, made with a packer whose tokenizer adds special tokens, or adds none."""

    kind: Literal["spoken-of"] = Field(default="spoken-of", description=KIND)
    tokenizer: TinyTokenizer = Field(default="tiny-llama3", description=_TOKENIZER)
    guarded: bool = Field(default=True, description="Whether the packer says that it does.")


class MediaCase(_Generating):
    """A sample with media, and what its packer hands over of them."""

    kind: Literal["rollout-media"] = Field(default="rollout-media", description=KIND)
    images: int = Field(default=1, ge=1, le=3, description="How many.")
    entries: Literal["none", "data", "data and ids", "data, ids and settings"] = Field(
        default="data and ids", description="What the rollout input has beside the prompt."
    )
    group: int = Field(default=1, ge=1, le=4, description=_GROUP)


class UntouchedCase(_Generating):
    """A call after which its arguments are looked at, and what it gave."""

    kind: Literal["untouched"] = Field(default="untouched", description=KIND)
    prompts: list[str] = Field(min_length=1, description=_PROMPTS)
    given: bool = Field(default=False, description="Whether the samples come with ids.")
    group: int = Field(default=1, ge=1, le=4, description=_GROUP)
    refused: bool = Field(
        default=False, description="Whether prompt_ids are one too many, so that the call is refused."
    )
    experts: bool = Field(default=False, description="Whether the model has routed experts, which are recorded.")
    training: bool = Field(default=False, description=_TRAINING + ", but for one of its modules.")
