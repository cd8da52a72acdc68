"""Rollout bodies and trainers as a user proves them: options, what is told, what is refused, and the Python face."""

import re
from typing import Any

import pytest
from user_project import QUICK, Project, refusal_of

from packproof import check_rollout, check_trainer
from packproof.zoo.bodies_records import LosesTheStopToken
from packproof.zoo.bodies_trainer import CommonToTheWholeGroup
from packproof.zoo.miniature_rollout import MiniatureRollout, MiniatureTextRollout
from packproof.zoo.miniature_trainer import MiniatureTrainer

MODULE = """
from packproof.zoo.miniature_rollout import MiniatureRollout, MiniatureTextRollout
from packproof.zoo.miniature_trainer import MiniatureTrainer


class Cut(MiniatureRollout):
    def _streams(self, row):
        return super()._streams(row) | {"prompt_ids": row.prompt[1:] or row.prompt}


class Elsewhere(MiniatureRollout):
    def __init__(self, model, **options):
        import copy

        own = copy.deepcopy(model)
        own.base_model._forward_pre_hooks.clear()
        super().__init__(own, **options)


def nothing(model, *, packer, sampling=None, routing_replay=False):
    return None


def a_class(model, *, packer, sampling=None, routing_replay=False):
    return MiniatureRollout


def broken(model, *, packer, sampling=None, routing_replay=False):
    raise OSError("no engine today")


def old(model, tokenizer):
    return MiniatureRollout(model, packer=tokenizer)


def parts():
    return {"build_packers": None}
"""


@pytest.fixture
def bodies(project: Project) -> Project:
    project.write("my_bodies.py", MODULE)
    return project


def test_a_body_is_held_to_the_rules_that_bind_it(bodies: Project) -> None:
    """The run names the level and the broken rule, with what the model was handed beside what was recorded."""
    ran = bodies.pytest("--rollout", "my_bodies:Cut", *QUICK, "--packer-select", "BODY-4,BODY-11,BODY-14")
    assert ran.code == 1
    assert "BODY-4  MUST  The prompt_ids of a trajectory are the ids that the model generated from." in ran.out
    assert ran.line("rollout  ") == "my_bodies:Cut"
    assert ran.line("call").startswith("generate(['Hi']); prompt_ids of sample 0, completion 0")
    assert re.search(r"expected +40 +73\n +got +73", ran.out)
    assert "the rollout does not satisfy HandsOverText" in ran.out
    assert ran.line("replay") == (
        "pytest --rollout my_bodies:Cut --packer-select BODY-4 --packer-effort quick --packer-seed 0"
    )
    again = bodies.shell(ran.line("replay"))
    assert (again.code, again.line("got")) == (1, ran.line("got"))
    kept = bodies.pytest("--rollout", "my_bodies:Cut", "--packer-replay", ran.line("case"))
    assert kept.code == 1
    assert "BODY-4 replay 1" in kept.out


def test_a_body_whose_model_is_elsewhere_is_not_tested(bodies: Project) -> None:
    """Where the kit's model is never called, what it was handed cannot be told, and the rule is not passed."""
    ran = bodies.pytest("--rollout", "my_bodies:Elsewhere", *QUICK, "--packer-select", "BODY-4")
    assert ran.code == 1
    assert "what the model was handed cannot be told: the kit's model was not called" in ran.out


MISTAKES: list[tuple[dict[str, Any], str]] = [
    ({"rollout": ["my_bodies:nothing"]}, "returned None, expected a rollout body, an object with generate, packer"),
    ({"rollout": ["my_bodies:a_class"]}, "returned the class MiniatureRollout"),
    ({"rollout": ["my_bodies:broken"]}, "raised OSError: no engine today (my_bodies.py:"),
    ({"rollout": ["my_bodies:old"]}, "It is made as factory(model, packer=..., sampling=..., routing_replay=...)"),
    ({"rollout": ["my_bodies:gone"]}, "'my_bodies' has no attribute 'gone'"),
    ({"rollout": ["my_bodies"]}, "got module. Name the factory in it: my_bodies:make_rollout, say."),
    ({"trainer": ["my_bodies:"]}, "expected module:factory, for example my_package.trainers:make_trainer"),
    ({"trainer": ["my_bodies:parts"]}, "expected the parts of a trainer, an object with build_packers"),
    (
        {"packer": ["packers:Plain"], "packer-select": ["BODY-4"]},
        "BODY-4 binds rollout bodies; name one with --rollout",
    ),
    ({"rollout": ["my_bodies:Cut"], "packer-select": ["BODY-20"]}, "BODY-20 binds trainers; name one with --trainer"),
]


@pytest.mark.parametrize(("given", "said"), MISTAKES, ids=[said for _, said in MISTAKES])
def test_a_mistake_in_an_option_is_a_usage_error(
    bodies: Project, given: dict[str, Any], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was given and what was expected stand in one message, and nothing runs."""
    assert said in refusal_of(bodies, given, "my_bodies", monkeypatch)


def test_check_rollout_returns_a_report_and_raises_on_a_broken_rule() -> None:
    """The Python face takes a factory, and names what is broken."""
    select = ["BODY-1", "BODY-6", "BODY-14"]
    report = check_rollout(MiniatureRollout, effort="quick", select=select)
    assert [one.status for one in report.subjects[0].outcomes] == ["pass", "pass", "not applicable"]
    with pytest.raises(AssertionError, match=r"BODY-6  MUST") as raised:
        check_rollout(LosesTheStopToken, effort="quick", select="BODY-6")
    assert "last id lost" in str(raised.value)


def test_check_trainer_returns_a_report_and_raises_on_a_broken_rule() -> None:
    """The parts of a trainer are held to four rules, and a filter that is wrong is named."""
    report = check_trainer(MiniatureTrainer, effort="quick")
    assert [one.requirement for one in report.subjects[0].outcomes] == ["BODY-17", "BODY-18", "BODY-19", "BODY-20"]
    assert {one.status for one in report.subjects[0].outcomes} == {"pass"}
    with pytest.raises(AssertionError, match="BODY-20  MUST"):
        check_trainer(CommonToTheWholeGroup, select="BODY-20")


def test_a_body_that_hands_over_text_is_held_to_the_warning_and_not_to_the_encoding() -> None:
    """BODY-2 does not apply to it, and says why; BODY-14 does."""
    report = check_rollout(MiniatureTextRollout, effort="quick", select=["BODY-2", "BODY-14"])
    encoding, warning = report.subjects[0].outcomes
    assert (encoding.status, warning.status) == ("not applicable", "pass")
    assert encoding.reason.startswith("its engine encodes the prompts (hands_over_text)")
