"""Chapter bodies, the packers of a run: whose factory builds which of them, and which are built at all."""

import copy
from collections.abc import Mapping
from typing import Any

from packer_schemas.trainer_cases import PackersOfARunCase
from packproof.consumers.subject import TrainerSubject
from packproof.driver import calling, finished, short
from packproof.models import model_path
from packproof.registry import check
from packproof.trainers.factories import BUILT, STUDENT, TEACHER, StudentPacker, TeacherPacker
from packproof.trainers.strategies import packers_of_a_run
from packproof.violation import CallFailed, Unexercised, Violation
from packproof.zoo.tokenizers import own_tokenizer

__all__: list[str] = []

_STUDENTS = ("rollout", "policy", "reward", "teacher_codec")


@check("BODY-18", cases=lambda *_: packers_of_a_run())
def body_18(subject: TrainerSubject, case: PackersOfARunCase) -> None:
    """Rollout, policy, reward filter and the teacher's codec for student ids all build their packers from the student's
    factory."""
    settings = _settings(case, str(model_path("tiny-llama3")))
    call, packers = _packers(subject, settings)
    wanted = [role for role in _STUDENTS if _has(role, case)]
    missing = [role for role in wanted if role not in packers]
    if missing:
        raise Violation.of(f"{call}; roles with a packer", expected=wanted, got=list(packers))
    named = {role: _built_by(packers[role], settings) for role in wanted}
    told = "student's" if case.factory else named["policy"]
    rows: dict[str, Any] = {"role": wanted, "expected": [told] * len(wanted), "got": list(named.values())}
    if set(named.values()) != {told}:
        raise Violation.of(f"{call}; whose packer they have", rows=rows)
    shared = {role for role in wanted for other in wanted if role != other and packers[role] is packers[other]}
    if shared:
        raise Violation.of(f"{call}; packers", expected="one for each role", got=f"one for {', '.join(sorted(shared))}")


def _built_by(packer: Any, settings: Mapping[str, Any]) -> str:
    """Whose a packer is: by its class and the arguments of its setup, or by what its tokenizer makes of a text."""
    if not settings["factory"]:
        state = "set up" if _reads_as(packer, settings["model"]) else "not set up"
        return f"a {type(packer).__name__}, {state} with the student's model"
    if type(packer) is not StudentPacker:
        return "teacher's" if isinstance(packer, TeacherPacker) else f"a {type(packer).__name__}"
    model, trust = packer.set_up_with or ("nothing", False)
    if model != settings["model"]:
        return f"student's, set up with {model.rpartition('/')[2]}"
    return "student's" if trust == settings["trust_remote_code"] else f"student's, trust_remote_code={trust}"


def _settings(case: PackersOfARunCase, teacher: str, factory: str = TEACHER) -> dict[str, Any]:
    settings: dict[str, Any] = {
        "model": str(model_path("tiny-qwen")),
        "factory": STUDENT if case.factory else "",
        "trust_remote_code": case.trust_remote_code,
        "shared_prefix": case.shared_prefix,
        "distillation": case.distillation,
    }
    return settings | ({"teacher_model": teacher, "teacher_model_factory": factory} if case.distillation else {})


def _has(role: str, case: PackersOfARunCase) -> bool:
    return {
        "reward": case.shared_prefix is not None,
        "teacher_codec": case.distillation is not None,
        "teacher_model": case.distillation == "cross_token_multimodal",
    }.get(role, True)


def _packers(subject: TrainerSubject, settings: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The call, and the packers by role."""
    told = {
        name: str(value).rpartition("/")[2] if name.endswith("model") else value
        for name, value in settings.items()
        if value or name.endswith("factory")
    }
    call = f"build_packers({told})"
    BUILT.clear()
    with calling(call, subject.note):
        made = finished(subject.build().build_packers(copy.deepcopy(settings)), call)
    if not isinstance(made, Mapping):
        raise CallFailed(call, f"returned {short(made)}", "a mapping from roles to packers")
    return call, {role: packer for role, packer in made.items() if packer is not None}


@check("BODY-19", cases=lambda *_: packers_of_a_run())
def body_19(subject: TrainerSubject, case: PackersOfARunCase) -> None:
    """The reward packer and the teacher-model packer are built only where an enabled feature uses them."""
    used = case.distillation == "cross_token_multimodal"
    folder = str(model_path("tiny-llama3")) if used else "/no/such/teacher"
    settings = _settings(case, folder, TEACHER if case.teacher_factory else "")
    try:
        call, packers = _packers(subject, settings)
    except CallFailed as error:
        if used and not case.teacher_factory and isinstance(error.__cause__, ValueError | TypeError):
            raise Unexercised("it takes no text model for a multimodal teacher") from None
        if used or not case.distillation:
            raise
        found = error.counterexample
        wanted = "packers for the student, whatever lies at the teacher's model"
        raise Violation.of(found.call, expected=wanted, got=found.got) from None
    for role in ("reward", "teacher_model"):
        if (role in packers) and not _has(role, case):
            raise Violation.of(
                f"{call}; packer of {role}", expected="none, for nothing uses it", got=short(packers[role])
            )
    called = sum(isinstance(one, TeacherPacker) for one in BUILT)
    if called and not used:
        raise Violation.of(f"{call}; calls of the teacher's factory", expected=0, got=called)
    if used:
        _expect_teacher(call, packers.get("teacher_model"), settings)
    most = sum(_has(role, case) for role in _STUDENTS)
    called = len(BUILT) - called
    if called > most:
        raise Violation.of(f"{call}; calls of the student's factory", expected=f"{most} at most", got=called)


def _expect_teacher(call: str, packer: Any, settings: Mapping[str, Any]) -> None:
    """The packer of the teacher's model is made by its factory, or selected by the model's type where there is none."""
    factory, model = settings["teacher_model_factory"], settings["teacher_model"]
    wanted = "one from the teacher's factory" if factory else "one that the teacher's model type selects"
    told = f"{call}; packer of teacher_model"
    if packer is None:
        raise Violation.of(told, expected=wanted, got="none")
    if not factory and (isinstance(packer, StudentPacker) or not _reads_as(packer, model)):
        whose = "student's" if _reads_as(packer, settings["model"]) else "another"
        raise Violation.of(
            told, expected=f"{wanted}, set up with it", got=f"a {type(packer).__name__}, with the {whose} tokenizer"
        )


def _reads_as(packer: Any, model: str) -> bool:
    """Whether a packer makes the same ids of a text as the tokenizer of a model."""
    ids = list(packer.tokenizer("Hi", add_special_tokens=False)["input_ids"])
    return ids == list(own_tokenizer(model)("Hi", add_special_tokens=False)["input_ids"])
