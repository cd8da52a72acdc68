"""Vectors of the wire: packed fields on their way out and in."""

from typing import Literal

from pydantic import Field, JsonValue, StrictBool, StrictInt

from packer_schemas.vectors.parts import Array, Count, FloatValue, Frozen, IntValue, Vector, VectorFile

__all__ = ["WireVector", "WireVectors"]


class Settings(Frozen):
    """How the segments of a packed field become a model input."""

    preprocess_mode: Literal["pad_to_max_shape", "patchify"] | None = Field(
        description="What is done when the segments become one tensor; null: nothing."
    )
    preprocess_kwargs: dict[str, StrictInt] = Field(description="patch_dim, where the mode is patchify.")


class EncodeVectorInput(Settings):
    """A packed field, to be sent."""

    kind: Literal["encode"] = Field(description="Kind of input.")
    field: str = Field(description="Name of the field.")
    rows: list[list[Array]] = Field(description="The segments of each logical row.")
    dim_to_pack: StrictInt = Field(description="Axis along which segments are joined.")
    sample_count: Count = Field(description="Number of samples in the batch.")


class Jagged(Frozen):
    """Rows of different lengths in one flat value."""

    dtype: str = Field(description="Name of the type of its elements, such as int8.")
    values: list[StrictInt | float] = Field(description="The elements of all rows, one row after the other.")
    offsets: list[Count] = Field(min_length=1, description="Row i is values[offsets[i] : offsets[i + 1]].")


class RowShapes(Settings):
    """The tag of one sample: what flattening took away."""

    shapes: list[list[Count]] = Field(description="Shape of each segment of the row.")


class DecodeVectorInput(Frozen):
    """A packed field as it arrives."""

    kind: Literal["decode"] = Field(description="Kind of input.")
    field: str = Field(description="Name of the field.")
    jagged: Jagged = Field(description="The payload.")
    tags: list[dict[str, JsonValue]] | None = Field(
        description="By FIELD__row_shapes, for each sample; may be spoiled."
    )


class BitsValue(Frozen):
    """A float by its bits, for those that no decimal number says: NaNs."""

    pattern: str = Field(alias="bits", pattern=r"^([0-9a-f]{4}){1,4}$", description="In hex, the sign first.")


class Elements(Frozen):
    """A segment whose elements no parser spoils."""

    dtype: str = Field(description="Name of the type of its elements, such as int8.")
    shape: list[Count] = Field(description="Elements along each axis.")
    values: list[StrictBool | IntValue | FloatValue | BitsValue] = Field(description="In row-major order.")


class BytesVectorInput(Frozen):
    """The segments of each row, to be laid down."""

    kind: Literal["bytes"] = Field(description="Kind of input.")
    rows: list[list[Elements]] = Field(description="The segments of each logical row.")


class JaggedColumn(Frozen):
    """A ragged column: in torch a nested tensor of the layout jagged."""

    jagged: Jagged = Field(description="The payload.")


class DenseColumn(Frozen):
    """A tensor of another layout."""

    dense: Array = Field(description="The tensor.")


class ContainerColumn(Frozen):
    """A packed field that is put together already."""

    container: "Container" = Field(description="The packed field.")


class Container(Settings):
    """A packed field."""

    rows: list[list[Array]] = Field(description="The segments of each logical row.")


Column = tuple[str, JaggedColumn | DenseColumn | ContainerColumn]
"""Name and content."""


class ReassembleVectorInput(Frozen):
    """The columns that a worker has read, in their order."""

    kind: Literal["reassemble"] = Field(description="Kind of input.")
    columns: list[Column] = Field(description="Name and content of each column, in order.")
    tags: list[dict[str, JsonValue]] | None = Field(description="By FIELD__row_shapes, for each sample.")


class PresentVectorInput(Frozen):
    """The names that were written."""

    kind: Literal["present"] = Field(description="Kind of input.")
    names: list[str] | None = Field(description="The names; null where nothing was noted.")


class EncodeVectorExpected(Frozen):
    """What is sent; both null where there is nothing to send."""

    jagged: Jagged | None = Field(description="The payload.")
    tags: list[dict[str, RowShapes]] | None = Field(description="By FIELD__row_shapes, for each sample.")


class DecodeVectorExpected(Container):
    """The packed field, put together again."""


class BytesVectorExpected(Frozen):
    """The payload."""

    dtype: str = Field(description="Name of the type of its elements, such as int8.")
    offsets: list[Count] = Field(min_length=1, description="In elements, not in bytes.")
    bytes: str = Field(pattern=r"^([0-9a-f]{2})*$", description="Of values, in hex.")


class ReassembleVectorExpected(Frozen):
    """The columns afterwards."""

    columns: list[Column] = Field(description="Name and content of each column, in order.")


class PresentVectorExpected(Frozen):
    """The names that stand in one of the two sets."""

    names: list[str] = Field(description="The names, sorted.")


class WireVector(Vector):
    """A packed field on its way out or in."""

    input: EncodeVectorInput | DecodeVectorInput | BytesVectorInput | ReassembleVectorInput | PresentVectorInput = (
        Field(discriminator="kind", description="What goes in.")
    )
    expected: (
        EncodeVectorExpected
        | DecodeVectorExpected
        | BytesVectorExpected
        | ReassembleVectorExpected
        | PresentVectorExpected
        | None
    ) = Field(default=None, description="What comes out; left out or null where the input is refused.")


class WireVectors(VectorFile):
    """Vectors of chapter wire."""

    schema_url: Literal["https://packproof.dev/schemas/v1/vectors-wire.json"] = Field(
        alias="$schema", description="The schema of this file."
    )
    vectors: list[WireVector] = Field(min_length=1, description="The vectors, in the order of their numbers.")
