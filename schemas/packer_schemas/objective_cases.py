"""Cases for the rules that bind an objective: what was recorded of the rows that it scores, and how it is called."""

from typing import Annotated, Literal

from pydantic import Field

from packer_schemas.case_parts import KIND, Frozen

__all__ = [
    "BatchField",
    "CalledTwiceCase",
    "ClippedCase",
    "DividedCase",
    "FieldsCase",
    "Filler",
    "FillerCase",
    "GradientCase",
    "HandedOverCase",
    "HandedRow",
    "ObjectiveKind",
    "PairedCase",
    "RearrangedCase",
    "RecordedTurn",
    "RewardsCase",
    "ScoredCase",
    "ScoredRow",
    "StreamCase",
    "TurnsCase",
    "UnshapedCase",
    "WeightlessCase",
]

ObjectiveKind = Literal["clipped", "policy_gradient"]

_Id = Annotated[int, Field(ge=0, lt=512, strict=True, description="A token id of the model that is scored with.")]
_Ids = list[_Id]
_Finite = Annotated[float, Field(ge=-1000, le=1000, allow_inf_nan=False)]
_Ratio = Annotated[float, Field(gt=0, le=1000, allow_inf_nan=False)]

_OBJECTIVE = "Kind of the objective."
_ROWS = "What is scored, in the order of the trajectories."
_PACKER = "Whether the objective has a packer; without one it shapes the rows itself."
_IGNORED = "Completion tokens left out of the loss, from the front; a value out of range is a case too."
_SAMPLED = "1 for each completion id that was sampled, else 0; null: the key is absent."
_FROM = "Whether advantages are handed over, or made from rewards in a group."


class ScoredRow(Frozen):
    """A trajectory of one turn, of which everything was recorded."""

    prompt_ids: _Ids = Field(min_length=1, description="Ids generated from.")
    completion_ids: _Ids = Field(description="Ids sampled.")
    n_ignore_prefix_tokens: int = Field(default=0, description=_IGNORED)
    advantage: _Finite = Field(default=1.0, description="Its advantage, a number.")
    ratios: list[_Ratio] = Field(
        default=[], description="What the trainer's probability of each completion id is to the recorded one; 1 beyond."
    )
    sampled: list[Literal[0, 1]] | None = Field(default=None, description=_SAMPLED)
    logprobs: bool = Field(default=True, description="Whether its logprobs were recorded.")


class HandedRow(Frozen):
    """A trajectory of which only some was recorded."""

    prompt: str = Field(default="a", min_length=1, description="The text of its sample.")
    prompt_ids: _Ids | None = Field(default=None, description="Stored prompt ids; null: the key is absent.")
    completion: str | _Ids = Field(default="b", description="The completion itself.")
    completion_ids: _Ids | None = Field(default=None, description="Stored completion ids; null: the key is absent.")
    n_ignore_prefix_tokens: int = Field(default=0, ge=0, description=_IGNORED)


class HandedOverCase(Frozen):
    """Trajectories whose ids and texts go to a packer."""

    kind: Literal["handed-over"] = Field(default="handed-over", description=KIND)
    objective: ObjectiveKind = Field(default="policy_gradient", description=_OBJECTIVE)
    rows: list[HandedRow] = Field(min_length=1, description=_ROWS)


class ScoredCase(Frozen):
    """Trajectories to be scored."""

    kind: Literal["scored"] = Field(default="scored", description=KIND)
    objective: ObjectiveKind = Field(default="clipped", description=_OBJECTIVE)
    with_packer: bool = Field(default=True, description=_PACKER)
    rows: list[ScoredRow] = Field(min_length=1, description=_ROWS)


class CalledTwiceCase(Frozen):
    """Trajectories that are scored twice, by a model on the CPU or on an accelerator."""

    kind: Literal["called-twice"] = Field(default="called-twice", description=KIND)
    objective: ObjectiveKind = Field(default="clipped", description=_OBJECTIVE)
    with_packer: bool = Field(default=True, description=_PACKER)
    rows: list[ScoredRow] = Field(min_length=1, description=_ROWS)
    turns: bool = Field(default=False, description="Whether each is recorded as two turns, the second a continuation.")
    advantages_from: Literal["numbers", "rewards"] = Field(default="numbers", description=_FROM)
    on_accelerator: bool = Field(default=False, description="Whether the model is on an accelerator.")


class UnshapedCase(Frozen):
    """Trajectories, one of which cannot be shaped without a packer."""

    kind: Literal["unshaped"] = Field(default="unshaped", description=KIND)
    objective: ObjectiveKind = Field(default="clipped", description=_OBJECTIVE)
    lacks: Literal["prompt_ids", "prompt_ids that are not empty", "completion_ids", "media"] = Field(
        description="What it lacks; of media it has a placeholder in its prompt."
    )
    place: int = Field(default=0, ge=0, le=7, description="How many trajectories stand before it.")
    after: int = Field(default=0, ge=0, le=7, description="How many stand behind it.")


BatchField = Literal[
    "pixel_values",
    "image_grid_thw",
    "position_ids",
    "mm_token_type_ids",
    "mm_token_type_ids of zeros",
    "mm_owned_mask",
    "mm_row_counts",
    "mm_units",
    "mm_ranges",
    "forward_replay_routing",
]
"""What a packer adds to a batch beside ids and mask."""


class FieldsCase(Frozen):
    """A batch with more than ids and mask, and a model that takes it or does not."""

    kind: Literal["fields"] = Field(default="fields", description=KIND)
    objective: ObjectiveKind = Field(default="clipped", description=_OBJECTIVE)
    fields: list[BatchField] = Field(default=[], description="What the packer adds to the batch.")
    media: Literal["absent", "empty", "mm_kwargs", "media"] = Field(
        default="absent", description="What the policy inputs have of media."
    )
    whole_batches: bool = Field(default=False, description="Whether the model has forward_policy_batch.")
    routing_replay: bool = Field(default=False, description="Whether routing is replayed.")


class GradientCase(Frozen):
    """Trajectories whose logits are looked at, and what stands in logits that are not selected."""

    kind: Literal["gradient"] = Field(default="gradient", description=KIND)
    objective: ObjectiveKind = Field(default="policy_gradient", description=_OBJECTIVE)
    rows: list[ScoredRow] = Field(min_length=1, description=_ROWS)
    unselected: Literal["numbers", "NaN", "infinity"] = Field(
        default="numbers", description="What stands in logits that are not selected."
    )


class RearrangedCase(Frozen):
    """Trajectories that are scored twice: as they are, and in another order and width."""

    kind: Literal["rearranged"] = Field(default="rearranged", description=KIND)
    objective: ObjectiveKind = Field(default="clipped", description=_OBJECTIVE)
    rows: list[ScoredRow] = Field(min_length=1, description=_ROWS)
    rotated: int = Field(default=0, ge=0, le=7, description="How many rows move from the front to the end.")
    backwards: bool = Field(default=False, description="Whether the order is reversed then.")
    extra_width: int = Field(default=0, ge=0, le=64, description="Columns of fill beyond the longest row.")
    advantages_from: Literal["numbers", "rewards"] = Field(default="numbers", description=_FROM)


class PairedCase(Frozen):
    """Trajectories, in one stream of which one entry after the other is changed."""

    kind: Literal["paired"] = Field(default="paired", description=KIND)
    objective: ObjectiveKind = Field(default="clipped", description=_OBJECTIVE)
    stream: Literal["logprobs", "advantages"] = Field(default="logprobs", description="The stream.")
    rows: list[ScoredRow] = Field(min_length=1, description=_ROWS)


class StreamCase(Frozen):
    """A stream with a defect in one trajectory of several."""

    kind: Literal["stream"] = Field(default="stream", description=KIND)
    objective: ObjectiveKind = Field(default="clipped", description=_OBJECTIVE)
    stream: Literal["logprobs", "advantages", "an advantage"] = Field(
        default="logprobs", description="The stream; an advantage may be a list of entries, or one number."
    )
    defect: Literal[
        "absent", "absent and marked", "one too few", "one too many", "None", "NaN", "infinity", "too large"
    ] = Field(description="What is wrong with it; marked as missing, or at one entry. Too large is 1e39.")
    ignored: int = Field(default=0, ge=0, le=3, description="Completion tokens left out of the loss, from the front.")
    unsampled: int = Field(
        default=0, ge=0, le=3, description="Completion ids that the model did not sample, counted from the last one."
    )
    length: int = Field(default=2, ge=1, le=6, description="Number of completion ids.")
    entry: int = Field(default=0, ge=0, le=5, description="Which entry, counted from the first, and round again.")
    place: int = Field(default=0, ge=0, le=7, description="How many trajectories stand before it.")


class DividedCase(Frozen):
    """A step whose trajectories are scored in parts, or all at once."""

    kind: Literal["divided"] = Field(default="divided", description=KIND)
    objective: ObjectiveKind = Field(default="clipped", description=_OBJECTIVE)
    rows: list[ScoredRow] = Field(min_length=1, description=_ROWS)
    denominator: Literal["of the call", "of the step", "one", "zero", "below zero"] = Field(
        default="of the call", description="Which denominator is given; none for that of the call."
    )
    part: int = Field(default=1, ge=1, le=8, description="Rows of a part, where the denominator is that of the step.")
    logits: Literal["float32", "bfloat16", "float16"] = Field(default="float32", description="Type of the logits.")


class WeightlessCase(Frozen):
    """Trajectories to which others without any selected prediction are added."""

    kind: Literal["weightless"] = Field(default="weightless", description=KIND)
    objective: ObjectiveKind = Field(default="clipped", description=_OBJECTIVE)
    rows: list[ScoredRow] = Field(default=[], description=_ROWS)
    added: list[Literal["no completion", "all ignored", "none sampled"]] = Field(
        default=[], description="What is added behind them."
    )
    advantages_from: Literal["numbers", "rewards"] = Field(default="numbers", description=_FROM)
    denominator: bool = Field(default=False, description="Whether a denominator is given, where nothing is selected.")


class Filler(Frozen):
    """A filler row, made of another row."""

    of: int = Field(default=0, ge=0, le=7, description="Which row it is a copy of, counted round.")
    place: int = Field(default=0, ge=0, le=7, description="Before which row it stands, counted round.")
    reward: bool = Field(default=True, description="Whether it has a reward, and is not None.")
    logprobs: bool = Field(default=True, description="Whether it has logprobs.")
    turns: bool = Field(default=False, description="Whether it is recorded as two turns, the second a continuation.")


class FillerCase(Frozen):
    """Trajectories among which filler rows stand; without rows, there are no others."""

    kind: Literal["filler"] = Field(default="filler", description=KIND)
    objective: ObjectiveKind = Field(default="clipped", description=_OBJECTIVE)
    rows: list[ScoredRow] = Field(default=[], description=_ROWS)
    fillers: list[Filler] = Field(min_length=1, description="The filler rows.")
    advantages_from: Literal["numbers", "rewards"] = Field(default="numbers", description=_FROM)


class RewardsCase(Frozen):
    """Rewards in groups, one for each trajectory."""

    kind: Literal["rewards"] = Field(default="rewards", description=KIND)
    rewards: list[_Finite | Literal["NaN", "infinity"] | None] = Field(
        min_length=1, max_length=12, description="The reward of each trajectory; null: none."
    )
    groups: list[int | str] = Field(description="The label of each trajectory.")
    broken: int | None = Field(
        default=None, ge=0, le=11, description="Which has two turns of which the second begins a new row; null: none."
    )
    eps: float | None = Field(
        default=None, ge=-1, le=1, allow_inf_nan=False, description="What is added to the deviation; null: the default."
    )


class ClippedCase(Frozen):
    """Predictions with ratios and advantages, for the clipped objective."""

    kind: Literal["clipped"] = Field(default="clipped", description=KIND)
    rows: list[ScoredRow] = Field(min_length=1, description=_ROWS)
    clip_low: float = Field(default=0.2, ge=-1, le=2, allow_inf_nan=False, description="How far below 1 the clip is.")
    clip_high: float = Field(default=0.2, ge=-1, le=2, allow_inf_nan=False, description="How far above 1 it is.")


class RecordedTurn(Frozen):
    """What was recorded of one call of the engine."""

    prompt_ids: _Ids = Field(min_length=1, description="Ids generated from.")
    completion_ids: _Ids = Field(description="Ids sampled, and those that were added to them.")
    sampled: list[int] | None = Field(default=None, description=_SAMPLED)


class TurnsCase(Frozen):
    """One trajectory of several turns; one turn alone is recorded as a trajectory of a single turn is."""

    kind: Literal["turns"] = Field(default="turns", description=KIND)
    objective: ObjectiveKind = Field(default="clipped", description=_OBJECTIVE)
    with_packer: bool = Field(default=True, description=_PACKER)
    turns: list[RecordedTurn] = Field(min_length=1, max_length=6, description="The turns, in order.")
    n_ignore_prefix_tokens: int = Field(default=0, ge=0, description=_IGNORED)
    advantages: Literal["lists", "numbers"] = Field(
        default="lists", description="Whether a trajectory's advantage is a list of entries, or one number."
    )
    routed: bool = Field(default=False, description="Whether each turn has recorded routing, which is replayed.")
    text: bool = Field(
        default=False, description="Whether the completion of the one turn is a text, of which no ids are stored."
    )
