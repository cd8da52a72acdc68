"""Chapter objectives, for rows that are not a single turn: what is joined, and what of it has weight."""

import math
from collections.abc import Sequence
from typing import Any

from packer_schemas.objective_cases import ScoredRow, TurnsCase
from packproof.consumers.subject import ObjectiveSubject
from packproof.expect import expect_ids
from packproof.objective_runs.calls import Scored, call_text, expect_named, refused, scored
from packproof.objective_runs.ids_packer import IdsPacker
from packproof.objective_runs.strategies_turns import conversations, sampled_turns
from packproof.objective_runs.trajectories import found_in, ids_of, recorded
from packproof.objective_runs.turns import Joined, conversation, first_difference, joined, sampled_of
from packproof.registry import check
from packproof.violation import CallFailed, Unexercised, Violation

__all__: list[str] = []


@check("OBJ-14", cases=lambda *_: conversations())
def obj_14(subject: ObjectiveSubject, case: TurnsCase) -> None:
    """Turns are joined to one row only where the next prompt begins with all ids of the row so far."""
    _expect_usable(case)
    rows = joined(case.turns)
    _expect_plain_rows_right(subject, case)
    try:
        call, got, advantages = _scored(subject, case, sampled=False)
    except CallFailed as error:
        if len(rows) == 1 or not isinstance(error.__cause__, ValueError):
            raise
        turn = rows[1].turns[0]
        told = turn + (f"{turn + 1}" in str(error.__cause__))  # counted from 0 or from 1
        expect_named(error.counterexample.call, error.__cause__, 0, told, first_difference(case.turns, turn))
        return
    _expect_these_rows(call, rows, got)
    weights = got.weights([row.ids for row in rows])
    for number, (row, line) in enumerate(zip(rows, weights, strict=True)):
        own = [_wanted(case, row, at, advantages) for at in range(len(line))]
        scale = _scale(own, line)
        have = [one / scale if one else 0.0 for one in line]
        have = [
            have[at] if row.entries[at] is not None or at < row.prompt_len - 1 else own[at] for at in range(len(own))
        ]
        if not all(math.isclose(one, other, rel_tol=1e-2) for one, other in zip(own, have, strict=True)):
            _tell_weights(f"{call}: weight in row {number}", row, own, have)


def _expect_usable(case: TurnsCase) -> None:
    n, first = case.n_ignore_prefix_tokens, len(case.turns[0].completion_ids)
    if n and not case.with_packer:
        raise Unexercised("n_ignore_prefix_tokens without a packer, of which OBJ-2 speaks")
    if n > first:
        raise Unexercised(f"n_ignore_prefix_tokens is {n}, and the first turn has {first} completion ids")
    if n >= sum(len(turn.completion_ids) for turn in case.turns):
        raise Unexercised("nothing is selected, of which OBJ-10 speaks")


_PLAIN = ScoredRow(prompt_ids=[110, 111], completion_ids=[120, 121, 122], ratios=[1.02, 1.04, 1.06])


def _expect_plain_rows_right(subject: ObjectiveSubject, case: TurnsCase) -> None:
    """`Unexercised` where a single turn is not scored as it is to be: other rules speak of that."""
    from packproof.objective_runs.probe import Probe

    model, packer = Probe(level=True), _packer(case)
    given = [recorded(_PLAIN, model)]
    call = call_text(given, case.objective, packer)
    objective = subject.build(packer, kind=case.objective)
    got = scored(subject, objective, model, given, call, advantages=[[1.0, 2.0, 3.0]]).weights([ids_of(_PLAIN)])[0]
    wanted = [0.0, *(1.02, 2.08, 3.18), 0.0] if case.objective == "clipped" else [0.0, 1.0, 2.0, 3.0, 0.0]
    if not all(
        math.isclose(one, want * got[1] / wanted[1], rel_tol=1e-2) for one, want in zip(got, wanted, strict=True)
    ):
        raise Unexercised("a single turn is not scored as it is to be, of which other rules speak")
    if packer is not None and any(one.prompt_ids is None for one in packer.asked):
        raise Unexercised("the stored prompt ids do not reach the packer, of which OBJ-1 speaks")


def _packer(case: TurnsCase) -> IdsPacker | None:
    return IdsPacker() if case.with_packer else None


def _scored(subject: ObjectiveSubject, case: TurnsCase, *, sampled: bool) -> tuple[str, Scored, list[float]]:
    """The call, what it gave, and the advantage of each completion id.

    Advantages are 1, 2, 3 and so on, so that it shows which of them stands where; and all 1 where n leaves some out.
    """
    from packproof.objective_runs.probe import Probe

    model, count = Probe(level=True), sum(len(turn.completion_ids) for turn in case.turns)
    plain = sampled or case.n_ignore_prefix_tokens > 0
    ratios = [1.0 if plain else 1.0 + 0.02 * (place % 5) for place in range(count)]
    own = model.logprobs([0, 0])[0]
    given = [conversation(case, [own - math.log(one) for one in ratios], sampled=sampled)]
    advantages = [1.0] * count if plain else [1.0 + place for place in range(count)]
    handed: list[Any] = [1.0] if plain else [list(advantages)]
    call = call_text(given, case.objective, _packer(case), advantages=handed)
    got = scored(subject, subject.build(_packer(case), kind=case.objective), model, given, call, advantages=handed)
    ratios = ratios if case.objective == "clipped" else [1.0] * count
    return call, got, [ratio * one for ratio, one in zip(ratios, advantages, strict=True)]


def _expect_these_rows(call: str, rows: Sequence[Joined], got: Scored) -> None:
    """The model was given these rows and no others."""
    given = [ids for ids, _ in got.rows]
    for number, row in enumerate(rows):
        have = given[min(number, len(given) - 1)] if given else []
        if not any(found_in(ids, row.ids) is not None for ids in given):
            fault = "turns are joined that do not continue each other" if len(given) < len(rows) else ""
            expect_ids(f"{call}: row {number}", row.ids, have[: max(len(row.ids), 1)], fault=fault)
    if len(given) != len(rows):
        fault = "a turn that continues the row begins another one" if len(given) > len(rows) else ""
        raise Violation.of(f"{call}: number of rows", expected=len(rows), got=len(given), fault=fault)


def _wanted(case: TurnsCase, row: Joined, at: int, advantages: Sequence[float]) -> float:
    """The weight at a position, but for the denominator."""
    entry = row.entries[at] if at < len(row.entries) else None
    ignored = 0 in row.turns and entry is not None and entry < case.n_ignore_prefix_tokens
    return 0.0 if entry is None or ignored else advantages[entry]


def _scale(wanted: Sequence[float], weights: Sequence[float]) -> float:
    """What the weights of a row were divided by, as the first of them has it: of that, OBJ-9 speaks."""
    return next((have / want for want, have in zip(wanted, weights, strict=True) if want and have), 1.0)


def _tell_weights(call: str, row: Joined, wanted: Sequence[float], got: Sequence[float]) -> None:
    shown: dict[str, list[int] | list[str]] = {
        "position": list(range(len(row.ids))),
        "input_ids": row.ids,
        "expected": [f"{one:.4g}" for one in wanted],
        "got": [f"{one:.4g}" for one in got],
    }
    raise Violation.of(call, rows=shown)


@check("OBJ-15", cases=lambda *_: sampled_turns())
def obj_15(subject: ObjectiveSubject, case: TurnsCase) -> None:
    """An id that the model did not sample carries no weight."""
    _expect_usable(case)
    if any(_unfit(turn.sampled, len(turn.completion_ids)) for turn in case.turns):
        _expect_sampled_refused(subject, case)
        return
    rows = joined(case.turns)
    if len(rows) > 1:
        raise Unexercised("a turn does not continue the last, of which OBJ-14 speaks")
    row, said = rows[0], sampled_of(case.turns)
    if not any(said[case.n_ignore_prefix_tokens :]):
        raise Unexercised("nothing is selected, of which OBJ-10 speaks")
    _expect_plain_rows_right(subject, case)
    call, got, _ = _scored(subject, case, sampled=True)
    if len(got.rows) != 1:
        raise Unexercised("turns that continue each other are not joined, of which OBJ-14 speaks")
    marks = [int(one != 0) for one in got.weights([row.ids])[0]]
    n = case.n_ignore_prefix_tokens
    wanted = [int(entry is not None and entry >= n and said[entry] == 1) for entry in row.entries]
    if wanted == marks:
        return
    shown: dict[str, list[int] | list[str]] = {
        "position": list(range(len(row.ids))),
        "input_ids": row.ids,
        "expected": wanted,
        "got": marks,
    }
    trained = [at for at, (want, have) in enumerate(zip(wanted, marks, strict=True)) if have > want]
    suffix = bool(trained) and all(row.entries[at] is None for at in trained)
    fault = (
        "a suffix that nobody sampled is trained" if suffix else "what was not sampled is trained" if trained else ""
    )
    said_text = "" if all(said) else f", sampled {said}"
    raise Violation.of(f"{call}{said_text}: where a gradient is", rows=shown, fault=fault)


def _unfit(sampled: Sequence[int] | None, count: int) -> bool:
    return sampled is not None and (len(sampled) != count or not set(sampled) <= {0, 1})


def _expect_sampled_refused(subject: ObjectiveSubject, case: TurnsCase) -> None:
    from packproof.objective_runs.probe import Probe

    model, count = Probe(level=True), sum(len(turn.completion_ids) for turn in case.turns)
    given = [conversation(case, model.logprobs([0] * (count + 1)), sampled=True)]
    said = [turn.sampled for turn in case.turns]
    call = f"{call_text(given, case.objective, _packer(case))}, sampled {said if len(said) > 1 else said[0]}"
    objective = subject.build(_packer(case), kind=case.objective)
    refused(subject, call, lambda: objective(model, given, advantages=[1.0]), 0, "sampled")
