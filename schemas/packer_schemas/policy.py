"""What a packer hands to the objective: one policy input per sample, one batch per step."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NotRequired, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator
from typing_extensions import TypedDict

from packer_schemas.tensor import BatchMask, BatchRouting, BatchTokenIds, RoutingRecord

__all__ = ["AgreeingBatch", "MaskEntry", "PolicyBatch", "RLPolicyInput", "RowUnit", "TokenId", "TokenIds"]

TokenId = Annotated[int, Field(ge=0, strict=True, description="A token id: a plain integer, never a bool.")]
TokenIds = list[TokenId]


def _number(value: Any) -> Any:
    return int(value) if type(value) is bool else value


MaskEntry = Annotated[int, BeforeValidator(_number), Field(ge=0, le=1), WithJsonSchema({"enum": [0, 1, False, True]})]
"""0 or 1, or a bool (MASK-8), which is read as its number."""

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
    """A collated batch, right-padded to width L; every tensor on CPU and without grad.

    Beyond what a schema checks: there is at least one row, all tensors have the same B and L, no id is negative,
    `mm_row_counts` has B entries a column.
    """

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


def _expect_agreement(batch: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the batch if its entries speak of the same rows and positions."""
    ids = batch["input_ids"]
    rows, width = ids.shape
    if rows < 1:
        raise ValueError("expected at least one row of input_ids, got 0")
    if width and int(ids.min()) < 0:
        raise ValueError(f"expected token ids of at least 0 in input_ids, got {int(ids.min())}")
    for name in ("logprob_masks", "forward_replay_routing", "mm_owned_mask"):
        shape = batch[name].shape if name in batch else ids.shape
        if shape[:2] != ids.shape:
            expected = [*ids.shape, *shape[2:]]
            raise ValueError(f"expected {name} of shape {expected}, as input_ids, got {list(shape)}")
    for name, counts in batch.get("mm_row_counts", {}).items():
        if len(counts) != rows:
            raise ValueError(f"expected {rows} entries in mm_row_counts[{name!r}], one for each row, got {len(counts)}")
    return batch


AgreeingBatch = Annotated[PolicyBatch, AfterValidator(_expect_agreement)]
"""A policy batch whose entries are also compared with each other, which the class alone cannot do."""
