"""What a packer declares about itself, written down so that two runs can be told apart by one digest."""

from collections.abc import Mapping
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue, model_validator

from packer_schemas.canonical import canonical_json, identity_digest
from packer_schemas.declarations import MAX_BYTES, PartName, declarations, dotted_name
from packer_schemas.fields import Sha256, Version1

__all__ = ["MAX_BYTES", "IdentityDocument", "IdentityPart"]


class IdentityPart(BaseModel):
    """One declaration of a packer and its digest."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    value: dict[str, JsonValue] = Field(
        min_length=1,
        description="What is declared: plain JSON data of at most 65,536 bytes in canonical form; 1, 1.0 and true are "
        "distinct.",
    )
    sha256: Sha256 = Field(
        description="SHA-256 over the canonical JSON of `value`, 64 lower-case hexadecimal digits. "
        "A schema cannot check that it fits; the model does."
    )

    @model_validator(mode="after")
    def _digest_fits(self) -> Self:
        _expect_digest(self.sha256, _digest(self.value, "value"), "the canonical JSON of value")
        size = len(canonical_json(self.value))
        if size > MAX_BYTES:
            raise ValueError(
                f"expected at most {MAX_BYTES} bytes of canonical JSON, got {size}; declare a digest instead"
            )
        return self


class IdentityDocument(BaseModel):
    """What decides a packer's output, as the packer declares it: the declarations, and one digest over theirs.

    Canonical JSON is UTF-8 without white space, keys sorted by code point, nothing escaped that JSON lets stand,
    integers in full, floats in the shortest form that reads back equal, written as Python's repr does.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: Version1 = Field(description="Version of this layout.")
    packer: str = Field(description="Dotted name of the packer's class; information only, outside every digest.")
    parts: dict[PartName, IdentityPart] = Field(
        min_length=1,
        description="The declarations by name, at least one: `semantics` is everything that decides the output, "
        "`processor` the contract of a multimodal processor.",
        json_schema_extra={"propertyNames": {"enum": ["semantics", "processor"]}},
    )
    sha256: Sha256 = Field(
        description="SHA-256 over the canonical JSON of the object that maps every part's name to its `sha256`, 64 "
        "lower-case hexadecimal digits. A schema cannot check that it fits; the model does."
    )

    @classmethod
    def make(cls, packer: str, parts: Mapping[str, dict[str, Any]]) -> Self:
        """The document of a packer's declarations, digests included (IDENT-5).

        `TypeError` or `ValueError` names the path of what is no plain JSON data, as `canonical_json` does, from the
        part's name on; `pydantic.ValidationError` for no part at all, another name, or a declaration that is too large.
        """
        made = {name: {"value": value, "sha256": identity_digest(value, name)} for name, value in parts.items()}
        return cls.model_validate({"schema_version": 1, "packer": packer, "parts": made, "sha256": _whole(made)})

    @classmethod
    def of(cls, packer: Any) -> Self:
        """The document of a packer that is set up, asked anew on every call (IDENT-1, IDENT-5).

        Raises `TypeError` for a packer that declares nothing, and what `declarations` raises.
        """
        declared = declarations(packer)
        if not declared:
            raise TypeError(
                f"{dotted_name(type(packer))} declares no identity: its class has neither "
                "validation_semantics_identity() nor processor_semantics_identity(), and there is no document to make"
            )
        return cls.make(dotted_name(type(packer)), declared)

    @model_validator(mode="after")
    def _digest_fits(self) -> Self:
        parts = {name: {"sha256": part.sha256} for name, part in self.parts.items()}
        _expect_digest(self.sha256, _whole(parts), "the parts' digests by name")
        return self


def _whole(parts: Mapping[str, Mapping[str, Any]]) -> str:
    return _digest({name: part["sha256"] for name, part in parts.items()}, "parts")


def _digest(value: Any, where: str) -> str:
    try:
        return identity_digest(value, where)
    except TypeError as error:  # pydantic turns only ValueError into a ValidationError
        raise ValueError(str(error)) from error


def _expect_digest(given: str, fits: str, over: str) -> None:
    if given != fits:
        raise ValueError(f"expected the sha256 {fits} over {over}, got {given}; was a value edited by hand?")
