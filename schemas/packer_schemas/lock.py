"""The lock file: what every packer of a project declared and did when it was last approved."""

from typing import Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from packer_schemas.canonical import identity_digest
from packer_schemas.fields import Sha256, Version1
from packer_schemas.identity import IdentityDocument

__all__ = ["Lock", "LockedSubject"]


class LockedSubject(BaseModel):
    """One packer as approved: what it declares, the source of its class, and what it does on the probe inputs."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    target: str = Field(description="What the packer was built from: `module:factory` or a dotted path.")
    models: list[str] = Field(description="Models it was set up with, in order; `as built` where it takes none.")
    identities: dict[str, IdentityDocument] = Field(
        description="Declared identity by model, one of `models`; empty for a packer that declares none."
    )
    class_source_sha256: Sha256 | None = Field(
        description="SHA-256 over the sources of the packer's class and its bases, 64 lower-case hexadecimal digits; "
        "null where one of them cannot be had."
    )
    behaviour: dict[str, dict[str, Sha256]] = Field(
        description="By model and by the name of the probe, the SHA-256 over what the packer gives for it."
    )
    behaviour_sha256: Sha256 = Field(
        description="The behaviour digest: SHA-256 over the canonical JSON of `behaviour`, 64 lower-case hexadecimal "
        "digits. A schema cannot check that it fits; the model does."
    )
    reason: str = Field(description="Why the last change was approved; empty for a first entry.")

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        for field, named in (("identities", self.identities), ("behaviour", self.behaviour)):
            if strange := [name for name in named if name not in self.models]:
                raise ValueError(f"expected {field} of the models {self.models}, got one of {strange[0]!r}")
        if absent := [model for model in self.models if model not in self.behaviour]:
            raise ValueError(f"expected behaviour of each of the models {self.models}, got none of {absent[0]!r}")
        fits = identity_digest(self.behaviour, "behaviour")
        if self.behaviour_sha256 != fits:
            over = f"expected the behaviour_sha256 {fits} over the canonical JSON of behaviour"
            raise ValueError(f"{over}, got {self.behaviour_sha256}; was a digest edited by hand?")
        return self


class Lock(BaseModel):
    """A `packproof.lock.json`: pinned identities and behaviour of every configured packer.

    The identities inside carry digests, which a schema cannot check; the model does.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: Version1 = Field(description="Version of this layout.")
    spec: str = Field(description="Version of the specification that it was written under.")
    packproof: str = Field(description="Version of packproof that wrote it.")
    probe_corpus: int = Field(
        strict=True, ge=1, description="Version of the probe corpus; digests of different ones do not compare."
    )
    versions: dict[str, str] = Field(description="Python and library versions; information only.")
    subjects: dict[str, LockedSubject] = Field(description="The packers by label.")
