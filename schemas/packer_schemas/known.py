"""Known failures: accepted for now, each tied to the case that shows it, with a reason and a last day."""

import datetime

from pydantic import BaseModel, ConfigDict, Field

from packer_schemas.cases import Case

__all__ = ["KnownFailure", "KnownFailures"]


class KnownFailure(BaseModel):
    """One accepted failure; it holds for this requirement, this witness and until this day."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(pattern=r"^[A-Z]+-[0-9]+$", description="Requirement id.")
    packer: str = Field(default="", description="Label of the packer; empty: every packer of the run.")
    witness: Case = Field(description="The case that fails.")
    reason: str = Field(min_length=1, pattern=r"\S")
    issue: str = Field(default="", description="Where the repair is tracked.")
    expires: datetime.date = Field(description="Last day on which the entry holds.")


class KnownFailures(BaseModel):
    """A known-failures file: a list of `[[known]]` tables."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    known: list[KnownFailure] = []
