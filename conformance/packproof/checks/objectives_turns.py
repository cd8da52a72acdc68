"""Chapter objectives, for rows that are not a single turn: what is joined, and what of it has weight."""

import math
from collections.abc import Sequence

from packer_schemas.objective_cases import TurnsCase
from packproof.consumers.subject import ObjectiveSubject
from packproof.expect import expect_ids
from packproof.objective_runs.calls import call_text, expect_named, refused
from packproof.objective_runs.conversed import (
    Conversed,
    conversed,
    expect_plain_row_right,
    expect_usable,
    packer_of,
)
from packproof.objective_runs.single_turns import expect_turns_joined
from packproof.objective_runs.strategies_turns import conversations, sampled_turns
from packproof.objective_runs.trajectories import found_in
from packproof.objective_runs.turns import Joined, conversation, first_difference, joined, sampled_of
from packproof.registry import check
from packproof.violation import CallFailed, Unexercised, Violation

__all__: list[str] = []


@check("OBJ-14", cases=lambda *_: conversations())
def obj_14(subject: ObjectiveSubject, case: TurnsCase) -> None:
    """Turns are joined to one row only where the next prompt begins with all ids of the row so far."""
    if any(_unfit(turn.sampled, len(turn.completion_ids)) for turn in case.turns):
        raise Unexercised("a sampled that does not fit, of which OBJ-15 speaks")
    expect_usable(case)
    rows = joined(case.turns)
    expect_plain_row_right(subject, case, like_it=True)
    try:
        found = conversed(subject, case, distinct=True)
    except CallFailed as error:
        if not isinstance(error.__cause__, ValueError):
            raise
        if len(rows) == 1:
            expected = "an answer, for every turn continues the row"
            raise Violation.of(error.counterexample.call, expected=expected, got=error.counterexample.got) from None
        turn = rows[1].turns[0]
        told = turn + (f"{turn + 1}" in str(error.__cause__))  # counted from 0 or from 1
        place = first_difference(case.turns, turn)
        wanted = f"another row, or ValueError that names trajectory 0, turn {turn} and position {place}"
        expect_named(error.counterexample.call, error.__cause__, 0, told, place, wording=wanted)
        return
    _expect_rows_given(found)
    looked_at = [*found.rows, *found.beside]
    lines = found.got.weights([row.ids for row in looked_at])
    if 0 in sampled_of(case.turns):
        _expect_sampled_apart(found, looked_at, lines)
    first = len(found.rows) if found.beside else 0  # a single turn, where there is one, is scored as it is to be
    scale = _scale(found.wanted(looked_at[first]), lines[first])
    for number, (row, line) in enumerate(zip(looked_at, lines, strict=True)):
        own = found.wanted(row)
        have = [one / scale if one else 0.0 for one in line]
        have = [
            one if row.entries[at] is not None or at < row.prompt_len - 1 else own[at] for at, one in enumerate(have)
        ]
        if not all(math.isclose(one, other, rel_tol=1e-3) for one, other in zip(own, have, strict=True)):
            _tell_weights(f"{found.call}: weight in row {number}", row, own, have)


def _expect_rows_given(found: Conversed) -> None:
    """The model was given the rows with weight, and no others than those of the conversation and beside it."""
    beside = [row.ids for row in found.beside]
    given = [ids for ids, _ in found.got.rows if all(found_in(ids, one) is None for one in beside)]
    few, many = len(found.rows), found.most
    for number, row in enumerate(found.rows):
        have = given[min(number, len(given) - 1)] if given else []
        if not any(found_in(ids, row.ids) is not None for ids in given):
            fault = "turns are joined that do not continue each other" if len(given) < few else ""
            expect_ids(f"{found.call}: row {number}", row.ids, have[: max(len(row.ids), 1)], fault=fault)
    if not few <= len(given) <= many:
        fault = "a turn that continues the row begins another one" if len(given) > many else ""
        raise Violation.of(f"{found.call}: number of rows", expected=many, got=len(given), fault=fault)


def _expect_sampled_apart(found: Conversed, rows: Sequence[Joined], lines: Sequence[Sequence[float]]) -> None:
    """`Unexercised` where others have weight than the ids that were sampled."""
    for row, line in zip(rows, lines, strict=True):
        marks = [bool(one) for entry, one in zip(row.entries, line, strict=True) if entry is not None]
        if marks != [bool(found.weights[entry]) for entry in row.entries if entry is not None]:
            raise Unexercised("what was not sampled is told from the rest otherwise, of which OBJ-15 speaks")


def _scale(wanted: Sequence[float], weights: Sequence[float]) -> float:
    """What the weights were divided by, as the first of them has it: of that, OBJ-9 speaks."""
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
    if len(case.turns) > 1:
        expect_turns_joined(subject)
    if any(_unfit(turn.sampled, len(turn.completion_ids)) for turn in case.turns):
        _expect_sampled_refused(subject, case)
        return
    expect_usable(case)
    if case.n_ignore_prefix_tokens and len(joined(case.turns)) > 1:
        raise Unexercised("n_ignore_prefix_tokens where rows begin anew, of which OBJ-14 speaks")
    expect_plain_row_right(subject, case, like_it=False)
    try:
        found = conversed(subject, case, distinct=False)
    except CallFailed as error:
        if len(joined(case.turns)) == 1 or not isinstance(error.__cause__, ValueError):
            raise
        raise Unexercised("turns that do not continue each other are refused, as OBJ-14 allows") from None
    if not len(found.rows) <= len(found.got.rows) <= found.most:
        raise Unexercised("turns are joined in other ways, of which OBJ-14 speaks")
    lines = found.got.weights([row.ids for row in found.rows])
    for number, (row, line) in enumerate(zip(found.rows, lines, strict=True)):
        of = f" in row {number}" if len(found.rows) > 1 else ""
        _expect_marks(f"{found.call}: where a gradient is{of}", row, found.wanted(row), line)


def _expect_marks(call: str, row: Joined, wanted: Sequence[float], got: Sequence[float]) -> None:
    """A gradient wherever a weight is to be, and nowhere else."""
    expected, marks = ([int(one != 0) for one in line] for line in (wanted, got))
    if expected == marks:
        return
    shown: dict[str, list[int] | list[str]] = {
        "position": list(range(len(row.ids))),
        "input_ids": row.ids,
        "expected": expected,
        "got": marks,
    }
    trained = [at for at, (want, have) in enumerate(zip(expected, marks, strict=True)) if have > want]
    suffix = bool(trained) and all(row.entries[at] is None for at in trained)
    fault = (
        "a suffix that nobody sampled is trained" if suffix else "what was not sampled is trained" if trained else ""
    )
    raise Violation.of(call, rows=shown, fault=fault)


def _unfit(sampled: Sequence[int] | None, count: int) -> bool:
    return sampled is not None and (len(sampled) != count or not set(sampled) <= {0, 1})


def _expect_sampled_refused(subject: ObjectiveSubject, case: TurnsCase) -> None:
    from packproof.objective_runs.probe import Probe

    model, count = Probe(level=True), sum(len(turn.completion_ids) for turn in case.turns)
    given = [conversation(case, model.logprobs([0] * (count + 1)))]
    said = [turn.sampled for turn in case.turns]
    call = f"{call_text(given, case.objective, packer_of(case))}, sampled {said if len(said) > 1 else said[0]}"
    objective = subject.build(packer_of(case), kind=case.objective)
    refused(subject, call, lambda: objective(model, given, advantages=[1.0]), 0, "sampled")
