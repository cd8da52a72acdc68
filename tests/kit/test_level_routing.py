"""The level `routing` as a user runs it: options, what is told, and how a failure reads and is replayed."""

import re

import pytest
from user_project import QUICK, Project

ROUTED = """
from packproof.zoo.miniature_routed import MiniatureRouted
from packproof.zoo.miniature_steps import MiniatureSteps


class ZeroFilled(MiniatureRouted):
    def _filler(self):
        return 0


class Raises(MiniatureRouted):
    def _row(self, *given):
        raise OSError("no rows today")


steps = MiniatureSteps()


class ForgetfulSteps(MiniatureSteps):
    def _attached(self, made, record):
        return made


forgetful = ForgetfulSteps()
"""

LEVEL = ("--packer-level", "routing", "--packer-model", "tiny-qwen", *QUICK)


@pytest.fixture
def routed(project: Project) -> Project:
    project.write("routed.py", ROUTED)
    return project


def test_a_broken_rule_shows_the_row_and_names_the_fault(routed: Project) -> None:
    """The failure has the row position by position, the fault by name, and how many rules were held."""
    ran = routed.pytest("--packer", "routed:ZeroFilled", "--packer-routing", "routed.steps", *LEVEL)
    assert ran.code == 1
    assert "level routing, effort quick" in ran.out
    assert "ROUTE-7  MUST  A place without recorded experts holds -1, never expert 0." in ran.out
    assert re.search(r"expected +0 +2 +-1 +-1\n +got +0 +2 +0 +0 +<- filler is expert 0", ran.out), ran.out
    assert "15 of 15 applicable rules ran" in ran.out
    assert "NOT CONFORMANT, 1 broken: ROUTE-7" in ran.out


def test_a_failure_is_replayed_by_its_command_and_by_its_case(routed: Project) -> None:
    """The command names packer and steps; the case file alone shows the failure again."""
    named = ("--packer", "routed:ZeroFilled", "--packer-routing", "routed.forgetful")
    ran = routed.pytest(*named, *QUICK, "--packer-select", "ROUTE-5")
    words = f"pytest {' '.join(named)} --packer-select ROUTE-5 --packer-effort quick --packer-seed 0"
    assert ran.line("replay") == words
    again = routed.shell(ran.line("replay"))
    assert (again.code, again.line("got")) == (1, ran.line("got"))
    kept = routed.pytest(*named, "--packer-replay", ran.line("case"))
    assert kept.code == 1
    assert "ROUTE-5 replay 1" in kept.out


def test_what_does_not_apply_says_why(routed: Project) -> None:
    """Without steps, with policy inputs that carry no record, or with none at all, rules are left out with a reason."""
    ran = routed.pytest("--packer", "routed:MiniatureRouted", *LEVEL, "-rs")
    assert ran.code == 0, ran.out
    assert "10 of 10 applicable rules ran" in ran.out
    assert "no module of routing steps named (--packer-routing)" in ran.out
    for packer in ("packers:Plain", "routed:Raises"):
        ran = routed.pytest("--packer", packer, "--packer-select", "ROUTE-6", *QUICK, "-rs")
        assert "its policy inputs are no RoutedPolicyInput" in ran.out


def test_steps_may_stand_in_the_table(routed: Project) -> None:
    """`packer-routing` is a key of the project's table."""
    routed.table(packer='["routed:MiniatureRouted"]', packer_routing='"routed.steps"')
    ran = routed.pytest(*QUICK, "--packer-select", "ROUTE-14")
    assert "1 passed" in ran.out, ran.out


def test_a_case_of_another_kind_of_record_is_no_case_of_the_rule(routed: Project) -> None:
    """A case whose record another rule refuses is a mistake of the user's, and says which rule that is."""
    record = '{"dtype": "int64", "shape": [2, 1, 1], "values": [1, 2]}'
    sample = f'{{"prompt_ids": [7], "completion": [8], "record": {record}}}'
    case = f'{{"kind": "routing-batch", "samples": [{sample}]}}'
    routed.write("case.json", f'{{"requirement": "ROUTE-6", "case": {case}}}')
    ran = routed.pytest("--packer", "routed:MiniatureRouted", "--packer-replay", "case.json")
    assert ran.code == 4
    assert "ROUTE-6 is not tried on such a case: its records are for ROUTE-3 to refuse" in ran.err
