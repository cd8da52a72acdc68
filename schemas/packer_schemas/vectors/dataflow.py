"""Vectors of what surrounds a packer's rows: recorded routing, and sharding."""

from typing import Literal

from pydantic import Field, StrictBool, StrictFloat, StrictInt, StrictStr

from packer_schemas.policy import TokenIds
from packer_schemas.vectors.parts import Array, Count, Frozen, Vector, VectorFile

__all__ = ["RoutingVector", "RoutingVectors", "ShardingVector", "ShardingVectors"]


class RoutingVectorSample(Frozen):
    """A sample of L ids with its record."""

    input_ids: TokenIds = Field(description="L ids.")
    record: Array | None = Field(description="Integer [L-1, layers, top_k]; null where nothing was recorded.")


class BatchVectorInput(Frozen):
    """Samples to be collated at a width."""

    kind: Literal["batch"] = Field(description="Kind of input.")
    samples: list[RoutingVectorSample] = Field(description="The samples, in the order of the batch's rows.")
    max_len: StrictInt = Field(description="Width asked for, in tokens.")
    experts: Count | None = Field(default=None, description="E, where the packer knows it.")


class CutVectorInput(Frozen):
    """A sample of which the positions start to stop - 1 are kept."""

    kind: Literal["cut"] = Field(description="Kind of input.")
    sample: RoutingVectorSample = Field(description="The sample that is cut.")
    start: StrictInt = Field(description="First position kept, counted from 0.")
    stop: StrictInt = Field(description="The position behind the last one kept.")


class JoinVectorInput(Frozen):
    """Samples that become one row, one after the other."""

    kind: Literal["join"] = Field(description="Kind of input.")
    samples: list[RoutingVectorSample] = Field(description="The samples, in the order in which they are joined.")


class TurnsVectorInput(Frozen):
    """Two turns of one conversation, of which the later one repeats the beginning of the earlier."""

    kind: Literal["turns"] = Field(description="Kind of input.")
    earlier: RoutingVectorSample = Field(description="The earlier turn.")
    later: RoutingVectorSample = Field(description="The later turn.")
    first_row: StrictInt = Field(description="Position that the first row of the later turn's record belongs to.")


class BatchVectorExpected(Frozen):
    """The batch's routing."""

    routing: Array | None = Field(description="Integer [B, max_len, layers, top_k]; null where there is none.")


class RecordVectorExpected(Frozen):
    """Ids, and the record that goes with them; null where none of the sequences had one."""

    input_ids: TokenIds = Field(description="L ids.")
    record: Array | None = Field(description="Integer [L-1, layers, top_k]; null where there was none.")


class RoutingVector(Vector):
    """Routing of a batch, or of ids that were cut or joined."""

    input: BatchVectorInput | CutVectorInput | JoinVectorInput | TurnsVectorInput = Field(
        discriminator="kind", description="What goes in."
    )
    expected: BatchVectorExpected | RecordVectorExpected | None = Field(
        default=None, description="What comes out; left out or null where the input is refused."
    )


class RoutingVectors(VectorFile):
    """Vectors of chapter routing."""

    schema_url: Literal["https://packproof.dev/schemas/v1/vectors-routing.json"] = Field(
        alias="$schema", description="The schema of this file."
    )
    vectors: list[RoutingVector] = Field(min_length=1, description="The vectors, in the order of their numbers.")


class StreamsVectorInput(Frozen):
    """One epoch, to be dealt out to workers."""

    kind: Literal["streams"] = Field(description="Kind of input.")
    order: list[StrictInt] = Field(description="The items of the epoch, in its order.")
    dp_world_size: Count = Field(description="Number of data-parallel ranks.")
    num_workers: Count = Field(description="Worker processes of each rank; 0 is one stream without any.")


class StreamVectorInput(Frozen):
    """One stream of an epoch, by the coordinates that it is handed."""

    kind: Literal["stream"] = Field(description="Kind of input.")
    order: list[StrictInt] = Field(description="The items of the epoch, in its order.")
    dp_rank: StrictInt = Field(description="Data-parallel rank.")
    dp_world_size: StrictInt = Field(description="Number of data-parallel ranks.")
    worker_id: StrictInt = Field(description="Number of the worker.")
    num_workers: StrictInt = Field(description="W: the number of streams of a rank, 1 without worker processes.")


class BlockVectorInput(Frozen):
    """One rank of the block of a data set."""

    kind: Literal["block"] = Field(description="Kind of input.")
    items: list[StrictInt] = Field(description="All of the data set, or with `split` what it gives this rank.")
    shard_rank: Count = Field(description="Place of the rank in the block.")
    shard_world_size: Count = Field(description="Number of ranks in the block.")
    num_workers: Count = Field(description="Worker processes of each rank; 0 is one stream without any.")
    split: StrictBool = Field(description="Whether the data set has split itself by shard_rank.")


class PartitionVectorInput(Frozen):
    """Data sets, to be given ranks."""

    kind: Literal["partition"] = Field(description="Kind of input.")
    ratios: list[tuple[str, StrictInt | StrictFloat | StrictBool | StrictStr]] = Field(
        description="Name and ratio of each set, in their order; a ratio is a decimal number."
    )
    dp_world_size: Count = Field(description="Number of data-parallel ranks.")


class StreamItems(Frozen):
    """What one worker of one rank reads."""

    dp_rank: Count = Field(description="Data-parallel rank, counted from 0.")
    worker_id: Count = Field(description="Number of the worker, counted from 0.")
    items: list[StrictInt] = Field(description="Its items, in the order in which it reads them.")


class StreamsVectorExpected(Frozen):
    """What every worker of every rank reads, in the order of the stream numbers."""

    streams: list[StreamItems] = Field(description="One entry per stream.")


class StreamVectorExpected(Frozen):
    """The items of the stream in one epoch."""

    items: list[StrictInt] = Field(description="The items, in order.")


class WorkerItems(Frozen):
    """What one worker reads."""

    worker_id: Count = Field(description="Number of the worker.")
    items: list[StrictInt] = Field(description="The items, in order.")


class BlockVectorExpected(Frozen):
    """What every worker of the rank reads."""

    workers: list[WorkerItems] = Field(description="One entry per worker.")


class Shard(Frozen):
    """The ranks of one data set; the place of a rank in `dp_ranks` is its `shard_rank`."""

    name: str = Field(description="Name of the data set.")
    shard_id: Count = Field(description="Its place among the data sets that get ranks, counted from 0.")
    shard_world_size: Count = Field(description="Number of ranks that share it.")
    dp_ranks: list[Count] = Field(description="These ranks.")


class PartitionVectorExpected(Frozen):
    """The data sets that get ranks, in their order."""

    shards: list[Shard] = Field(description="One entry per data set.")


class ShardingVector(Vector):
    """Items dealt out to workers, or ranks to data sets."""

    input: StreamsVectorInput | StreamVectorInput | BlockVectorInput | PartitionVectorInput = Field(
        discriminator="kind", description="What goes in; `kind` says which it is."
    )
    expected: StreamsVectorExpected | StreamVectorExpected | BlockVectorExpected | PartitionVectorExpected | None = (
        Field(default=None, description="What comes out; left out or null where the input is refused.")
    )


class ShardingVectors(VectorFile):
    """Vectors of sharding, in chapter dataflow."""

    schema_url: Literal["https://packproof.dev/schemas/v1/vectors-sharding.json"] = Field(
        alias="$schema", description="The schema of this file."
    )
    vectors: list[ShardingVector] = Field(min_length=1, description="The vectors, in the order of their numbers.")
