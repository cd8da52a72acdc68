"""Known failures: accepted for now, each tied to the case that shows it, with a reason and a last day."""

import datetime
import re
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from packer_schemas.cases import Case

__all__ = ["KnownFailure", "KnownFailures"]


def _day(value: Any) -> Any:
    """A day in text; pydantic alone also reads a number of seconds as a day."""
    if not isinstance(value, str):
        return value
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value):
        raise ValueError(f"expected a day as 2030-01-31, got {value!r}")
    return datetime.date.fromisoformat(value)


class KnownFailure(BaseModel):
    """One accepted failure; it holds for this requirement, this witness and until this day."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(pattern=r"^[A-Z]+-[0-9]+$", description="Requirement id.")
    packer: str = Field(default="", description="Label of the packer; empty: every packer of the run.")
    witness: Case = Field(description="The case that fails.")
    reason: str = Field(min_length=1, pattern=r"\S", description="Why it is accepted for now.")
    issue: str = Field(default="", description="Where the repair is tracked.")
    expires: Annotated[datetime.date, BeforeValidator(_day)] = Field(
        description="Last day on which the entry holds, as 2030-01-31."
    )


class KnownFailures(BaseModel):
    """A known-failures file: a list of `[[known]]` tables."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    known: list[KnownFailure] = Field(default=[], description="The entries.")
