"""From outcomes to words: the one place that says whether a packer conforms."""

from collections.abc import Iterable, Sequence

from packer_schemas.report import Outcome, SubjectReport, Verdict
from packproof.wording import plural

__all__ = ["EXIT_HARNESS", "breaks_gate", "counts", "verdict_of", "worded"]

EXIT_HARNESS = 70
"""Exit code when packproof itself broke, so that no packer is blamed for it."""


def breaks_gate(outcome: Outcome) -> bool:
    """Whether the outcome makes a run red: a broken MUST, a stale entry, or a claim that could not be tested."""
    return outcome.status in ("stale", "not tested") or (outcome.status == "fail" and outcome.level == "MUST")


def verdict_of(outcomes: Sequence[Outcome], *, complete: bool) -> Verdict:
    """The verdict over all outcomes of one packer; a run that left rules out, broke itself or tried none gives none."""
    if not complete or _nothing_applies(outcomes) or any(outcome.status == "error" for outcome in outcomes):
        return "incomplete"
    if any(breaks_gate(outcome) for outcome in outcomes):
        return "not conformant"
    if any(outcome.status == "known" and outcome.level == "MUST" for outcome in outcomes):
        return "partial"
    return "conformant"


def counts(outcomes: Iterable[Outcome]) -> dict[str, int]:
    """How many outcomes had each status, and `ran`: how many were really tried."""
    tally: dict[str, int] = {}
    for outcome in outcomes:
        tally[outcome.status] = tally.get(outcome.status, 0) + 1
    tally["ran"] = sum(tally.get(status, 0) for status in ("pass", "fail", "known", "stale"))
    return tally


def worded(report: SubjectReport) -> str:
    """The verdict in one line, denominator first: what applied, what ran, then the word for it."""
    tally = counts(report.outcomes)
    applied = len(report.outcomes) - tally.get("not applicable", 0)
    cases = sum(outcome.cases for outcome in report.outcomes)
    ran = f"{tally['ran']} of {applied} applicable rules ran, {cases:,} {plural(cases, 'case')}"
    if tally.get("not applicable"):
        ran += f", {tally['not applicable']} not applicable"
    red = [outcome.requirement for outcome in report.outcomes if breaks_gate(outcome)]
    broken = f"{len(red)} broken: {', '.join(red)}"
    if report.verdict == "incomplete":
        errors = [outcome.requirement for outcome in report.outcomes if outcome.status == "error"]
        untried = "no rule applies" if _nothing_applies(report.outcomes) else "incomplete run"
        why = f"packproof itself failed on {', '.join(errors)}" if errors else untried
        return f"{ran}{f', {broken}' if red else ''}: {why}, no verdict"
    if report.verdict == "not conformant":
        return f"{ran}: NOT CONFORMANT, {broken}"
    if report.verdict == "partial":
        return f"{ran}: PARTIAL, {tally['known']} known {plural(tally['known'], 'failure')}"
    return f"{ran}: CONFORMANT"


def _nothing_applies(outcomes: Iterable[Outcome]) -> bool:
    return all(outcome.status == "not applicable" for outcome in outcomes)
