"""Cases of chapter routing: samples with what was recorded of them, and what is done with the records."""

from typing import Annotated, Literal

from pydantic import Field

from packer_schemas.case_parts import KIND, Frozen, OnModel
from packer_schemas.plain_array import Array
from packer_schemas.policy import TokenIds

__all__ = [
    "RECORD_FIELDS",
    "RecordContainer",
    "RoutedSample",
    "RoutingBatchCase",
    "RoutingMoveCase",
    "RoutingReplayCase",
    "RoutingTrajectoryCase",
    "RoutingTurnsCase",
]

RecordContainer = Literal["tensor", "numpy", "list", "meta tensor"]

RECORD_FIELDS = ("record", "earlier_record", "later_record", "routing")
"""Fields of these cases that hold expert ids, which are no token ids."""

_RECORD = "Expert ids [rows, layers, top_k]; null: nothing was recorded."
_EXPERTS = "Number of experts of a layer, where it is known; null: it is not."
_Size = Annotated[int, Field(ge=1)]


class RoutedSample(Frozen):
    """A sample of prompt and completion ids, with the experts that were recorded for it."""

    prompt_ids: TokenIds = Field(min_length=1, description="Ids generated from.")
    completion: TokenIds = Field(description="Ids generated.")
    record: Array | None = Field(default=None, description=_RECORD)
    container: RecordContainer = Field(default="tensor", description="What the record is handed over in.")


class RoutingBatchCase(OnModel):
    """Samples with records, to be collated at the longest row plus `extra_width`."""

    kind: Literal["routing-batch"] = Field(default="routing-batch", description=KIND)
    samples: list[RoutedSample] = Field(min_length=1, description="The samples in the order of their rows.")
    extra_width: int = Field(default=0, ge=0, description="Columns of padding beyond the longest row, in tokens.")
    experts: _Size | None = Field(default=None, description=f"{_EXPERTS} The model's configuration says so.")


class RoutingTrajectoryCase(OnModel):
    """A trajectory with a record, to be shaped into a policy input."""

    kind: Literal["routing-trajectory"] = Field(default="routing-trajectory", description=KIND)
    sample: RoutedSample = Field(description="The ids that the rollout recorded, and their experts.")
    policy_input: Literal["own", "without room", "mapping"] = Field(
        default="own", description="What the packer makes of it: its own, one of ids and mask alone, or a mapping."
    )


class RoutingMoveCase(OnModel):
    """Samples that are joined into one row, and the first of which is cut."""

    kind: Literal["routing-move"] = Field(default="routing-move", description=KIND)
    samples: list[RoutedSample] = Field(min_length=1, description="The samples, in the order they are joined in.")
    start: int = Field(default=0, description="First position kept of the first sample.")
    end: int = Field(default=1, description="The position behind the last one kept.")


class RoutingReplayCase(Frozen):
    """A policy batch of some rows and width, for a model of some layers, top_k and experts."""

    kind: Literal["routing-replay"] = Field(default="routing-replay", description=KIND)
    rows: _Size = Field(description="Rows of the batch.")
    width: _Size = Field(description="Positions of a row.")
    routing: Array | None = Field(description="What the batch holds under its key; null: None, or no such key.")
    layers: _Size = Field(description="Layers that the model replays.")
    top_k: _Size = Field(description="Experts of a token in each of them.")
    experts: _Size | None = Field(default=None, description=_EXPERTS)


class RoutingTurnsCase(Frozen):
    """Two turns of one rollout, of which the later one may repeat the beginning of the earlier."""

    kind: Literal["routing-turns"] = Field(default="routing-turns", description=KIND)
    earlier_ids: TokenIds = Field(min_length=1, description="All ids of the earlier turn.")
    earlier_record: Array | None = Field(default=None, description=_RECORD)
    later_ids: TokenIds = Field(min_length=1, description="All ids of the later turn.")
    later_record: Array | None = Field(default=None, description=_RECORD)
    first_row: int = Field(default=0, description="Position that the later turn's first row belongs to.")
