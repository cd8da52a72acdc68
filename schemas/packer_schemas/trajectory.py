"""What a rollout records: the observation, the completion, and the ids it was generated from."""

import math
from collections.abc import Mapping
from typing import Annotated, Any, NotRequired, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PlainSerializer,
    SerializationInfo,
    model_validator,
    with_config,
)
from typing_extensions import TypedDict

from packer_schemas.fields import Count
from packer_schemas.observation import ObsBundle
from packer_schemas.policy import TokenIds
from packer_schemas.tensor import RoutingRecord, is_tensor

__all__ = ["PolicyInfo", "Trajectory", "Turn"]


Logprobs = Annotated[list[float], Field(description="Natural log probability of each completion id; finite.")]
Routed = Annotated[
    RoutingRecord | None,
    Field(description="Recorded expert ids, one row per id but the last; null as if absent: nothing was recorded."),
]
Sampled = Annotated[
    list[Annotated[int, Field(ge=0, le=1)]], Field(description="1 for each completion id that the model sampled.")
]


@with_config(ConfigDict(extra="allow", arbitrary_types_allowed=True))
class Turn(TypedDict):
    """One call of the engine in a rollout of several turns."""

    prompt_ids: Annotated[TokenIds, Field(min_length=1, description="Ids generated from.")]
    completion_ids: Annotated[TokenIds, Field(description="Ids sampled, stop token included.")]
    logprobs: NotRequired[Logprobs]
    rollout_routed_experts: NotRequired[Routed]
    sampled: NotRequired[Sampled]


@with_config(ConfigDict(extra="allow", arbitrary_types_allowed=True))
class PolicyInfo(TypedDict):
    """What the engine recorded while generating, and what later steps added. Ids are data: they outrank any text."""

    prompt_ids: NotRequired[Annotated[TokenIds, Field(min_length=1, description="Ids generated from.")]]
    completion_ids: NotRequired[Annotated[TokenIds, Field(description="Ids sampled, stop token included.")]]
    logprobs: NotRequired[Logprobs]
    logprobs_missing: NotRequired[
        Annotated[
            list[Count], Field(description="In the place of `logprobs`: positions in the completion that have none.")
        ]
    ]
    rollout_routed_experts: NotRequired[Routed]
    n_ignore_prefix_tokens: NotRequired[
        Annotated[Count, Field(description="Completion tokens left out of the loss, from the front; 0 if absent.")]
    ]
    sampled: NotRequired[Sampled]
    turns: NotRequired[
        Annotated[list[Turn], Field(description="In the place of the ids: every call of the engine, in order.")]
    ]
    reference_logprobs: NotRequired[
        Annotated[list[float], Field(description="Natural log probability of each scored prediction, reference model.")]
    ]
    filler: NotRequired[
        Annotated[bool, Field(strict=True, description="Whether the row is a filler; false if absent.")]
    ]


def _written(info: Any, how: SerializationInfo) -> dict[str, Any]:
    """All keys, which pydantic before 2.12 does not write of itself; in JSON, tensors are nested lists."""
    return _with_lists(info) if how.mode == "json" else info


def _with_lists(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _with_lists(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_with_lists(item) for item in value]
    return value.tolist() if is_tensor(value) else value


class Trajectory(BaseModel):
    """One rollout of one sample.

    Beyond what a schema checks, in `policy_info` and in each of its turns: logprobs are finite, and stand there or are
    marked as missing. Where `completion_ids` are given, `logprobs` and `sampled` have an entry for each of them, and
    ignored and missing places lie within them; with `prompt_ids` besides, a routing record has a row for each id of
    both but the last.
    """

    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=True)

    obs: ObsBundle = Field(description="The sample that the rollout answers.")
    completion: str | TokenIds = Field(description="Generated text, or the generated ids.")
    policy_info: Annotated[PolicyInfo, PlainSerializer(_written)] = Field(
        default_factory=PolicyInfo, description="What the engine recorded; other keys are allowed."
    )
    reward: float | None = Field(default=None, allow_inf_nan=False, description="Scalar reward, if scored.")

    @model_validator(mode="after")
    def _records_agree(self) -> Self:
        _expect_agreement("policy_info", self.policy_info)
        for number, turn in enumerate(self.policy_info.get("turns", ())):
            _expect_agreement(f"policy_info.turns[{number}]", turn)
        return self


def _expect_agreement(where: str, info: Mapping[str, Any]) -> None:
    """Refuse a record whose streams are not of its ids, or hold no numbers; absent ones agree with everything."""
    ids, prompt = info.get("completion_ids"), info.get("prompt_ids")
    for name in ("logprobs", "sampled"):
        if ids is not None and name in info and len(info[name]) != len(ids):
            each = "one for each of the completion_ids"
            raise ValueError(f"expected {len(ids)} {name} in {where}, {each}, got {len(info[name])}")
    for name in ("logprobs", "reference_logprobs"):
        for at, value in enumerate(info.get(name, ())):
            if not math.isfinite(value):
                raise ValueError(f"expected a finite number in {where}.{name}[{at}], got {value}")
    if "logprobs" in info and "logprobs_missing" in info:
        raise ValueError(f"expected logprobs or logprobs_missing in {where}, got both")
    record = info.get("rollout_routed_experts")
    if record is not None and ids is not None and prompt is not None:
        rows = len(prompt) + len(ids) - 1
        if len(record) != rows:
            each = f"one for each of {len(prompt)} prompt_ids and {len(ids)} completion_ids but the last"
            raise ValueError(f"expected {rows} rows of rollout_routed_experts in {where}, {each}, got {len(record)}")
    if ids is not None:
        _expect_within(where, info, len(ids))


def _expect_within(where: str, info: Mapping[str, Any], length: int) -> None:
    ignored = info.get("n_ignore_prefix_tokens", 0)
    if ignored > length:
        raise ValueError(
            f"expected n_ignore_prefix_tokens in {where} up to {length}, the completion_ids, got {ignored}"
        )
    for at, position in enumerate(info.get("logprobs_missing", ())):
        if position >= length:
            each = f"a position among {length} completion_ids"
            raise ValueError(f"expected {each} in {where}.logprobs_missing[{at}], got {position}")
