"""Chapter objectives, for streams and rewards: which are refused, and the advantages that groups of rewards give."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from packer_schemas.objective_cases import RewardsCase, ScoredRow, StreamCase
from packproof.consumers.subject import ObjectiveSubject
from packproof.objective_runs.calls import Scored, call_text, refused, scored
from packproof.objective_runs.compare import close
from packproof.objective_runs.ids_packer import IdsPacker
from packproof.objective_runs.strategies_streams import rewards, streams
from packproof.objective_runs.trajectories import ids_of, in_rows, recorded, selected
from packproof.registry import check
from packproof.violation import CallFailed, Unexercised, Violation

__all__: list[str] = []

_ODD: dict[str, Any] = {"None": None, "NaN": math.nan, "infinity": -math.inf, "too large": 1e39}
_ODD_REWARDS = {"NaN": math.nan, "infinity": math.inf}
_OTHER = ScoredRow(prompt_ids=[400, 401], completion_ids=[420])
_GOOD = ScoredRow(prompt_ids=[110, 111], completion_ids=[120])


@check("OBJ-8", cases=lambda *_: streams())
def obj_8(subject: ObjectiveSubject, case: StreamCase) -> None:
    """A stream that is needed and is absent, of another length than the completion, or not finite is refused with
    ValueError that names it."""
    from packproof.objective_runs.probe import Probe

    model, n = Probe(level=True), min(case.ignored, case.length)
    said: list[Any] = [int(entry < case.length - case.unsampled) for entry in range(case.length)]
    bad = ScoredRow(
        prompt_ids=[210, 211],
        completion_ids=list(range(220, 220 + case.length)),
        n_ignore_prefix_tokens=n,
        sampled=said if case.unsampled else None,
    )
    rows = [*[_GOOD] * case.place, bad, _GOOD]
    given = [recorded(row, model) for row in rows]
    advantages: list[Any] = [1.0] * len(rows)
    names = _spoil(case, given, advantages)
    options = {} if names == ["advantages", "groups"] else {"advantages": advantages}
    kind = case.objective
    call = f"{call_text(given, kind, 'packer', **options)}, {_defect(case)}{_unsampled(case)}"
    objective = subject.build(IdsPacker(), kind=kind)
    if names == ["advantages", "groups"]:
        refused(subject, call, lambda: objective(model, given))
    elif names:
        refused(subject, call, lambda: objective(model, given, **options), *names)
    else:
        run = partial(scored, subject, objective, model, given, call, **options)
        _expect_harmless(call, run, lambda: _is_read(case, run, given, advantages))


def _spoil(case: StreamCase, given: list[Any], advantages: list[Any]) -> list[str | int]:
    """Put the defect into the stream; what a message has to name, nothing where the stream is to be taken as it is."""
    place, entry, many = case.place, case.entry % case.length, case.length
    lengths = {"one too few": many - 1, "one too many": many + 1}
    value = _ODD.get(case.defect, 0.0)
    info = given[place].policy_info
    if case.stream == "an advantage":
        return _spoil_number(case, advantages, value)
    if case.stream == "advantages":
        if "absent" in case.defect:
            return ["advantages", "groups"]
        entries = advantages[place] = [1.0] * many
    else:
        entries = info["logprobs"]
    first, beyond = case.ignored, many - case.unsampled
    read = first <= entry < beyond if case.defect in _ODD else first < beyond
    needed = read and (case.stream == "advantages" or case.objective == "clipped")
    if not read and case.defect in lengths:
        raise Unexercised("nothing of the stream is read, and its length is wrong")
    if "absent" in case.defect:
        del info["logprobs"]
        if case.defect == "absent":
            return [place, "logprobs"] * needed
        info["logprobs_missing"] = [entry]
        return [place, "logprobs", entry] * needed
    if case.defect in _ODD:
        entries[entry] = value
        return [place, case.stream, entry] * needed
    entries[:] = [*entries, entries[-1]][: lengths[case.defect]]
    return [place, case.stream, lengths[case.defect], many] * needed


def _spoil_number(case: StreamCase, advantages: list[Any], value: Any) -> list[str | int]:
    """The same for advantages that are one number for each trajectory."""
    count = len(advantages)
    if "absent" in case.defect:
        return ["advantages", "groups"]
    if case.defect in _ODD:
        if case.ignored >= case.length - case.unsampled:
            raise Unexercised("an advantage that nothing stands beside")
        advantages[case.place] = value
        return [case.place, "advantage"]
    advantages[:] = [*advantages, 1.0][: count - 1 if case.defect == "one too few" else count + 1]
    return ["advantages", len(advantages), count]


def _defect(case: StreamCase) -> str:
    if case.defect in _ODD:
        where = f"entry {case.entry % case.length} of {case.stream}" if case.stream != "an advantage" else case.stream
        return f"{where} of trajectory {case.place} is {_ODD[case.defect]}"
    of = "" if case.stream == "an advantage" or "absent" in case.defect else f" of trajectory {case.place}"
    stream = "advantages" if case.stream == "an advantage" else case.stream
    return f"{stream}{of} {case.defect}"


def _unsampled(case: StreamCase) -> str:
    return f", the last {case.unsampled} of its completion ids not sampled" if case.unsampled else ""


def _is_read(case: StreamCase, run: Callable[[], Scored], given: Sequence[Any], advantages: list[Any]) -> bool:
    """Whether another number at the entry makes another loss; an absent stream has none."""
    if case.defect not in _ODD:
        return False
    stream = given[case.place].policy_info["logprobs"] if case.stream == "logprobs" else advantages[case.place]
    losses = []
    for number in (-6.0, -6.1):
        stream[case.entry % case.length] = number
        losses.append(run().loss)
    return not close(*losses)


def _expect_harmless(call: str, run: Callable[[], Scored], is_read: Callable[[], bool]) -> None:
    try:
        loss = f"{run().loss:g}"
    except CallFailed as error:
        loss = error.counterexample.got
    if loss not in {"nan", "inf", "-inf"} and not loss.startswith("raised"):
        return
    if is_read():
        raise Unexercised("the stream is read at other entries, of which OBJ-7 speaks")
    raise Violation.of(call, expected="a finite loss", got=loss, fault="what is not selected is looked at")


@check("OBJ-12", cases=lambda *_: rewards())
def obj_12(subject: ObjectiveSubject, case: RewardsCase) -> None:
    """A group advantage is the reward less the mean of its group, divided by the group's population standard deviation
    plus eps."""
    from packproof.objective_runs.probe import Probe

    model, count = Probe(level=True), len(case.rewards)
    values: list[Any] = [_ODD_REWARDS.get(one, one) if isinstance(one, str) else one for one in case.rewards]
    rows = [
        ScoredRow(prompt_ids=[110 + number, 111], completion_ids=list(range(120, 121 + number % 3)))
        for number in range(count)
    ]
    given = [recorded(row, model, reward) for row, reward in zip(rows, values, strict=True)]
    eps = {} if case.eps is None else {"eps": case.eps}
    made = f", eps={case.eps:g}" if case.eps is not None else ""
    call = f"make_objective(packer, kind='policy_gradient'{made})(model, trajectories, groups={case.groups})"
    call = f"{call}, rewards {values}"
    if case.eps is not None and case.eps < 0:
        factory = subject.factory
        refused(
            subject,
            call,
            lambda: factory(IdsPacker(), kind="policy_gradient", **eps)(model, given, groups=list(case.groups)),
        )
        return
    objective = subject.build(IdsPacker(), kind="policy_gradient", **eps)
    broken = [number for number, one in enumerate(values) if one is None or not math.isfinite(one)]
    if len(case.groups) != count or broken:
        names = [count, len(case.groups)] if len(case.groups) != count else broken[:1]
        refused(subject, call, lambda: objective(model, given, groups=list(case.groups)), *names)
        return
    if case.broken is not None:
        at = case.broken % count
        given[at] = in_rows(given[at], recorded(_OTHER, model))
        call = f"{call}, trajectory {at} of two rows"
    run = partial(scored, subject, objective, model, given, call)
    unit = _whole(case, rows, _unit(case, rows, run))
    got = _whole(case, rows, run(groups=list(case.groups)).weights(_row_ids(case, rows)))
    _expect_advantages(
        call, case, values, eps.get("eps", 1e-6), [_over(line, by) for line, by in zip(got, unit, strict=True)]
    )


def _row_ids(case: RewardsCase, rows: Sequence[ScoredRow]) -> list[list[int]]:
    """The rows of the batch: one for each trajectory, and a second one of that which is broken."""
    return [ids_of(row) for row in ([*rows, _OTHER] if case.broken is not None else rows)]


def _whole(case: RewardsCase, rows: Sequence[ScoredRow], lines: list[list[float]]) -> list[list[float]]:
    """The weights of each trajectory, in all of its rows."""
    own = lines[: len(rows)]
    if case.broken is not None:
        own[case.broken % len(rows)] = own[case.broken % len(rows)] + lines[-1]
    return own


def _unit(case: RewardsCase, rows: Sequence[ScoredRow], run: Callable[..., Scored]) -> list[list[float]]:
    """The weight of every prediction of an advantage of 1; `Unexercised` where it shows a fault of another kind."""
    owners = [*range(len(rows)), *([] if case.broken is None else [case.broken % len(rows)])]
    given = [1.0 + number * (case.broken is not None) for number in range(len(rows))]
    try:
        found = run(advantages=given).weights(_row_ids(case, rows))
    except CallFailed as error:
        if case.broken is None or not isinstance(error.__cause__, ValueError):
            raise
        raise Unexercised("turns that do not continue each other are refused, as OBJ-14 allows") from None
    places = [selected(row) for row in ([*rows, _OTHER] if case.broken is not None else rows)]
    if [[at for at, one in enumerate(line) if one] for line in found] != places:
        raise Unexercised("the gradient is not where it is to be, of which OBJ-5 speaks")
    unit = [[one / given[owner] for one in line] for owner, line in zip(owners, found, strict=True)]
    if not all(math.isclose(one, unit[0][places[0][0]], rel_tol=1e-3) for line in unit for one in line if one):
        raise Unexercised("an advantage does not stand in all rows of its trajectory, of which OBJ-14 speaks")
    return unit


def _over(weights: Sequence[float], unit: Sequence[float]) -> list[float]:
    """The advantage at every selected prediction, in which neither logprobs nor the denominator is left."""
    return [one / by for one, by in zip(weights, unit, strict=True) if by]


def _expect_advantages(
    call: str, case: RewardsCase, values: list[Any], eps: float, got: Sequence[Sequence[float]]
) -> None:
    wanted = _advantages(values, case.groups, eps, 0)
    alone = [
        len({one for one, of in zip(values, case.groups, strict=True) if of == label}) < 2 for label in case.groups
    ]
    found = [
        next((one for one in line if not _near(one, want, exact)), line[0])
        for line, want, exact in zip(got, wanted, alone, strict=True)
    ]
    if all(map(_near, found, wanted, alone)):
        return
    shown: dict[str, list[int] | list[str]] = {
        "trajectory": [str(number) for number in range(len(wanted))],
        "label": [str(label) for label in case.groups],
        "reward": [f"{one:g}" for one in values],
        "expected": [f"{one:.6f}" for one in wanted],
        "got": [f"{one:.6f}" for one in found],
    }
    sample = _advantages(values, case.groups, eps, 1)
    fault = "the sample deviation" if all(map(_near, found, sample, alone)) else ""
    raise Violation.of(f"{call}: advantages", rows=shown, fault=fault)


def _near(got: float, wanted: float, exact: bool) -> bool:
    """Whether an advantage is right within 1e-5; exactly, where all rewards of its group are equal."""
    return got == wanted if exact else abs(got - wanted) <= 1e-5 * max(1.0, abs(wanted))


def _advantages(values: Sequence[float], groups: Sequence[Any], eps: float, less: int) -> list[float]:
    """By the rule; with `less` of 1 by the deviation of the sample."""
    made = []
    for value, label in zip(values, groups, strict=True):
        group = [one for one, other in zip(values, groups, strict=True) if other == label]
        mean = math.fsum(group) / len(group)
        spread = math.sqrt(math.fsum((one - mean) ** 2 for one in group) / max(len(group) - less, 1))
        made.append(0.0 if max(group) == min(group) else (value - mean) / (spread + eps))
    return made
