"""What a conformance run says: outcomes per requirement, one report per packer, one document per run."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from packer_schemas.cases import CaseFile

__all__ = ["Counterexample", "Outcome", "Report", "Row", "Status", "SubjectReport", "Verdict"]

Status = Literal["pass", "fail", "known", "stale", "not applicable", "not tested", "error"]
Verdict = Literal["conformant", "partial", "not conformant", "incomplete"]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Row(_Frozen):
    """One line of a table of positions."""

    name: str
    values: list[int | str | None]


class Counterexample(_Frozen):
    """Why a case breaks the rule: the call, the rows side by side or two values, and the fault's name."""

    call: str
    rows: list[Row] = []
    expected: str = ""
    got: str = ""
    fault: str = Field(default="", description="Name of the fault shape, when it is a known one.")
    crash: bool = Field(default=False, description="The packer raised, exited or hung instead of answering.")


class Outcome(_Frozen):
    """The result of one requirement on one packer."""

    requirement: str
    level: Literal["MUST", "SHOULD", "MAY"]
    status: Status
    reason: str = Field(default="", description="Why it is known, stale, not applicable, not tested or an error.")
    cases: int = Field(default=0, ge=0, description="Cases run.")
    counterexample: Counterexample | None = None
    case_file: CaseFile | None = None


class SubjectReport(_Frozen):
    """All outcomes of one packer."""

    label: str
    target: str
    models: list[str]
    verdict: Verdict
    outcomes: list[Outcome]


class Report(_Frozen):
    """One run: versions, settings that repeat it, and a report per packer."""

    packproof: str
    spec: str
    level: list[str]
    effort: str
    seed: int
    versions: dict[str, str] = Field(description="Python and library versions; information only.")
    subjects: list[SubjectReport]
