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

    name: str = Field(description="What the line shows, such as `input_ids`.")
    values: list[int | str | None] = Field(description="A value per position, from position 0; null: none there.")


class Counterexample(_Frozen):
    """Why a case breaks the rule: the call, the rows side by side or two values, and the fault's name."""

    call: str = Field(description="The call that gave the wrong answer, as Python.")
    rows: list[Row] = Field(default=[], description="Lines of one table of positions, in order.")
    expected: str = Field(default="", description="What the rule asks for, where no table shows it.")
    got: str = Field(default="", description="What the packer gave instead.")
    fault: str = Field(default="", description="Name of the fault shape, when it is a known one.")
    crash: bool = Field(default=False, description="The packer raised, exited or hung instead of answering.")


class Outcome(_Frozen):
    """The result of one requirement on one packer."""

    requirement: str = Field(description="Requirement id, as MASK-2.")
    level: Literal["MUST", "SHOULD", "MAY"] = Field(description="Level of the requirement.")
    status: Status = Field(description="What came of it.")
    reason: str = Field(
        default="",
        description="Why it is known, stale, not applicable, not tested or an error; what of a pass was not tested.",
    )
    cases: int = Field(default=0, ge=0, description="Cases run.")
    counterexample: Counterexample | None = Field(default=None, description="Why it failed; null where it did not.")
    case_file: CaseFile | None = Field(default=None, description="The case that shows it; null where none does.")


class SubjectReport(_Frozen):
    """All outcomes of one packer."""

    label: str = Field(description="Name of the packer in this run.")
    target: str = Field(description="What it was built from: `module:factory` or a dotted path.")
    models: list[str] = Field(description="Models it was set up with, in order; `as built` where it takes none.")
    verdict: Verdict = Field(description="What the outcomes amount to.")
    outcomes: list[Outcome] = Field(description="One per requirement, in the order of the spec.")


class Report(_Frozen):
    """One run: versions, settings that repeat it, and a report per packer."""

    packproof: str = Field(description="Version of packproof.")
    spec: str = Field(description="Version of the specification.")
    level: list[str] = Field(description="Conformance levels that the packers were held to.")
    effort: str = Field(description="How many cases were tried: quick, standard or deep.")
    seed: int = Field(description="Seed of the generated cases.")
    versions: dict[str, str] = Field(description="Python and library versions; information only.")
    subjects: list[SubjectReport] = Field(description="One report per packer.")
