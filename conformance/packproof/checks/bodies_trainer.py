"""Chapter bodies, what stands around a body: who builds packers, what roles read, and the filter of the reward step."""

import copy
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from packer_schemas import FORWARD_REPLAY_BATCH_KEY, Trajectory
from packer_schemas.trainer_cases import PackersOfARunCase, Role, RoleInputCase, SharedPrefixCase
from packer_spec.oracle.masks import mask
from packproof.consumers.subject import TrainerSubject
from packproof.driver import calling, finished, refusal, short
from packproof.expect import expect_ids, expect_mask
from packproof.load import describe
from packproof.models import model_path
from packproof.registry import check
from packproof.rollouts.messages import expect_numbers
from packproof.rollouts.packers import sample_of
from packproof.rollouts.recorded import ROUTED
from packproof.same import same
from packproof.trainers.factories import BUILT, STUDENT, TEACHER, StudentPacker, TeacherPacker
from packproof.trainers.strategies import packers_of_a_run, role_inputs, shared_prefixes
from packproof.trainers.watched import RoutedWatchedPacker, WatchedPacker, rolled_out
from packproof.views import BatchView, PolicyView
from packproof.violation import CallFailed, Unexercised, Violation
from packproof.zoo.tokenizers import own_tokenizer

__all__: list[str] = []

_STUDENTS = ("rollout", "policy", "reward", "teacher_codec")
_N = "n_ignore_prefix_tokens"


@check("BODY-17", cases=lambda *_: role_inputs())
def body_17(subject: TrainerSubject, case: RoleInputCase) -> None:
    """Policy, reference and critic read one policy input of a trajectory, made once by the rollout side's packer."""
    parts, packer, trajectories = subject.build(), _packer(case), rolled_out(case)
    call = f"record_model_inputs(packer, {_lengths(trajectories)})"
    if case.routing == "recorded, and policy inputs are mappings":
        _expect_no_room(subject, parts, packer, trajectories, call)
        return
    with calling(call, subject.note):
        parts.record_model_inputs(packer, trajectories)
    _expect_made_once(call, packer, trajectories, case)
    for one, given in zip(trajectories, case.trajectories, strict=True):
        if given.ignored:
            one.policy_info[_N] = given.ignored
    batches = {role: _batch(subject, parts, role, trajectories, case) for role in get_args(Role)}
    first = batches["policy"].columns
    for batch in batches.values():
        for name in batch.columns:
            if name in first and not same(first[name], batch.columns[name]):
                got = short(batch.columns[name])
                raise Violation.of(f"{batch.call}; {name}, beside the policy's", expected=short(first[name]), got=got)


def _packer(case: RoleInputCase) -> WatchedPacker:
    return (RoutedWatchedPacker if case.routing == "recorded" else WatchedPacker)("tiny-llama3")


def _expect_no_room(subject: TrainerSubject, parts: Any, packer: Any, trajectories: Any, call: str) -> None:
    """Policy inputs that are mappings carry no record, and one is refused rather than lost."""
    wanted = f"TypeError or ValueError that names {ROUTED}"
    told = f"{call}, with {ROUTED}, by a packer whose policy inputs are mappings"
    accept = (TypeError, ValueError)
    error = refusal(
        told,
        lambda: parts.record_model_inputs(packer, trajectories),
        subject.note,
        accept=accept,
        wording=wanted,
    )
    if ROUTED not in str(error):
        fault = "the message does not name the record"
        raise Violation.of(told, expected=wanted, got=f"raised {describe(error)}", fault=fault)


def _lengths(trajectories: Sequence[Trajectory]) -> str:
    lengths = [len(one.policy_info.get("prompt_ids", ())) + len(one.completion) for one in trajectories]
    return f"trajectories of length {lengths}"


def _expect_made_once(
    call: str, packer: WatchedPacker, trajectories: Sequence[Trajectory], case: RoleInputCase
) -> None:
    wanted = [(one.completion, 0, one.prompt_ids) for one in case.trajectories]
    got = [tuple(map(_plain, one)) for one in packer.named("get_policy_input")]
    if got != wanted:
        told = f"{call}; what get_policy_input was called with: completion, {_N}, prompt_ids"
        raise Violation.of(told, expected=short(wanted), got=short(got))
    for at, (one, given) in enumerate(zip(trajectories, case.trajectories, strict=True)):
        made: Any = one.policy_info.get("model_inputs")
        told = f"{call}; model_inputs of trajectory {at}"
        if made is None:
            raise Violation.of(told, expected="a policy input", got="nothing")
        view = PolicyView.of(made, told)
        expect_ids(told, [*given.prompt_ids, *given.completion], view.ids)
        expect_mask(told, view.ids, mask(len(given.prompt_ids), len(given.completion)), view.marks)
        record = one.policy_info.get(ROUTED)
        if record is not None and not same(record, getattr(made, "forward_routing", None)):
            got = short(getattr(made, "forward_routing", None))
            raise Violation.of(f"{told}; forward_routing", expected="the trajectory's record", got=got)


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) or hasattr(value, "tolist") else value


def _batch(
    subject: TrainerSubject, parts: Any, role: str, trajectories: Sequence[Trajectory], case: RoleInputCase
) -> BatchView:
    """What a role reads, with a packer of its own that must not be asked for ids again."""
    packer = _packer(case)
    call = f"role_batch({role!r}, packer, {_lengths(trajectories)})"
    with calling(call, subject.note):
        batch = BatchView.of(finished(parts.role_batch(role, packer, trajectories), call), call)
    asked = [name for name, _ in packer.asked if name.startswith(("tokenizer", "get_"))]
    if asked:
        raise Violation.of(f"{call}; what was asked of the packer besides collation", expected="nothing", got=asked[0])
    for row, given in enumerate(case.trajectories):
        ids = [*given.prompt_ids, *given.completion]
        told = f"{call}; row {row}"
        if not batch.holds(row, len(ids)):
            shape = list(batch.ids.shape)
            raise Violation.of(told, expected=f"input_ids of {len(case.trajectories)} rows", got=f"shape {shape}")
        expect_ids(told, ids, batch.row_ids(row)[: len(ids)])
        marks = mask(len(given.prompt_ids), len(given.completion), given.ignored)
        expect_mask(told, ids, marks, batch.row_marks(row)[: len(ids)], prompt_len=len(given.prompt_ids))
    if role == "policy" and case.routing == "recorded" and FORWARD_REPLAY_BATCH_KEY not in batch.columns:
        raise Violation.of(f"{call}; {FORWARD_REPLAY_BATCH_KEY}", expected="the recorded experts", got="no such key")
    return batch


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


@check("BODY-20", cases=lambda *_: shared_prefixes())
def body_20(subject: TrainerSubject, case: SharedPrefixCase) -> None:
    """Shared-prefix filtering sets n_ignore_prefix_tokens to the longest beginning, short of the whole, that a
    completion shares with a differently rewarded one of its group."""
    packer = WatchedPacker("tiny-llama3")
    trajectories = [_rewarded(one.completion, one.reward) for one in case.completions]
    labels = [one.group for one in case.completions]
    parts = subject.build()
    told = [one.completion for one in case.completions]
    rewards = [one.reward for one in case.completions]
    call = f"ignore_shared_prefixes({short(told)}, rewards={short(rewards)}, groups={short(labels)}, {case.minimum})"

    def ask() -> Any:
        return parts.ignore_shared_prefixes(trajectories, labels, case.minimum, packer)

    unrewarded = [at for at, one in enumerate(case.completions) if one.reward is None]
    if type(case.minimum) is not int or case.minimum < 1:
        refusal(call, ask, subject.note, accept=(ValueError,), wording="ValueError")
        return
    if unrewarded:
        wanted = "ValueError that names the trajectory without a reward"
        error = refusal(call, ask, subject.note, accept=(ValueError,), wording=wanted)
        expect_numbers(call, error, [{at} for at in unrewarded], wanted)
        return
    with calling(call, subject.note):
        ask()
    bare = own_tokenizer(str(model_path("tiny-llama3")))
    streams = [one if isinstance(one, list) else bare(one, add_special_tokens=False)["input_ids"] for one in told]
    wanted = [_ignored(at, streams, rewards, labels, case.minimum) for at in range(len(streams))]
    got = [one.policy_info.get(_N, 0) for one in trajectories]
    if got != wanted:
        raise Violation.of(
            call,
            rows={"completion": list(range(len(wanted))), "expected": wanted, "got": [str(one) for one in got]},
            fault=_misfiltered(wanted, got, streams, labels),
        )


def _rewarded(completion: list[int] | str, reward: float | None) -> Trajectory:
    own = {} if isinstance(completion, str) else {"completion_ids": list(completion)}
    info: Any = {"prompt_ids": [110]} | own
    return Trajectory(obs=sample_of("Hi"), completion=copy.copy(completion), policy_info=info, reward=reward)


def _shared(one: Sequence[int], other: Sequence[int]) -> int:
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _ignored(at: int, streams: Sequence[Any], rewards: Sequence[Any], labels: Sequence[Any], least: int) -> int:
    """The number of BODY-20, by its formula."""
    others = [
        _shared(streams[at], streams[other])
        for other in range(len(streams))
        if labels[other] == labels[at] and rewards[other] != rewards[at]
    ]
    return max((count for count in others if least <= count < len(streams[at])), default=0)


def _misfiltered(wanted: Sequence[int], got: Sequence[Any], streams: Sequence[Any], labels: Sequence[Any]) -> str:
    """The name of what is wrong, where it is of a known shape."""
    common = [
        min(_shared(streams[at], streams[other]) for other in range(len(streams)) if labels[other] == labels[at])
        for at in range(len(streams))
    ]
    if list(got) == common and len(got) > 1:
        return "the beginning common to the whole group"
    if any(number == len(ids) > 0 for number, ids in zip(got, streams, strict=True)):
        return "the whole completion"
    return "of equally rewarded completions too" if all(a <= b for a, b in zip(wanted, got, strict=True)) else ""
