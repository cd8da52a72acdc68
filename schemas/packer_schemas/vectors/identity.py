"""Vectors of chapter identity: canonical texts and digests."""

from typing import Annotated, Literal

from pydantic import Field

from packer_schemas.vectors.parts import Frozen, RepeatValue, TaggedValue, Vector, VectorFile

__all__ = ["IdentityVector", "IdentityVectors"]

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$", description="SHA-256, in lower-case hex.")]


class ValueVectorInput(Frozen):
    """One value."""

    value: TaggedValue = Field(description="The value, tagged.")


class TextVectorInput(Frozen):
    """A JSON text, to be read into a value."""

    text: str | RepeatValue = Field(description="The text.")


class DocumentVectorInput(Frozen):
    """What an identity document is made of."""

    packer: str = Field(description="Class of the packer; outside of every digest.")
    parts: dict[str, TaggedValue] = Field(description="A declaration for each part: semantics, processor, or both.")


class ReadVectorInput(Frozen):
    """An identity document, to be read."""

    document: TaggedValue = Field(description="All of it, or what stands in its place.")


class ValueVectorExpected(Frozen):
    """The canonical form of a value, or of the value of a text."""

    canonical: str = Field(description="Its canonical JSON text.")
    hex: str = Field(pattern=r"^([0-9a-f]{2})+$", description="The bytes of that text in UTF-8, in hex.")
    sha256: Sha256


class DocumentVectorExpected(Frozen):
    """The digests of an identity document."""

    parts: dict[str, Sha256] = Field(description="Digest of each part.")
    canonical: str = Field(description="Canonical JSON text of the map from part name to part digest.")
    sha256: Sha256


class IdentityVector(Vector):
    """A value or a document, and its digests."""

    input: ValueVectorInput | TextVectorInput | DocumentVectorInput | ReadVectorInput = Field(
        description="What goes in."
    )
    expected: ValueVectorExpected | DocumentVectorExpected | None = Field(
        default=None, description="What comes out; left out or null where the input is refused."
    )


class IdentityVectors(VectorFile):
    """Vectors of chapter identity."""

    schema_url: Literal["https://packproof.dev/schemas/v1/vectors-identity.json"] = Field(
        alias="$schema", description="The schema of this file."
    )
    vectors: list[IdentityVector] = Field(min_length=1, description="The vectors, in the order of their numbers.")
