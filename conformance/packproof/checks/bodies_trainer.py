"""Chapter bodies, what stands around a body: what roles read, and the filter of the reward step."""

import copy
from collections.abc import Sequence
from typing import Any, get_args

from packer_schemas import FORWARD_REPLAY_BATCH_KEY, Trajectory
from packer_schemas.trainer_cases import Role, RoleInputCase, SharedPrefixCase
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
from packproof.trainers.strategies import role_inputs, shared_prefixes
from packproof.trainers.watched import RoutedWatchedPacker, WatchedPacker, rolled_out
from packproof.views import BatchView, PolicyView
from packproof.violation import Violation
from packproof.zoo.tokenizers import own_tokenizer

__all__: list[str] = []

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
