"""The level `resume` as a user runs it: what is claimed, what is told, and which packers it can be tried on."""

import re
from pathlib import Path
from typing import Any

import pytest
from user_packers import Plain
from user_project import QUICK, Project

from packer_schemas import Outcome
from packproof import check_packer
from packproof.changes import ModelFiles
from packproof.models import model_path
from packproof.violation import UsageError
from packproof.zoo.miniature_gate import MiniatureGate
from packproof.zoo.miniature_identity import MiniatureDeclared

RESUME = ("--packer-level", "resume", *QUICK)

DECLARING = """
from packproof.zoo.miniature_gate import MiniatureGate
from packproof.zoo.miniature_identity import MiniatureDeclared


class Loose(MiniatureDeclared):
    def _pad(self):
        return "whatever fills rows"


class NoGate:
    def bind(self, packer):
        return {}


def broken_gate():
    raise OSError("no gate today")
"""


class BuiltReady:
    """A packer that its factory returns set up, with a declaration made by hand."""

    def __init__(self) -> None:
        self._packer = MiniatureDeclared()
        self._packer.setup(str(model_path("tiny-gpt2")))
        self.tokenizer = self._packer.tokenizer

    def _inner(self) -> MiniatureDeclared:
        self._packer.tokenizer = self.tokenizer
        return self._packer

    def validation_semantics_identity(self) -> dict[str, Any]:
        return self._inner().validation_semantics_identity()

    def get_rollout_input(self, item: Any) -> Any:
        return self._inner().get_rollout_input(item)

    def get_policy_input(self, *given: Any, **named: Any) -> Any:
        return self._inner().get_policy_input(*given, **named)

    def policy_compute_max_len(self, processed_samples: Any) -> int:
        return self._inner().policy_compute_max_len(processed_samples)

    def policy_collate_fn(self, processed_samples: Any, computed_max_len: int) -> Any:
        return self._inner().policy_collate_fn(processed_samples, computed_max_len)


class BuiltReadyByClass(BuiltReady):
    def validation_semantics_identity(self) -> dict[str, Any]:
        return super().validation_semantics_identity() | {"tokenizer_sha256": type(self.tokenizer).__name__}


class ReadOnly(BuiltReady):
    """As `BuiltReady`, with a tokenizer that nobody can exchange."""

    def __init__(self) -> None:
        self._packer = MiniatureDeclared()
        self._packer.setup(str(model_path("tiny-gpt2")))

    def _inner(self) -> MiniatureDeclared:
        return self._packer

    @property
    def tokenizer(self) -> Any:
        return self._packer.tokenizer


class HoldsItself(MiniatureDeclared):
    def validation_semantics_identity(self) -> dict[str, Any]:
        declared = super().validation_semantics_identity()
        declared["me"] = declared
        return declared


class Unreadable(dict[str, Any]):
    def items(self) -> Any:
        raise OSError("no items today")


class DeclaresUnreadable(MiniatureDeclared):
    def validation_semantics_identity(self) -> dict[str, Any]:
        return Unreadable(super().validation_semantics_identity())


class LeavesTemplateOut(MiniatureDeclared):
    def _template(self) -> Any:
        return "a template"


class RollsOut:
    """Rolls out texts, and declares what it is."""

    def get_rollout_input(self, item: Any) -> Any:
        return item.representations["prompt"]

    def validation_semantics_identity(self) -> dict[str, Any]:
        return {"name": "RollsOut", "version": 1}


def outcomes(target: Any, **options: Any) -> dict[str, Outcome]:
    report = check_packer(target, level="resume", effort="quick", raise_on_failure=False, **options)
    return {one.requirement: one for one in report.subjects[0].outcomes}


@pytest.fixture
def declaring(project: Project) -> Project:
    project.write("declaring.py", DECLARING)
    return project


def test_a_packer_that_declares_nothing_does_not_have_the_level(project: Project) -> None:
    """The level claims a declaration: a packer without one is not conformant, and is told which method it lacks."""
    ran = project.pytest("--packer", "packers:Plain", *RESUME, "-rs")
    assert ran.code == 1
    assert "IDENT-1  MUST  A packer declares its identity through the two protocols" in ran.out
    assert "expected    a PackerSemanticsIdentity: a packer with validation_semantics_identity()" in ran.out
    assert re.search(r"3 of 3 applicable rules ran, .* not applicable: NOT CONFORMANT, 1 broken: IDENT-1", ran.out)
    assert "the packer does not satisfy PackerSemanticsIdentity" in ran.out
    assert "no resume gate named (--packer-gate)" in ran.out


def test_a_declaring_packer_with_its_gate_has_the_level(declaring: Project) -> None:
    """Packer and gate together leave no rule of the level untried, and the kit's own lock is tried along."""
    ran = declaring.pytest(
        "--packer", "declaring:MiniatureDeclared", "--packer-gate", "declaring:MiniatureGate", *RESUME,
        "--packer-model", "tiny-qwen",
    )  # fmt: skip
    assert ran.code == 0, ran.out
    assert re.search(r"(\d+) of \1 applicable rules ran, [\d,]+ cases: CONFORMANT", ran.out)


def test_a_loose_declaration_is_shown_with_what_changed(declaring: Project) -> None:
    """The failure names the change, the probe on which it shows, and the digests that are equal; its replay agrees."""
    given = ("--packer", "declaring:Loose", "--packer-model", "tiny-spm", "--packer-gate", "declaring:MiniatureGate")
    ran = declaring.pytest(*given, *RESUME, "--packer-select", "IDENT-9")
    assert ran.code == 1
    assert re.fullmatch(r"setup\('tiny-\w+'\) with another folder: the pad token", ran.line("call"))
    assert ran.line("expected").startswith("another identity: it shows on the probe ")
    assert re.fullmatch(r"the same one: semantics [0-9a-f]{8}, processor [0-9a-f]{8}", ran.line("got"))
    assert "declared too narrow: the pad token" in ran.out
    replay = ran.line("replay")
    assert replay == f"pytest {' '.join(given)} --packer-select IDENT-9 --packer-effort quick --packer-seed 0"
    again = declaring.shell(replay)
    assert (again.code, again.line("got")) == (1, ran.line("got"))
    kept = declaring.pytest("--packer-replay", ran.line("case"))
    assert (kept.code, kept.line("got")) == (1, ran.line("got"))


@pytest.mark.parametrize(
    ("gate", "said"),
    [
        ("declaring:NoGate", "expected a factory of a resume gate, an object with bind, admit, expect_semantics"),
        ("declaring:broken_gate", "it raised OSError: no gate today"),
        ("declaring:gone", "has no attribute 'gone'"),
        ("declaring", "expected a callable, got module"),
        ("", "nothing is named"),
    ],
)
def test_a_gate_that_is_none_is_a_usage_error(declaring: Project, gate: str, said: str) -> None:
    """What is wrong with the gate is told in one line before anything runs."""
    ran = declaring.pytest("--packer", "packers:Plain", "--packer-gate", gate, *RESUME)
    assert ran.code == 4
    assert f"--packer-gate {gate!r}" in ran.err
    assert said in ran.err
    assert "Traceback" not in ran.text


def test_a_gate_may_be_an_object_in_python() -> None:
    """`check_packer` takes a gate as it is; a class is no gate."""
    found = outcomes(Plain, gate=MiniatureGate(), select=["IDENT-2", "IDENT-16"])
    assert {id: one.status for id, one in found.items()} == {"IDENT-2": "pass", "IDENT-16": "pass"}
    with pytest.raises(UsageError, match="expected a factory of a resume gate"):
        check_packer(Plain, gate=MiniatureGate, level="resume")


def test_a_packer_that_is_built_ready_is_tried_by_its_tokenizer() -> None:
    """The kit exchanges the tokenizer of a packer without setup, and compares outputs and declarations."""
    found = outcomes(BuiltReady)
    assert {one.status for one in found.values()} == {"pass", "not applicable"}
    tried = {id for id, one in found.items() if one.status == "pass"}
    assert {"IDENT-1", "IDENT-3", "IDENT-6", "IDENT-7", "IDENT-8", "IDENT-9", "IDENT-14"} <= tried
    assert "on no model folder" in found["IDENT-10"].reason
    loose = outcomes(BuiltReadyByClass, select=["IDENT-7", "IDENT-8"])
    assert (loose["IDENT-7"].status, loose["IDENT-8"].status) == ("fail", "pass")


def test_what_cannot_be_changed_is_not_called_kept() -> None:
    """A packer that shows no tokenizer and takes no folder is not tried on changes, with the reason."""
    found = outcomes(RollsOut)
    assert found["IDENT-1"].status == found["IDENT-3"].status == found["IDENT-6"].status == "pass"
    for id in ("IDENT-7", "IDENT-8", "IDENT-9", "IDENT-10", "IDENT-14"):
        assert found[id].status == "not applicable"
        assert "the kit can change neither a model folder nor a tokenizer" in found[id].reason


def test_a_tokenizer_that_cannot_be_exchanged_is_told() -> None:
    """A property without a setter is a reason why rules of changes cannot be tried, and no failure of the kit."""
    found = outcomes(ReadOnly)
    for id in ("IDENT-7", "IDENT-8", "IDENT-9", "IDENT-14"):
        assert found[id].status == ("not tested" if id == "IDENT-7" else "not applicable")
        assert "the tokenizer of this packer cannot be exchanged" in found[id].reason


@pytest.mark.parametrize("packer", [HoldsItself, DeclaresUnreadable])
def test_an_odd_declaration_is_the_packers_fault(packer: Any) -> None:
    """A declaration that holds itself, or raises when it is read, breaks rules and never the kit."""
    found = outcomes(packer, models=["tiny-qwen"])
    assert found["IDENT-3"].status == "fail"
    assert "error" not in {one.status for one in found.values()}


def test_a_template_among_several_is_changed_too(tmp_path: Path) -> None:
    """On a model whose templates have names, a declaration without the template does not pass."""
    files = ModelFiles.read(model_path("tiny-qwen"))
    named = [{"name": "default", "template": files.template()}, {"name": "tool_use", "template": "{{ 1 }}"}]
    files.having(settings={**files.settings, "chat_template": named}).write(tmp_path)
    found = outcomes(LeavesTemplateOut, models=[str(tmp_path)], select=["IDENT-8"])
    assert found["IDENT-8"].status == "fail"
    assert outcomes(MiniatureDeclared, models=[str(tmp_path)], select=["IDENT-8"])["IDENT-8"].status == "pass"
