"""The miniature packers keep every rule of their levels, a selection or a gate with them; a bad one is judged twice."""

from functools import cache

import pytest

from packproof import tested
from packproof.effort import EFFORTS, Settings
from packproof.registry import all_checks, check_for, select_checks
from packproof.runner import run_check
from packproof.zoo import good_members, member


@cache
def _subject(name: str) -> tested.Tested:
    return member(name).subject()


HELD_TO = [
    pytest.param(one.name, id, id=f"{one.name} {id}")
    for one in good_members()
    for id, check in all_checks().items()
    if one.held_to(check.requirement) and not check.missing(_subject(one.name))
]


@pytest.mark.parametrize(("name", "id"), HELD_TO)
def test_a_miniature_keeps_the_rule_at_standard_effort(name: str, id: str) -> None:
    """A good member passes the rule at standard effort, on stored and generated cases."""
    outcome = run_check(check_for(id), _subject(name), Settings(EFFORTS["standard"]))
    assert outcome.status == "pass", outcome


def test_every_rule_is_kept_by_a_good_member() -> None:
    """No rule is left out because no good member offers what it needs."""
    assert {param.values[1] for param in HELD_TO} == set(all_checks())


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
