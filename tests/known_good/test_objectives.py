"""No false alarm on objectives that people write."""

import pytest

from known_good import outsider_objectives
from packproof import check_objective

OBJECTIVES = [f"known_good.outsider_objectives:{name}" for name in outsider_objectives.__all__]


@pytest.mark.parametrize("name", [*OBJECTIVES, "packer_reference:make_objective"])
def test_an_objective_as_people_write_it_keeps_every_rule(name: str) -> None:
    """Row by row, with boolean indices, as a closure, or refusing turns that do not continue: nothing is broken."""
    report = check_objective(name, effort="quick")
    assert report.subjects[0].verdict == "conformant"
    assert {one.status for one in report.subjects[0].outcomes} == {"pass"}


def test_an_objective_of_single_turns_is_held_to_the_rest() -> None:
    """Who refuses `turns` by name is not tried on conversations, and keeps all other rules."""
    report = check_objective(outsider_objectives.SINGLE_TURNS, effort="quick", raise_on_failure=False)
    untried = {one.requirement: one.reason for one in report.subjects[0].outcomes if one.status == "not applicable"}
    assert list(untried) == ["OBJ-14"]
    assert "the objective takes single turns only: it refuses `turns` by name" in untried["OBJ-14"]
    assert report.subjects[0].verdict == "conformant"
