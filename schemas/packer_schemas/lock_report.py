"""What a lock check found: one finding for every packer and every entry of the lock file."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["LockFinding", "LockOutcome", "LockReport"]

LockOutcome = Literal[
    "same",
    "both changed",
    "only identity changed",
    "only behaviour changed",
    "undeclared changed",
    "other probe corpus",
    "other models",
    "missing",
    "obsolete",
    "not measured",
]
"""How a packer of now and its entry compare (IDENT-17).

`undeclared changed` is the behaviour of a packer that declares no identity, then and now; `missing` a packer without an
entry, `obsolete` an entry without a packer, and `not measured` a packer that could not be asked.
"""


class LockFinding(BaseModel):
    """One packer against its entry."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    outcome: LockOutcome = Field(description="How the two compare, before an update.")
    passes: bool = Field(description="Whether the entry holds; after an update, whether it does now.")
    written: bool = Field(default=False, description="Whether an update wrote or removed the entry.")
    target: str = Field(description="What the packer is built from, now or, for an obsolete entry, when it was pinned.")
    models: list[str] = Field(description="Models it is set up with, now or when it was pinned.")
    identity: dict[str, list[str]] = Field(
        default_factory=dict, description="Changed fields of the identity by model, as `path: old -> new`."
    )
    behaviour: dict[str, list[str]] = Field(
        default_factory=dict, description="Names of the probes by model whose results changed."
    )
    notes: list[str] = Field(default_factory=list, description="What else differs and decides nothing, in sentences.")
    message: str = Field(description="The finding in words: the packer, what differs, and what that means.")
    advice: str = Field(description="What to do about it; empty where nothing is to be done.")


class LockReport(BaseModel):
    """One run of `packproof lock`: what was compared, what was found, and whether all of it passes."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    packproof: str = Field(description="Version of packproof that ran.")
    spec: str = Field(description="Version of the specification that it ran under.")
    file: str = Field(description="Path of the lock file, from the folder of the run.")
    complete: bool = Field(description="Whether every configured packer was asked for; else no entry is obsolete.")
    passes: bool = Field(description="Whether every finding passes.")
    written: bool = Field(description="Whether the file was written.")
    note: str = Field(default="", description="Why an update that was asked for was refused; empty otherwise.")
    findings: dict[str, LockFinding] = Field(description="The findings by label.")
