"""The terminal summary: per packer a line per chapter, then the verdict."""

import textwrap
from collections.abc import Sequence

from packer_schemas.report import Outcome, Report, SubjectReport
from packer_spec import CHAPTERS, requirement, requirements
from packproof.verdict import breaks_gate, worded

__all__ = ["summary_lines"]

_WIDTH = 100


def summary_lines(report: Report) -> list[str]:
    """The whole summary, at most 100 columns wide."""
    levels = ", ".join(report.level)
    head = (
        f"packproof {report.packproof}, spec {report.spec}, level {levels}, effort {report.effort}, seed {report.seed}"
    )
    lines = [head]
    for subject in report.subjects:
        on = "" if subject.models == ["as built"] else f"   on {', '.join(subject.models)}"
        lines += ["", f"{subject.label}   {subject.target}{on}", *_chapters(subject)]
        lines += _advice(subject)
        lines.append(f"  {worded(subject)}")
    return lines


def _chapters(subject: SubjectReport) -> list[str]:
    lines = [f"  {'chapter':<12}{'MUST':>8}{'SHOULD':>8}{'known':>7}{'n/a':>5}{'not tested':>12}{'cases':>8}"]
    for chapter in CHAPTERS:
        own = [outcome for outcome in subject.outcomes if requirement(outcome.requirement).chapter == chapter]
        if not own:
            continue
        tally = {
            status: sum(outcome.status == status for outcome in own)
            for status in ("known", "not applicable", "not tested")
        }
        lines.append(
            f"  {chapter:<12}{_passed(own, 'MUST'):>8}{_passed(own, 'SHOULD'):>8}{tally['known']:>7}"
            f"{tally['not applicable']:>5}{tally['not tested']:>12}{sum(outcome.cases for outcome in own):>8,}"
        )
    return lines


def _passed(outcomes: Sequence[Outcome], level: str) -> str:
    applied = [outcome for outcome in outcomes if outcome.level == level and outcome.status != "not applicable"]
    return f"{sum(outcome.status == 'pass' for outcome in applied)}/{len(applied)}" if applied else "-"


def _advice(subject: SubjectReport) -> list[str]:
    """What a green run does not say: rules that did not apply or were tried in part, and SHOULDs that were broken."""
    lines = []
    reasons: dict[tuple[str, str], list[str]] = {}
    for outcome in subject.outcomes:
        if outcome.status == "not applicable":
            reasons.setdefault((outcome.status, outcome.reason), []).append(outcome.requirement)
        elif outcome.status == "pass" and outcome.reason:
            reasons.setdefault(("tested in part", outcome.reason.removeprefix("in part: ")), []).append(
                outcome.requirement
            )
    for (what, reason), ids in reasons.items():
        text = f"{what}: {_spans(ids)}: {reason}"
        lines += textwrap.wrap(text, _WIDTH, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)
    weak = [
        outcome.requirement for outcome in subject.outcomes if outcome.status == "fail" and not breaks_gate(outcome)
    ]
    if weak:
        lines.append(f"  warning: {', '.join(weak)} (SHOULD) not kept; the report holds the case")
    return lines


def _spans(ids: Sequence[str]) -> str:
    """Ids in the order of the spec, neighbours drawn together: `LIFE-2 to LIFE-6, LIFE-12`."""
    order = list(requirements())
    spans: list[list[str]] = []
    for id in ids:
        follows = spans and order.index(id) == order.index(spans[-1][-1]) + 1
        same_chapter = spans and requirement(id).chapter == requirement(spans[-1][-1]).chapter
        if follows and same_chapter:
            spans[-1].append(id)
        else:
            spans.append([id])
    return ", ".join(span[0] if len(span) == 1 else f"{span[0]} to {span[-1]}" for span in spans)
