"""The terminal summary: per packer a line per chapter, then the verdict."""

from collections.abc import Sequence

from packer_schemas.report import Outcome, Report, SubjectReport
from packer_spec import CHAPTERS, requirement
from packproof.verdict import breaks_gate, worded

__all__ = ["summary_lines"]


def summary_lines(report: Report) -> list[str]:
    """The whole summary, at most 100 columns wide."""
    levels = ", ".join(report.level)
    head = f"packproof {report.packproof}, spec {report.spec}, level {levels}, effort {report.effort}, seed {report.seed}"
    lines = [head]
    for subject in report.subjects:
        lines += ["", f"{subject.label}   {subject.target}   on {', '.join(subject.models)}", *_chapters(subject)]
        lines += _advice(subject)
        lines.append(f"  {worded(subject)}")
    return lines


def _chapters(subject: SubjectReport) -> list[str]:
    lines = [f"  {'chapter':<12}{'MUST':>8}{'SHOULD':>8}{'known':>7}{'n/a':>5}{'not tested':>12}{'cases':>8}"]
    for chapter in CHAPTERS:
        own = [outcome for outcome in subject.outcomes if requirement(outcome.requirement).chapter == chapter]
        if not own:
            continue
        tally = {status: sum(outcome.status == status for outcome in own) for status in ("known", "not applicable", "not tested")}
        lines.append(
            f"  {chapter:<12}{_passed(own, 'MUST'):>8}{_passed(own, 'SHOULD'):>8}{tally['known']:>7}"
            f"{tally['not applicable']:>5}{tally['not tested']:>12}{sum(outcome.cases for outcome in own):>8,}"
        )
    return lines


def _passed(outcomes: Sequence[Outcome], level: str) -> str:
    applied = [outcome for outcome in outcomes if outcome.level == level and outcome.status != "not applicable"]
    return f"{sum(outcome.status == 'pass' for outcome in applied)}/{len(applied)}" if applied else "-"


def _advice(subject: SubjectReport) -> list[str]:
    """What a green run does not say: rules that did not apply, and SHOULDs that were broken."""
    lines = []
    reasons: dict[str, list[str]] = {}
    for outcome in subject.outcomes:
        if outcome.status == "not applicable":
            reasons.setdefault(outcome.reason, []).append(outcome.requirement)
    for reason, ids in reasons.items():
        shown = ", ".join(ids) if len(ids) <= 4 else f"{ids[0]} to {ids[-1]} ({len(ids)} rules)"
        lines.append(f"  not applicable: {shown}: {reason}")
    weak = [outcome.requirement for outcome in subject.outcomes if outcome.status == "fail" and not breaks_gate(outcome)]
    if weak:
        lines.append(f"  warning: {', '.join(weak)} (SHOULD) not kept; the report holds the case")
    return lines
