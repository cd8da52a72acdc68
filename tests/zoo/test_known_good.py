"""The miniature packer, selection included, keeps every rule; a bad packer is judged alike twice."""

from functools import cache

import pytest

from packproof.effort import EFFORTS, Settings
from packproof.registry import all_checks, check_for, select_checks
from packproof.runner import run_check
from packproof.subject import Subject
from packproof.zoo import good_members, member


@cache
def _miniature() -> Subject:
    return good_members()[0].subject()


@pytest.mark.parametrize("id", list(all_checks()))
def test_the_miniature_keeps_every_rule_at_standard_effort(id: str) -> None:
    """The miniature passes the rule at standard effort, on stored and generated cases."""
    outcome = run_check(check_for(id), _miniature(), Settings(EFFORTS["standard"]))
    assert outcome.status == "pass", outcome


@pytest.mark.parametrize(
    ("name", "select"), [("encoder-on-the-class", ()), ("batch-kept", ("COLL",)), ("ignore-count-sticks", ("LIFE",))]
)
def test_two_gate_runs_on_a_bad_packer_are_identical(name: str, select: tuple[str, ...]) -> None:
    """Two runs of the same checks, each on a subject of its own, give equal outcomes to the last word."""
    settings = Settings(EFFORTS["quick"])
    first, second = (
        [run_check(check, subject, settings) for check in select_checks(select)]
        for subject in (member(name).subject(), member(name).subject())
    )
    assert first == second
    assert any(outcome.status == "fail" for outcome in first)
