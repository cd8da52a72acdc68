"""Vectors of saved places: documents, and the items that come after them."""

from typing import Literal

from pydantic import Field, JsonValue, StrictInt

from packer_schemas.vectors.parts import Count, Frozen, Vector, VectorFile

__all__ = ["ResumeVector", "ResumeVectors"]


class ResumeVectorInput(Frozen):
    """A document, and how many items are asked for."""

    document: JsonValue = Field(description="May be spoiled.")
    count: Count = Field(description="Items that are asked for.")


class NextItem(Frozen):
    """One item that comes."""

    worker_id: Count = Field(description="Worker that gives it.")
    epoch: Count = Field(description="Epoch that it belongs to.")
    item: StrictInt = Field(description="The item: without shuffle its position in the epoch.")


class ResumeVectorExpected(Frozen):
    """The next items on the rank."""

    items: list[NextItem] = Field(description="The items, in order.")


class ResumeVector(Vector):
    """What comes after a document."""

    input: ResumeVectorInput = Field(description="What goes in.")
    expected: ResumeVectorExpected | None = Field(
        default=None, description="What comes out; left out or null where the input is refused."
    )


class ResumeVectors(VectorFile):
    """Vectors of chapter resume."""

    schema_url: Literal["https://packproof.dev/schemas/v1/vectors-resume.json"] = Field(
        alias="$schema", description="The schema of this file."
    )
    vectors: list[ResumeVector] = Field(min_length=1, description="The vectors, in the order of their numbers.")
