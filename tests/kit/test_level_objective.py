"""Objectives as a user runs them: the option, what is told, what is refused, and the Python face."""

import re
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from user_project import QUICK, Project

from packproof import check_objective
from packproof.options import Options
from packproof.violation import UsageError
from packproof.zoo.miniature_objective import MiniatureObjective
from packproof.zoo.objective_sum import DividedByRows

NAMED = ("--objective", "my_objective:make_objective")
MODULE = """
from packproof.zoo.miniature_objective import MiniatureObjective


class Shifted(MiniatureObjective):
    def _logprobs(self, logits, batch, places):
        return super()._logprobs(logits, batch, [(row, max(at - 1, 0)) for row, at in places])


def make_objective(packer=None, **options):
    return Shifted(packer, **options)


ready = MiniatureObjective()


def without_options(packer=None):
    return MiniatureObjective(packer)


def nothing(packer=None, **options):
    return None


def the_class(packer=None, **options):
    return MiniatureObjective


def broken(packer=None, **options):
    raise RuntimeError("no objective today")


def loss_alone(packer=None, **options):
    objective = MiniatureObjective(packer, **options)
    return lambda *args, **given: objective(*args, **given).loss


def stumbling(packer=None, **options):
    def objective(model, trajectories, *, advantages=None, groups=None, denominator=None):
        return {}["loss"]

    return objective
"""


@pytest.fixture
def project_with_objective(project: Project) -> Project:
    project.write("my_objective.py", MODULE)
    return project


def test_an_objective_is_held_to_the_rules_that_bind_it(project_with_objective: Project) -> None:
    """The report names the level and the broken rule, with the row, the mask and the name of the fault."""
    ran = project_with_objective.pytest(*NAMED, *QUICK, "--packer-select", "OBJ-5,OBJ-9,OBJ-13")
    assert ran.code == 1
    assert "level consumer, effort quick" in ran.out
    assert "OBJ-5  MUST  The gradient of the loss reaches the logits at selected positions and no others." in ran.out
    assert ran.line("objective  ").startswith("my_objective:make_objective")
    assert re.search(r"expected +0 +1 +1 +0\n +got +1 +1 +0 +0 +<- shifted left by one", ran.out)
    assert "1 broken: OBJ-5" in ran.out


def test_a_failure_is_replayed_by_its_command_and_by_its_case(project_with_objective: Project) -> None:
    """The command names objective and rule; the case file needs the objective beside it."""
    ran = project_with_objective.pytest(*NAMED, *QUICK, "--packer-select", "OBJ-5")
    wanted = f"pytest {' '.join(NAMED)} --packer-select OBJ-5 --packer-effort quick --packer-seed 0"
    assert ran.line("replay") == wanted
    kept = project_with_objective.pytest(*NAMED, "--packer-replay", ran.line("case"))
    assert kept.code == 1
    assert "OBJ-5 replay 1" in kept.out
    alone = project_with_objective.pytest("--packer", "packers:Plain", "--packer-replay", ran.line("case"))
    assert alone.code == 4
    assert "OBJ-5 binds objectives; name one with --objective module:factory" in alone.err


MISTAKES: list[tuple[str, str]] = [
    ("without_options", "cannot be called with a packer and the options kind, clip_low, clip_high, eps"),
    ("nothing", "my_objective:nothing(packer) returned None, expected an objective, called as objective(model,"),
    ("the_class", "returned the class MiniatureObjective, expected an objective"),
    ("broken", "my_objective:broken(packer) raised RuntimeError: no objective today (my_objective.py:"),
    ("gone", "'my_objective' has no attribute 'gone'"),
    ("ready", "missing a required argument: 'trajectories'. It looks like an objective itself; name what makes it."),
]


@pytest.mark.parametrize(("name", "said"), MISTAKES, ids=[name for name, _ in MISTAKES])
def test_a_factory_that_makes_no_objective_is_a_usage_error(
    project_with_objective: Project, name: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was called, what came back and what was expected stand in one message, and nothing runs."""
    monkeypatch.chdir(project_with_objective.root)
    monkeypatch.syspath_prepend(project_with_objective.root)
    monkeypatch.delitem(sys.modules, "my_objective", raising=False)
    with pytest.raises(UsageError) as raised:
        Options.make({"objective": [f"my_objective:{name}"]}, {}, Path(project_with_objective.root)).run()
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("name", "got"),
    [("loss_alone", "returned tensor("), ("stumbling", "raised KeyError: 'loss' (my_objective.py:")],
)
def test_a_call_that_gives_no_result_is_a_failure_of_the_objective(
    project_with_objective: Project, name: str, got: str
) -> None:
    """A bare tensor and an exception are told beside the call, and never as an error of the kit."""
    ran = project_with_objective.pytest("--objective", f"my_objective:{name}", *QUICK, "--packer-select", "OBJ-9")
    assert ran.code == 1
    assert ran.line("call").startswith("make_objective(")
    assert ran.line("got").startswith(got)


def test_check_objective_returns_a_report_and_raises_on_a_broken_rule() -> None:
    """The Python face takes a class, runs all seventeen rules, and names the way in which a sum was divided."""
    report = check_objective(MiniatureObjective, effort="quick")
    outcomes = {one.requirement: one.status for one in report.subjects[0].outcomes}
    assert outcomes == {f"OBJ-{number}": "pass" for number in range(1, 18)}
    assert report.subjects[0].verdict == "conformant"
    with pytest.raises(AssertionError, match="divided by the number of rows") as raised:
        check_objective(DividedByRows, effort="quick", select="OBJ-9")
    assert "pytest --objective packproof.zoo.objective_sum:DividedByRows --packer-select OBJ-9" in str(raised.value)


def test_the_objective_under_test_does_not_move_the_random_state() -> None:
    """An objective that draws at random is judged the same every time, and leaves the caller's generators alone."""
    import torch

    class Draws(MiniatureObjective):
        def __call__(self, *args: Any, **given: Any) -> Any:
            torch.rand(3)
            return super().__call__(*args, **given)

    before = torch.get_rng_state()
    first, second = (check_objective(Draws, effort="quick", select="OBJ-9") for _ in range(2))
    assert first == second
    assert bool((torch.get_rng_state() == before).all())


def test_levels_are_of_what_is_named(project_with_objective: Project) -> None:
    """The level of what is named may be spelt out; one that binds packers, of which there is none, is refused."""
    ran = project_with_objective.pytest(*NAMED, "--packer-level", "routing", *QUICK)
    assert "--packer-level 'routing': its rules bind packers; name one with --packer module:factory." in ran.err
    ran = project_with_objective.pytest(*NAMED, "--packer-level", "consumer", "--packer-select", "OBJ-13", *QUICK)
    assert "1 passed" in ran.out


def test_what_no_other_process_finds_is_replayed_in_python() -> None:
    """For a partial, which has no name of its own, the replay is the call in Python."""
    with pytest.raises(AssertionError, match=re.escape("check_objective(..., select=['OBJ-9']")):
        check_objective(partial(DividedByRows), select="OBJ-9", effort="quick")


class FirstTurnAlone(MiniatureObjective):
    """Takes conversations, and none that go on."""

    def _continues(self, last: Any, turn: Any) -> bool:
        raise ValueError("turns: the second one does not continue the first")


def test_who_takes_a_conversation_takes_one_that_goes_on() -> None:
    """A refusal that names `turns` is no way out for an objective that takes a conversation of one turn."""
    report = check_objective(FirstTurnAlone, select=["OBJ-14"], effort="quick", raise_on_failure=False)
    (found,) = report.subjects[0].outcomes
    assert found.status == "fail"
    assert found.counterexample is not None
    assert found.counterexample.expected.startswith("another row, or ValueError that names trajectory 0, turn 1")
