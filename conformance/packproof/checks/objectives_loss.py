"""Chapter objectives, for what the loss reaches, and what stands beside each prediction."""

import math
from collections.abc import Sequence
from typing import Any

from packer_schemas.objective_cases import GradientCase, PairedCase, ScoredRow
from packproof.consumers.subject import ObjectiveSubject
from packproof.expect import expect_mask
from packproof.objective_runs.calls import Pull, Scored, call_text, scored
from packproof.objective_runs.compare import expect_loss
from packproof.objective_runs.ids_packer import IdsPacker
from packproof.objective_runs.strategies import gradients, paired
from packproof.objective_runs.trajectories import expect_in_range, ids_of, recorded, selected
from packproof.registry import check
from packproof.violation import Unexercised, Violation

__all__: list[str] = []

_POISON = {"NaN": math.nan, "infinity": math.inf}


@check("OBJ-5", cases=lambda *_: gradients())
def obj_5(subject: ObjectiveSubject, case: GradientCase) -> None:
    """The gradient of the loss reaches the logits at selected positions and no others."""
    from packproof.objective_runs.probe import Probe

    expect_in_range(case.rows, weights=False, ignored=case.objective != "clipped")
    if not any(selected(row) for row in case.rows) or not all(row.advantage for row in case.rows):
        raise Unexercised("nothing is selected, or an advantage is 0")
    rows = [row.model_copy(update={"ratios": []}) for row in case.rows]
    given = [recorded(row, Probe(level=True)) for row in rows]
    advantages = [row.advantage for row in rows]
    call = call_text(given, case.objective, "packer", advantages=advantages)
    objective = subject.build(IdsPacker(), kind=case.objective)
    got = scored(subject, objective, Probe(level=True), given, call, advantages=advantages)
    ids = [ids_of(row) for row in rows]
    _expect_reached(call, rows, got.pulls(ids))
    _expect_no_other(call, got, ids)
    if case.unselected == "numbers":
        return
    spared = [(ids_of(row), selected(row)) for row in rows]
    spoilt = Probe(level=True, spared=spared, poison=_POISON[case.unselected])
    call = f"{call}, {case.unselected} in logits that are not selected"
    beside = scored(subject, objective, spoilt, given, call, advantages=advantages)
    fault = f"{case.unselected} where nothing is selected counts"
    expect_loss(call, got.loss, beside.loss, fault)
    _expect_same_where_selected(call, rows, got.weights(ids), beside.weights(ids), fault)


def _expect_reached(call: str, rows: Sequence[ScoredRow], pulls: Sequence[Sequence[Pull]]) -> None:
    for row, line in zip(rows, pulls, strict=True):
        ids, places = ids_of(row), set(selected(row))
        wanted = [int(at in places) for at in range(len(ids))]
        marks = [int(one.weight != 0) for one in line]
        expect_mask(f"{call}: where a gradient is", ids, wanted, marks, prompt_len=len(row.prompt_ids))
        following = [ids[at + 1] for at in sorted(places)]
        pulled = [line[at].id for at in sorted(places)]
        if following != pulled:
            shown = {
                "position": sorted(places),
                "expected": following,
                "got": [one if one is not None else "" for one in pulled],
            }
            fault = "the id at the position is scored, and not the next one"
            raise Violation.of(f"{call}: the id whose logit is pulled", rows=shown, fault=fault)


def _expect_same_where_selected(
    call: str,
    rows: Sequence[ScoredRow],
    wanted: Sequence[Sequence[float]],
    got: Sequence[Sequence[float]],
    fault: str,
) -> None:
    """What the gradient is at the spoilt logits themselves is nobody's affair."""
    for row, first, second in zip(rows, wanted, got, strict=True):
        places = selected(row)
        if not all(math.isclose(first[at], second[at], rel_tol=1e-3) for at in places):
            shown: dict[str, list[int] | list[str]] = {
                "position": places,
                "expected": [f"{first[at]:.4g}" for at in places],
                "got": [f"{second[at]:.4g}" for at in places],
            }
            raise Violation.of(f"{call}: gradient by lp", rows=shown, fault=fault)


def _expect_no_other(call: str, got: Scored, ids: Sequence[Sequence[int]]) -> None:
    everywhere = sum(one.weight != 0 for _, pulls in got.rows for one in pulls)
    within = sum(one.weight != 0 for pulls in got.pulls(ids) for one in pulls)
    if everywhere != within:
        raise Violation.of(call, expected="no gradient beyond the ends of the rows", got=f"{everywhere - within} there")


@check("OBJ-7", cases=lambda *_: paired())
def obj_7(subject: ObjectiveSubject, case: PairedCase) -> None:
    """Entry j of a stream belongs to completion id j, and stands beside the prediction of that id, whatever n is."""
    expect_in_range(case.rows)
    if case.objective == "policy_gradient" and case.stream == "logprobs":
        raise Unexercised("the policy gradient reads no logprobs")
    rows = [row.model_copy(update={"ratios": [], "advantage": 1.0}) for row in case.rows]
    ids = [ids_of(row) for row in rows]
    plain = _with_entry(subject, case, rows, None)
    base = plain.weights(ids)
    for row, weights in zip(rows, base, strict=True):
        if [at for at, one in enumerate(weights) if one] != selected(row):
            raise Unexercised("the gradient is not where it is to be, of which OBJ-5 speaks")
    for number, row in enumerate(rows):
        read: dict[tuple[int, int], list[int]] = {}
        for entry in range(len(row.completion_ids)):
            changed = _with_entry(subject, case, rows, (number, entry)).weights(ids)
            for place in _differing(base, changed):
                read.setdefault(place, []).append(entry)
        _expect_own_entries(f"{plain.call}: trajectory {number}, {case.stream}", rows, number, read)


def _with_entry(
    subject: ObjectiveSubject, case: PairedCase, rows: Sequence[ScoredRow], change: tuple[int, int] | None
) -> Scored:
    """The call, in which one entry of the stream of one row is another one."""
    from packproof.objective_runs.probe import Probe

    model = Probe(level=True)
    given = [recorded(row, model) for row in rows]
    advantages: list[Any] = [row.advantage for row in rows]
    if case.stream == "advantages":
        advantages = [[row.advantage] * len(row.completion_ids) for row in rows]
    if change is not None:
        number, entry = change
        own: Any = given[number].policy_info
        stream = own["logprobs"] if case.stream == "logprobs" else advantages[number]
        stream[entry] += -0.1 if case.stream == "logprobs" else 1.0
    objective = subject.build(IdsPacker(), kind=case.objective)
    return scored(subject, objective, model, given, _pair_call(case, given), advantages=advantages)


def _pair_call(case: PairedCase, given: Sequence[Any]) -> str:
    return call_text(given, case.objective, "packer")


def _differing(first: Sequence[Sequence[float]], second: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
    """Row and position of every weight that is not the same in both."""
    return [
        (number, at)
        for number, (before, after) in enumerate(zip(first, second, strict=True))
        for at, (one, other) in enumerate(zip(before, after, strict=True))
        if not math.isclose(one, other, rel_tol=1e-3, abs_tol=1e-9)
    ]


def _expect_own_entries(
    call: str, rows: Sequence[ScoredRow], number: int, read: dict[tuple[int, int], list[int]]
) -> None:
    """Of one row's entries, each is read at the prediction of its own id alone."""
    row = rows[number]
    first = len(row.prompt_ids) - 1
    wanted = {(number, at): [at - first] for at in selected(row)}
    if read == wanted:
        return
    n = row.n_ignore_prefix_tokens
    call = f"{call}, n_ignore_prefix_tokens={n}" + (f", sampled={row.sampled}" if row.sampled else "")
    elsewhere = [place for place in read if place[0] != number]
    if elsewhere:
        got = f"beside predictions of trajectory {elsewhere[0][0]} too"
        raise Violation.of(call, expected=f"beside predictions of trajectory {number}", got=got)
    places = selected(row)
    entries = [" ".join(map(str, read.get((number, at), ["-"]))) for at in places]
    shown: dict[str, list[int] | list[str]] = {
        "position": places,
        "of id": [ids_of(row)[at + 1] for at in places],
        "expected": [str(at - first) for at in places],
        "got": entries,
    }
    fault = "counted from n, and not from the first completion id" if n and entries[:1] == ["0"] else ""
    if row.sampled and entries == [str(at) for at in range(len(places))]:
        fault = "counted over the ids that were sampled, and not over all"
    raise Violation.of(f"{call}: entry beside the prediction", rows=shown, fault=fault)
