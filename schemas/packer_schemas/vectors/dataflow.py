"""Vectors of what surrounds a packer's rows: recorded routing, sharding, and the wire."""

from typing import Annotated, Literal

from pydantic import Field, JsonValue, StrictBool, StrictFloat, StrictInt, StrictStr

from packer_schemas.policy import TokenIds
from packer_schemas.vectors.parts import Array, Frozen, Vector, VectorFile

__all__ = ["RoutingVector", "RoutingVectors", "ShardingVector", "ShardingVectors", "WireVector", "WireVectors"]

Count = Annotated[StrictInt, Field(ge=0)]


class RoutingVectorSample(Frozen):
    """A sample of L ids with its record."""

    input_ids: TokenIds
    record: Array | None = Field(description="Integer [L-1, layers, top_k]; null where nothing was recorded.")


class BatchVectorInput(Frozen):
    """Samples to be collated at a width."""

    kind: Literal["batch"]
    samples: list[RoutingVectorSample]
    max_len: StrictInt


class CutVectorInput(Frozen):
    """A sample of which the positions start to stop - 1 are kept."""

    kind: Literal["cut"]
    sample: RoutingVectorSample
    start: Count
    stop: Count


class JoinVectorInput(Frozen):
    """Samples that become one row, one after the other."""

    kind: Literal["join"]
    samples: list[RoutingVectorSample]


class TurnsVectorInput(Frozen):
    """Two turns of one conversation, of which the later one repeats the beginning of the earlier."""

    kind: Literal["turns"]
    earlier: RoutingVectorSample
    later: RoutingVectorSample
    first_row: Count = Field(description="Position that the first row of the later turn's record belongs to.")


class BatchVectorExpected(Frozen):
    """The batch's routing."""

    routing: Array | None = Field(description="Integer [B, max_len, layers, top_k]; null where there is none.")


class RecordVectorExpected(Frozen):
    """Ids, and the record that goes with them."""

    input_ids: TokenIds
    record: Array


class RoutingVector(Vector):
    """Routing of a batch, or of ids that were cut or joined."""

    input: BatchVectorInput | CutVectorInput | JoinVectorInput | TurnsVectorInput = Field(discriminator="kind")
    expected: BatchVectorExpected | RecordVectorExpected | None = None


class RoutingVectors(VectorFile):
    """Vectors of chapter routing."""

    schema_url: Literal["https://packproof.dev/schemas/v1/vectors-routing.json"] = Field(alias="$schema")
    vectors: list[RoutingVector] = Field(min_length=1)


class StreamsVectorInput(Frozen):
    """One epoch, to be dealt out to workers."""

    kind: Literal["streams"]
    order: list[StrictInt] = Field(description="The items of the epoch, in its order.")
    dp_world_size: Count
    num_workers: Count = Field(description="Worker processes of each rank; 0 is one stream without any.")


class PartitionVectorInput(Frozen):
    """Data sets, to be given ranks."""

    kind: Literal["partition"]
    ratios: list[tuple[str, StrictInt | StrictFloat | StrictBool | StrictStr]] = Field(
        description="Name and ratio of each set, in their order; a ratio is a decimal number."
    )
    dp_world_size: Count


class StreamItems(Frozen):
    """What one worker of one rank reads."""

    dp_rank: Count
    worker_id: Count
    items: list[StrictInt]


class StreamsVectorExpected(Frozen):
    """What every worker of every rank reads, in the order of the stream numbers."""

    streams: list[StreamItems]


class Shard(Frozen):
    """The ranks of one data set; the place of a rank in `dp_ranks` is its `shard_rank`."""

    name: str
    shard_id: Count
    shard_world_size: Count
    dp_ranks: list[Count]


class PartitionVectorExpected(Frozen):
    """The data sets that get ranks, in their order."""

    shards: list[Shard]


class ShardingVector(Vector):
    """Items dealt out to workers, or ranks to data sets."""

    input: StreamsVectorInput | PartitionVectorInput = Field(discriminator="kind")
    expected: StreamsVectorExpected | PartitionVectorExpected | None = None


class ShardingVectors(VectorFile):
    """Vectors of sharding, in chapter dataflow."""

    schema_url: Literal["https://packproof.dev/schemas/v1/vectors-sharding.json"] = Field(alias="$schema")
    vectors: list[ShardingVector] = Field(min_length=1)


class Settings(Frozen):
    """How the segments of a packed field become a model input."""

    preprocess_mode: Literal["pad_to_max_shape", "patchify"] | None
    preprocess_kwargs: dict[str, StrictInt] = Field(description="patch_dim, where the mode is patchify.")


class EncodeVectorInput(Settings):
    """A packed field, to be sent."""

    kind: Literal["encode"]
    field: str
    rows: list[list[Array]] = Field(description="The segments of each logical row.")
    dim_to_pack: StrictInt
    sample_count: Count


class Jagged(Frozen):
    """Rows of different lengths in one flat value."""

    dtype: str
    values: list[StrictInt | float]
    offsets: list[Count] = Field(min_length=1, description="Row i is values[offsets[i] : offsets[i + 1]].")


class RowShapes(Settings):
    """The tag of one sample: what flattening took away."""

    shapes: list[list[Count]] = Field(description="Shape of each segment of the row.")


class DecodeVectorInput(Frozen):
    """A packed field as it arrives."""

    kind: Literal["decode"]
    field: str
    jagged: Jagged
    tags: list[dict[str, JsonValue]] | None = Field(
        description="By FIELD__row_shapes, for each sample; may be spoiled."
    )


class EncodeVectorExpected(Frozen):
    """What is sent; both null where there is nothing to send."""

    jagged: Jagged | None
    tags: list[dict[str, RowShapes]] | None


class DecodeVectorExpected(Settings):
    """The packed field, put together again."""

    rows: list[list[Array]]


class WireVector(Vector):
    """A packed field on its way out or in."""

    input: EncodeVectorInput | DecodeVectorInput = Field(discriminator="kind")
    expected: EncodeVectorExpected | DecodeVectorExpected | None = None


class WireVectors(VectorFile):
    """Vectors of chapter wire."""

    schema_url: Literal["https://packproof.dev/schemas/v1/vectors-wire.json"] = Field(alias="$schema")
    vectors: list[WireVector] = Field(min_length=1)
