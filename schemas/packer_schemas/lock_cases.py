"""Cases for the rules on lock files: what was pinned, and the packers of now."""

from typing import Literal

from pydantic import Field

from packer_schemas.case_parts import KIND, Frozen

__all__ = ["LockCase", "LockRow", "LockSide"]


class LockSide(Frozen):
    """What a lock knows of a packer, then or now; equal numbers stand for equal content, in every field by itself."""

    identity: int | None = Field(default=0, description="What it declares; null: nothing.")
    behaviour: int = Field(default=0, description="What it does on the probes.")
    source: int | None = Field(default=0, description="The source of its class; null where it cannot be had.")


class LockRow(Frozen):
    """One label: its entry in the lock file, and its packer."""

    label: str = Field(default="a", description="The label.")
    pinned: LockSide | None = Field(default=LockSide(), description="The entry; null: there is none.")
    now: LockSide | None = Field(default=LockSide(), description="The packer of now; null: there is none.")


class LockCase(Frozen):
    """A lock file and the packers of now: checked against each other, and updated in every way there is."""

    kind: Literal["lock"] = Field(default="lock", description=KIND)
    rows: list[LockRow] = Field(min_length=1, description="The labels, each once, in the order of the file.")
    probe_corpus: int = Field(
        default=1, strict=True, ge=1, description="Probe corpus that the file was pinned with; that of now is 1."
    )
