"""Vectors of saved places: documents, and the items that come after them."""

from typing import Literal

from pydantic import Field, JsonValue, StrictInt

from packer_schemas.vectors.parts import Count, Frozen, Vector, VectorFile

__all__ = ["ResumeVector", "ResumeVectors"]


class ResumeVectorInput(Frozen):
    """A document, and how many items are asked for."""

    document: JsonValue = Field(description="May be spoiled.")
    count: Count


class NextItem(Frozen):
    """One item that comes."""

    worker_id: Count
    epoch: Count
    item: StrictInt


class ResumeVectorExpected(Frozen):
    """The next items on the rank."""

    items: list[NextItem]


class ResumeVector(Vector):
    """What comes after a document."""

    input: ResumeVectorInput
    expected: ResumeVectorExpected | None = None


class ResumeVectors(VectorFile):
    """Vectors of chapter resume."""

    schema_url: Literal["https://packproof.dev/schemas/v1/vectors-resume.json"] = Field(alias="$schema")
    vectors: list[ResumeVector] = Field(min_length=1)
