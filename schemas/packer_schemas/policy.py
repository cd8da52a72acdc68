"""What a packer hands to the objective: one policy input per sample, one batch per step."""

from typing import Annotated, Any, Literal, NotRequired, Self

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema, model_validator
from typing_extensions import TypedDict

from packer_schemas.tensor import BatchMask, BatchRouting, BatchTokenIds, RoutingRecord

__all__ = ["MaskEntry", "PolicyBatch", "RLPolicyInput", "RowUnit", "TokenId", "TokenIds"]

TokenId = Annotated[int, Field(ge=0, strict=True, description="A token id: a plain integer, never a bool.")]
TokenIds = list[TokenId]

MaskEntry = Annotated[int, Field(ge=0, le=1), WithJsonSchema({"enum": [0, 1, False, True]})]
"""0 or 1, or a bool (MASK-8)."""

RowUnit = Literal["patch", "tile", "image", "video", "sample"]
"""What one row of a media column is (IMAGE-18)."""

Range = tuple[Annotated[int, Field(ge=0)], Annotated[int, Field(ge=1)]]


class RLPolicyInput(BaseModel):
    """One sample, model-ready: ids and the mask over next-token predictions, as lists of equal length L.

    `logprob_masks[i]` speaks of the prediction made *at* position i, so `logprob_masks[:-1]` indexes the L-1
    next-token logprobs. Mutable on purpose: trainers overwrite masks of processed samples.

    Beyond what a schema checks: the lengths agree, and `forward_routing` has L-1 rows.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    input_ids: TokenIds = Field(description="Prompt ids, then completion ids; length L.")
    logprob_masks: list[MaskEntry] = Field(description="0 or 1 per position; length L.")
    forward_routing: RoutingRecord | None = Field(
        default=None, description="Recorded expert ids, one row per input position but the last."
    )
    mm_kwargs: dict[str, Any] = Field(default_factory=dict, description="Media columns for the model, by name.")
    mm_units: dict[str, RowUnit] = Field(default_factory=dict, description="Row unit of each media column, by name.")
    mm_ranges: dict[str, list[list[Range]]] = Field(
        default_factory=dict,
        description="Placeholders that each item owns: by kind (`image`, `video`), for each item its runs, each as "
        "first position and length in positions.",
    )

    @model_validator(mode="after")
    def _lengths_agree(self) -> Self:
        length = len(self.input_ids)
        if len(self.logprob_masks) != length:
            masks = len(self.logprob_masks)
            raise ValueError(f"expected {length} logprob_masks, one for each of the input_ids, got {masks}")
        if self.forward_routing is not None and len(self.forward_routing) != length - 1:
            rows = len(self.forward_routing)
            each = "one for each of the input_ids but the last"
            raise ValueError(f"expected {length - 1} rows of forward_routing, {each}, got {rows}")
        return self


class PolicyBatch(TypedDict):
    """A collated batch, right-padded to width L; every tensor on CPU and without grad."""

    input_ids: BatchTokenIds
    logprob_masks: BatchMask
    forward_replay_routing: NotRequired[BatchRouting]
    mm_owned_mask: NotRequired[BatchMask]
    mm_units: NotRequired[Annotated[dict[str, RowUnit], Field(description="Row unit of each media column, by name.")]]
    mm_row_counts: NotRequired[
        Annotated[
            dict[str, list[Annotated[int, Field(strict=True, ge=0)]]],
            Field(description="Rows of each media column that each sample owns; B entries a column."),
        ]
    ]
