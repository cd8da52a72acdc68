"""What a conformance report says, in the form that tests compare."""

__all__ = ["not_applicable", "not_passed"]


def not_applicable(report):
    """The ids of rules that did not apply, by reason, of the one packer in the report."""
    reasons = {}
    for outcome in report.subjects[0].outcomes:
        if outcome.status == "not applicable":
            reasons.setdefault(outcome.reason, []).append(outcome.requirement)
    return reasons


def not_passed(report):
    """Status by id of every rule that applied and did not pass."""
    outcomes = report.subjects[0].outcomes
    return {one.requirement: one.status for one in outcomes if one.status not in ("pass", "not applicable")}
