"""What the zoo declares about itself: faults for every rule, honest names, stories and reports."""

import re

import pytest

from packer_spec import requirements
from packproof.kill_matrix import uncovered
from packproof.registry import all_checks
from packproof.zoo import Member, fault, good_members, member, members
from packproof.zoo.miniature import MiniaturePacker

by_name = pytest.mark.parametrize("one", members(), ids=lambda one: one.name)
LINK = re.compile(r"https://github\.com/[\w.-]+/[\w.-]+/(issues|pull)/\d+")


def test_every_must_has_a_fault_that_only_it_catches() -> None:
    """For each MUST there is a member that breaks that rule and no other."""
    assert uncovered(members()) == ()


def test_every_rule_is_broken_by_somebody() -> None:
    """SHOULD rules have their faults as well."""
    assert {id for one in members() for id in one.breaks} == set(all_checks())


def test_the_zoo_is_large_enough() -> None:
    """There are more faults than rules."""
    assert len(members()) > len(all_checks())


@by_name
def test_a_member_names_rules_that_exist(one: Member) -> None:
    """The ids a member breaks are in the spec, each once, in the order of the spec."""
    assert one.breaks
    assert list(one.breaks) == [id for id in requirements() if id in one.breaks]


@by_name
def test_a_member_tells_its_story(one: Member) -> None:
    """A member's docstring says in one to four sentences what is wrong."""
    assert one.story.endswith((".", "?"))
    assert 30 < len(one.story) < 400


@by_name
def test_a_report_is_a_link_that_the_story_repeats(one: Member) -> None:
    """A member's report is an issue or a pull request on GitHub, found in its docstring too."""
    links = [match.group() for match in LINK.finditer(one.story)]
    assert not one.report or LINK.fullmatch(one.report)
    assert links == [one.report] * bool(one.report)


@by_name
def test_a_member_is_found_by_its_name(one: Member) -> None:
    """Names are kebab-case and unique."""
    assert re.fullmatch(r"[a-z]+(-[a-z0-9]+)+", one.name)
    assert member(one.name) is one


def test_the_known_good_ones_break_nothing() -> None:
    """The miniatures are members without a fault, and name the levels that they keep."""
    found = {one.name: one.levels for one in good_members() if not one.breaks}
    sources = dict.fromkeys(("source", "lines", "pairs", "run"), ("source",))
    packers = {
        "miniature": ("core",),
        "miniature-declared": ("core", "resume"),
        "miniature-routed": ("core", "routing"),
    }
    consumers = dict.fromkeys(("rollout", "text-rollout", "objective", "trainer"), ("consumer",))
    others = {f"miniature-{name}": levels for name, levels in (sources | consumers).items()}
    assert found == packers | others


def test_two_faults_of_one_name_are_refused() -> None:
    """Declaring a second member under a taken name is an error."""
    with pytest.raises(ValueError, match="mask-shifted-right"):
        fault("MASK-2")(type("MaskShiftedRight", (MiniaturePacker,), {"__doc__": "Again."}))
