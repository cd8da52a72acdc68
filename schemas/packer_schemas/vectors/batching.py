"""Vectors of batchers: the groups that are made of one stream."""

from typing import Literal

from pydantic import Field, StrictBool, StrictInt

from packer_schemas.vectors.parts import Count, Frozen, Vector, VectorFile

__all__ = ["DataflowVector", "DataflowVectors"]


class FixedVectorInput(Frozen):
    """A stream, for the fixed-size batcher."""

    kind: Literal["fixed"] = Field(description="Kind of input.")
    epochs: list[list[StrictInt]] = Field(description="The samples of the stream, epoch by epoch.")
    batch_size: StrictInt = Field(description="Samples of a full group.")
    epoch_end: str = Field(description="What becomes of a group at the end of an epoch: span, short or drop.")
    drop_last: StrictBool = Field(description="Whether the rest of a stream that ends is left out.")
    ends: StrictBool = Field(description="Whether the stream ends behind the last of them.")


class SequentialVectorInput(Frozen):
    """A stream that ends, for sequential packing; null is a limit that is not given."""

    kind: Literal["sequential"] = Field(description="Kind of input.")
    sizes: list[Count] = Field(description="sample_size of each sample.")
    max_sequence_length: StrictInt | None = Field(description="Budget of a group, in tokens.")
    max_samples_per_batch: StrictInt | None = Field(description="Budget of a group, in samples.")
    lookahead_limit: StrictInt = Field(description="Samples set aside at which a group is given out.")
    oversize: str = Field(description="What becomes of a sample above the budget: refuse, alone or drop.")


class DataflowVectorExpected(Frozen):
    """The groups, of samples as they were given or by their places; of an endless stream those certain by then."""

    groups: list[list[StrictInt]] = Field(description="Samples of each group, in order; in packing their places.")
    dropped: list[StrictInt] = Field(description="Samples that were left out; in packing their places.")


class DataflowVector(Vector):
    """Groups of one stream."""

    input: FixedVectorInput | SequentialVectorInput = Field(discriminator="kind", description="What goes in.")
    expected: DataflowVectorExpected | None = Field(
        default=None, description="What comes out; left out or null where the input is refused."
    )


class DataflowVectors(VectorFile):
    """Vectors of batchers, in chapter dataflow."""

    schema_url: Literal["https://packproof.dev/schemas/v1/vectors-dataflow.json"] = Field(
        alias="$schema", description="The schema of this file."
    )
    vectors: list[DataflowVector] = Field(min_length=1, description="The vectors, in the order of their numbers.")
