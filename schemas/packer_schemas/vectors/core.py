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

    input: MaskVectorInput
    expected: MaskVectorExpected | None = None


class MaskVectors(VectorFile):
    """Vectors of chapter masks."""

    schema_url: Literal["https://packproof.dev/schemas/v1/vectors-masks.json"] = Field(alias="$schema")
    vectors: list[MaskVector] = Field(min_length=1)


MaybeId = StrictInt | TaggedValue
"""A JSON integer is what it seems, negative ones too; anything else is a tagged value."""


class AuthorityVectorInput(Frozen):
    """Ids as they come in, and what may come in their place."""

    prompt_ids: list[MaybeId]
    completion: list[MaybeId] | MaybeId
    tokenizer: TokenizerFacts | None = Field(default=None, description="To whom the ids mean something.")


class AuthorityVectorExpected(Frozen):
    """The row."""

    input_ids: TokenIds = Field(description="Prompt ids, then completion ids, verbatim.")


class AuthorityVector(Vector):
    """A row of ids."""

    input: AuthorityVectorInput
    expected: AuthorityVectorExpected | None = None


class AuthorityVectors(VectorFile):
    """Vectors of chapter authority."""

    schema_url: Literal["https://packproof.dev/schemas/v1/vectors-authority.json"] = Field(alias="$schema")
    vectors: list[AuthorityVector] = Field(min_length=1)


class CollationVectorSample(Frozen):
    """A policy input: two lists of one length."""

    input_ids: TokenIds
    logprob_masks: list[Bit]


class CollationVectorInput(Frozen):
    """Policy inputs, and the width asked for."""

    samples: list[CollationVectorSample]
    max_len: StrictInt
    tokenizer: TokenizerFacts = Field(description="Its pad_token_id is the filler.")


class CollationVectorExpected(Frozen):
    """The batch, and the width that its samples need."""

    input_ids: list[TokenIds] = Field(description="int64 [B, max_len].")
    logprob_masks: list[list[Bit]] = Field(description="bool [B, max_len], as 0 and 1.")
    longest: Annotated[StrictInt, Field(ge=1)] = Field(description="What policy_compute_max_len returns.")


class CollationVector(Vector):
    """A batch."""

    input: CollationVectorInput
    expected: CollationVectorExpected | None = None


class CollationVectors(VectorFile):
    """Vectors of chapter collation."""

    schema_url: Literal["https://packproof.dev/schemas/v1/vectors-collation.json"] = Field(alias="$schema")
    vectors: list[CollationVector] = Field(min_length=1)
