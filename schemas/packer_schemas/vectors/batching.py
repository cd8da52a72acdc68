"""Vectors of batchers: the groups that are made of one stream."""

from typing import Literal

from pydantic import Field, StrictBool, StrictInt

from packer_schemas.vectors.parts import Count, Frozen, Vector, VectorFile

__all__ = ["DataflowVector", "DataflowVectors"]


class FixedVectorInput(Frozen):
    """A stream, for the fixed-size batcher."""

    kind: Literal["fixed"]
    epochs: list[list[StrictInt]] = Field(description="The samples of the stream, epoch by epoch.")
    batch_size: StrictInt
    epoch_end: str
    drop_last: StrictBool
    ends: StrictBool = Field(description="Whether the stream ends behind the last of them.")


class SequentialVectorInput(Frozen):
    """A stream that ends, for sequential packing; null is a limit that is not given."""

    kind: Literal["sequential"]
    sizes: list[Count] = Field(description="sample_size of each sample.")
    max_sequence_length: StrictInt | None
    max_samples_per_batch: StrictInt | None
    lookahead_limit: StrictInt
    oversize: str


class FixedVectorExpected(Frozen):
    """The groups; of a stream that does not end, those that are certain by then."""

    groups: list[list[StrictInt]]


class SequentialVectorExpected(Frozen):
    """The groups, by the places of their samples in the stream."""

    groups: list[list[Count]]
    dropped: list[Count] = Field(description="Places of samples that were left out.")


class DataflowVector(Vector):
    """Groups of one stream."""

    input: FixedVectorInput | SequentialVectorInput = Field(discriminator="kind")
    expected: SequentialVectorExpected | FixedVectorExpected | None = None


class DataflowVectors(VectorFile):
    """Vectors of batchers, in chapter dataflow."""

    schema_url: Literal["https://packproof.dev/schemas/v1/vectors-dataflow.json"] = Field(alias="$schema")
    vectors: list[DataflowVector] = Field(min_length=1)
