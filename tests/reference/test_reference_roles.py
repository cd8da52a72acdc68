"""Every role of a run builds its own packer, from one setting, and only where it has a use for one."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from packer_reference import DecoderOnlyLLMDataPacker, ResumeGate
from packer_reference.roles import RolePackers, teacher_identity
from packer_schemas import DataPackerBuildSpec, DataPackerFactories
from packproof.models import resolve_model

MODULE = """
from packer_reference import DecoderOnlyLLMDataPacker

calls = []


class Student(DecoderOnlyLLMDataPacker):
    def setup(self, name_or_path, trust_remote_code=False):
        calls.append(("setup", type(self).__name__, name_or_path, trust_remote_code))
        super().setup(name_or_path, trust_remote_code)


class Teacher(Student):
    fps = 2.0

    def processor_semantics_identity(self):
        return {"video": {"fps": self.fps}}


def student():
    calls.append(("student",))
    return Student()


def teacher():
    calls.append(("teacher",))
    return Teacher()
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A module of factories that write down their calls."""
    (tmp_path / "role_factories.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))
    import role_factories  # pyright: ignore[reportMissingImports]

    yield role_factories
    sys.modules.pop("role_factories")


def roles(teacher: bool = True) -> RolePackers:
    """The roles of a distillation run with a factory for each model."""
    factories = DataPackerFactories(factory="role_factories.student", teacher_model_factory="role_factories.teacher")
    student = factories.spec(resolve_model("tiny-qwen"))
    other = factories.spec(resolve_model("tiny-llama3"), role="teacher", trust_remote_code=True)
    return RolePackers(student, other if teacher else None)


def test_all_student_roles_build_from_one_setting(module: Any) -> None:
    """Rollout, policy, reward and the teacher's codec are instances of their own, of one class, set up alike."""
    run = roles()
    built = [run.rollout(), run.policy(), run.reward(True), run.teacher_codec()]
    assert [type(packer) for packer in built] == [module.Student] * 4
    assert len({id(packer) for packer in built}) == 4
    setups = [call for call in module.calls if call[0] == "setup"]
    assert setups == [("setup", "Student", resolve_model("tiny-qwen"), False)] * 4


def test_without_factories_the_models_type_decides() -> None:
    """Where the setting is empty all roles select by the student's model."""
    run = RolePackers(DataPackerBuildSpec(name_or_path=resolve_model("tiny-qwen")))
    built = [run.rollout(), run.policy(), run.reward(True), run.teacher_codec()]
    assert {type(packer) for packer in built} == {DecoderOnlyLLMDataPacker}


def test_packers_that_nobody_uses_are_not_built(module: Any) -> None:
    """Without filtering the reward side, and in the same-token mode the teacher's model, calls no factory."""
    run = roles()
    assert run.reward(False) is None
    assert run.teacher_model("same_token") is None
    assert module.calls == []
    assert type(run.teacher_model("cross_token_multimodal")) is module.Teacher
    assert module.calls == [("teacher",), ("setup", "Teacher", resolve_model("tiny-llama3"), True)]


def test_a_cross_token_teacher_needs_a_spec_and_a_processor(module: Any) -> None:
    """Without a teacher's setting, or with a packer that declares no processor, the mode is refused."""
    with pytest.raises(ValueError, match="needs the teacher's spec"):
        roles(teacher=False).teacher_model("cross_token_multimodal")
    selected = RolePackers(roles().student, DataPackerBuildSpec(name_or_path=resolve_model("tiny-gpt2")))
    with pytest.raises(TypeError, match="declares no processor identity"):
        selected.teacher_model("cross_token_multimodal")


def test_teachers_that_process_differently_do_not_resume_each_other(module: Any) -> None:
    """A run is bound to its teacher's processor; a fresh teacher of the same is admitted, another is named by field."""
    first, again, other = (roles().teacher_model("cross_token_multimodal") for _ in range(3))
    other.fps = 4.0
    gate = ResumeGate()
    saved = gate.bind(first)
    gate.admit(saved, again)
    with pytest.raises(ValueError, match=r"processor\.video\.fps.*2\.0.*4\.0"):
        gate.admit(saved, other)
    assert teacher_identity(first) == teacher_identity(again)
    assert teacher_identity(first).sha256 != teacher_identity(other).sha256
    assert list(teacher_identity(first).parts) == ["processor"]


def test_the_teacher_s_identity_is_its_processor_s(module: Any) -> None:
    """Teachers on different tokenizers with equal processors have one, and a text packer has none."""
    first = roles().teacher_model("cross_token_multimodal")
    other = module.Teacher()
    other.setup(resolve_model("tiny-gpt2"))
    assert teacher_identity(first).sha256 == teacher_identity(other).sha256
    with pytest.raises(TypeError, match="declares no processor identity"):
        teacher_identity(roles().policy())


@pytest.mark.parametrize("arguments", [(None,), ("model",), (DataPackerBuildSpec(name_or_path="m"), "teacher")])
def test_what_is_no_spec_is_refused(arguments: Any) -> None:
    """A name in the place of a build spec is a TypeError at once."""
    with pytest.raises(TypeError, match="expected a DataPackerBuildSpec"):
        RolePackers(*arguments)


def test_the_reward_side_is_asked_with_a_bool() -> None:
    """A text such as "false" does not build a packer."""
    with pytest.raises(TypeError, match="shared_prefix_filtering is 'false'"):
        RolePackers(DataPackerBuildSpec(name_or_path="m")).reward("false")  # pyright: ignore[reportArgumentType]
