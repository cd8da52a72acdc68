"""Vectors of the core level: masks, rows of ids, batches."""

from typing import Annotated, Literal

from pydantic import Field, StrictInt

from packer_schemas.policy import TokenIds
from packer_schemas.vectors.parts import Bit, Frozen, TaggedValue, TokenizerFacts, Vector, VectorFile

__all__ = [
    "AuthorityVector",
    "AuthorityVectors",
    "CollationVector",
    "CollationVectorSample",
    "CollationVectors",
    "MaskVector",
    "MaskVectors",
]


class MaskVectorInput(Frozen):
    """A row of P prompt ids and C completion ids."""

    prompt_ids: TokenIds = Field(min_length=1, description="P ids.")
    completion: TokenIds = Field(description="C ids.")
    n_ignore_prefix_tokens: StrictInt = Field(description="n; legal from 0 to C.")
    tokenizer: TokenizerFacts | None = Field(default=None, description="Whose special ids the row holds.")


class MaskVectorExpected(Frozen):
    """The mask, and what it picks."""

    logprob_masks: list[Bit] = Field(description="P + C entries; entry i speaks of the prediction made at i.")
    selected: TokenIds = Field(description="Ids whose predictions logprob_masks[:-1] selects.")


class MaskVector(Vector):
    """A mask of one row."""

    input: MaskVectorInput = Field(description="What goes in.")
    expected: MaskVectorExpected | None = Field(
        default=None, description="What comes out; left out or null where the input is refused."
    )


class MaskVectors(VectorFile):
    """Vectors of chapter masks."""

    schema_url: Literal["https://packproof.dev/schemas/v1/vectors-masks.json"] = Field(
        alias="$schema", description="The schema of this file."
    )
    vectors: list[MaskVector] = Field(min_length=1, description="The vectors, in the order of their numbers.")


MaybeId = StrictInt | TaggedValue
"""A JSON integer is what it seems, negative ones too; anything else is a tagged value."""


class AuthorityVectorInput(Frozen):
    """Ids as they come in, and what may come in their place."""

    prompt_ids: list[MaybeId] | MaybeId = Field(description="Stored prompt ids, or what came in their place.")
    completion: list[MaybeId] | MaybeId = Field(description="Completion ids, or what came in their place.")
    tokenizer: TokenizerFacts | None = Field(default=None, description="To whom the ids mean something.")


class AuthorityVectorExpected(Frozen):
    """The row."""

    input_ids: TokenIds = Field(description="Prompt ids, then completion ids, verbatim.")


class AuthorityVector(Vector):
    """A row of ids."""

    input: AuthorityVectorInput = Field(description="What goes in.")
    expected: AuthorityVectorExpected | None = Field(
        default=None, description="What comes out; left out or null where the input is refused."
    )


class AuthorityVectors(VectorFile):
    """Vectors of chapter authority."""

    schema_url: Literal["https://packproof.dev/schemas/v1/vectors-authority.json"] = Field(
        alias="$schema", description="The schema of this file."
    )
    vectors: list[AuthorityVector] = Field(min_length=1, description="The vectors, in the order of their numbers.")


class CollationVectorSample(Frozen):
    """A policy input: two lists of one length."""

    input_ids: TokenIds = Field(description="L ids.")
    logprob_masks: list[Bit] = Field(description="L entries, 0 or 1.")


class CollationVectorInput(Frozen):
    """Policy inputs, and the width asked for."""

    samples: list[CollationVectorSample] = Field(description="The samples, in the order of the batch's rows.")
    max_len: StrictInt = Field(description="Width asked for, in tokens.")
    tokenizer: TokenizerFacts = Field(description="Its pad_token_id is the filler.")


class CollationVectorExpected(Frozen):
    """The batch, and the width that its samples need."""

    input_ids: list[TokenIds] = Field(description="int64 [B, max_len].")
    logprob_masks: list[list[Bit]] = Field(description="bool [B, max_len], as 0 and 1.")
    longest: Annotated[StrictInt, Field(ge=1)] = Field(description="What policy_compute_max_len returns.")


class CollationVector(Vector):
    """A batch."""

    input: CollationVectorInput = Field(description="What goes in.")
    expected: CollationVectorExpected | None = Field(
        default=None, description="What comes out; left out or null where the input is refused."
    )


class CollationVectors(VectorFile):
    """Vectors of chapter collation."""

    schema_url: Literal["https://packproof.dev/schemas/v1/vectors-collation.json"] = Field(
        alias="$schema", description="The schema of this file."
    )
    vectors: list[CollationVector] = Field(min_length=1, description="The vectors, in the order of their numbers.")
