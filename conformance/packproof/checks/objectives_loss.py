"""Chapter objectives, for the loss: what it reaches, what stands beside what, and what it is divided by."""

import math
from collections.abc import Sequence
from typing import Any

from packer_schemas.objective_cases import ClippedCase, DividedCase, GradientCase, PairedCase, ScoredCase, ScoredRow
from packproof.consumers.subject import ObjectiveSubject
from packproof.driver import short
from packproof.expect import expect_mask
from packproof.objective_runs.calls import Pull, Scored, call_text, refused, scored
from packproof.objective_runs.compare import GAPS, close, expect_loss
from packproof.objective_runs.ids_packer import IdsPacker
from packproof.objective_runs.strategies import clipped, divided, gradients, paired
from packproof.objective_runs.strategies import scored as scored_rows
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
    call = f"{call}, n_ignore_prefix_tokens={n}"
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
    raise Violation.of(f"{call}: entry beside the prediction", rows=shown, fault=fault)


@check("OBJ-9", cases=lambda *_: divided())
def obj_9(subject: ObjectiveSubject, case: DividedCase) -> None:
    """The loss is the sum of the terms of all selected predictions of the step, divided by their number."""
    from packproof.objective_runs.probe import Probe

    expect_in_range(case.rows, ignored=case.objective != "clipped")
    rows = [row.model_copy(update={"ratios": []}) for row in case.rows]
    model = Probe(level=True)
    lp = 1.0 if case.objective == "clipped" else model.logprobs([0, 0])[0]
    terms = [[row.advantage * lp] * len(selected(row)) for row in rows]
    count = sum(map(len, terms))
    objective = subject.build(IdsPacker(extra_width=1), kind=case.objective)
    given = [recorded(row, model) for row in rows]
    advantages = [row.advantage for row in rows]
    if case.denominator in ("zero", "below zero"):
        denominator = 0 if case.denominator == "zero" else -1
        call = call_text(given, case.objective, "packer", advantages=advantages, denominator=denominator)
        refused(subject, call, lambda: objective(model, given, advantages=advantages, denominator=denominator))
        return
    wanted = -sum(map(sum, terms)) / count
    if case.denominator == "of the call":
        call = call_text(given, case.objective, "packer", advantages=advantages)
        got = scored(subject, objective, model, given, call, advantages=advantages)
        expect_loss(call, wanted, got.loss, _division(terms, got.loss, max(map(len, map(ids_of, rows)))))
        return
    losses = []
    for start in range(0, len(rows), case.part):
        part = slice(start, start + case.part)
        call = call_text(given[part], case.objective, "packer", advantages=advantages[part], denominator=count)
        got = scored(subject, objective, model, given[part], call, advantages=advantages[part], denominator=count)
        own = -sum(map(sum, terms[part])) / count
        expect_loss(call, own, got.loss, "divided by its own predictions" if _is_own(terms[part], got.loss) else "")
        losses.append(got.loss)
    expect_loss(f"the sum over {len(losses)} parts, denominator={count}", wanted, sum(losses))


def _is_own(terms: Sequence[Sequence[float]], got: float) -> bool:
    return close(-sum(map(sum, terms)) / sum(map(len, terms)), got)


def _division(terms: Sequence[Sequence[float]], got: float, longest: int) -> str:
    """How a wrong loss came about, or an empty string."""
    total, rows = sum(map(sum, terms)), len(terms)
    count = sum(map(len, terms))
    ways = {
        "the sign is turned": total / count,
        "not divided": -total,
        "divided by the number of rows": -total / rows,
        "the mean of each row, then of the rows": -sum(sum(row) / len(row) for row in terms) / rows,
        "divided by all next-token predictions": -total / (rows * longest),
    }
    return next((name for name, loss in ways.items() if close(loss, got)), "")


@check("OBJ-13", cases=lambda *_: clipped())
def obj_13(subject: ObjectiveSubject, case: ClippedCase) -> None:
    """The clipped objective takes, token by token, the smaller of ratio times advantage and clipped ratio times
    advantage."""
    expect_in_range(case.rows, ignored=False)
    low, high = case.clip_low, case.clip_high
    if not 0 <= low < 1 or high < 0:
        call = f"make_objective(packer, clip_low={low:g}, clip_high={high:g})"
        refused(subject, call, lambda: subject.factory(IdsPacker(), clip_low=low, clip_high=high))
        return
    bounds = (1 - low, 1 + high)
    found = [_sums(subject, row, low, high) for row in case.rows]
    for name, measured, of in (("sum of the terms", 0, min), ("sum of the gradients by lp", 1, _reaching)):
        wanted = [sum(_pairwise(row, *bounds, of)) for row in case.rows]
        got = [one[measured] for one in found]
        if all(math.isclose(one, other, rel_tol=1e-3, abs_tol=1e-3) for one, other in zip(wanted, got, strict=True)):
            continue
        shown: dict[str, list[int] | list[str]] = {
            "ratio": [" ".join(f"{one:g}" for one in _ratios(row)) for row in case.rows],
            "advantage": [f"{row.advantage:g}" for row in case.rows],
            "expected": [f"{one:.4g}" for one in wanted],
            "got": [f"{one:.4g}" for one in got],
        }
        call = f"make_objective(packer, clip_low={low:g}, clip_high={high:g}), a row by itself: {name}"
        raise Violation.of(call, rows=shown, fault="" if measured else _clip_fault(case.rows, bounds, got))


def _ratios(row: ScoredRow) -> list[float]:
    return [*row.ratios, *[1.0] * len(row.completion_ids)][: len(row.completion_ids)]


def _pairwise(row: ScoredRow, low: float, high: float, of: Any) -> list[float]:
    return [of(ratio * row.advantage, min(max(ratio, low), high) * row.advantage) for ratio in _ratios(row)]


def _reaching(plain: float, bounded: float) -> float:
    """The derivative of a term by lp: that of the plain product, or 0 where the bounded one is smaller."""
    return 0.0 if bounded < plain else plain


def _sums(subject: ObjectiveSubject, row: ScoredRow, low: float, high: float) -> tuple[float, float]:
    """The sum of a row's terms and of their gradients, in units of one prediction of ratio and advantage 1."""
    from packproof.objective_runs.probe import Probe

    if any(math.isclose(one, bound, abs_tol=1e-3) for one in _ratios(row) for bound in (1 - low, 1 + high)):
        raise Unexercised("a ratio lies on the border, where either gradient is right")
    objective, model = subject.build(IdsPacker(), clip_low=low, clip_high=high), Probe(level=True)
    found = []
    for one in (row.model_copy(update={"ratios": [], "advantage": 1.0}), row):
        given = [recorded(one, model)]
        call = call_text(given, "clipped", "packer", advantages=[one.advantage])
        got = scored(subject, objective, model, given, call, advantages=[one.advantage])
        found.append((got.loss, sum(sum(line) for line in got.weights([ids_of(row)]))))
    (loss, pull), (own_loss, own_pull) = found
    count = len(row.completion_ids)
    if not loss < 0 or not pull or not math.isfinite(pull):
        raise Unexercised("at ratio 1 there is no gain, of which OBJ-5 and OBJ-9 speak")
    return own_loss / loss * count, own_pull / pull * count


def _clip_fault(rows: Sequence[ScoredRow], bounds: tuple[float, float], got: Sequence[float]) -> str:
    """The shape of wrong sums, or an empty string."""
    low, high = bounds
    ways: dict[str, Any] = {
        "always clipped": lambda _, bounded: bounded,
        "never clipped": lambda plain, _: plain,
        "the larger of the two": max,
    }
    for name, of in ways.items():
        sums = [sum(_pairwise(row, low, high, of)) for row in rows]
        if all(math.isclose(one, other, rel_tol=1e-3, abs_tol=1e-3) for one, other in zip(sums, got, strict=True)):
            return name
    return ""


@check("OBJ-17", cases=lambda *_: scored_rows(ignored=False))
def obj_17(subject: ObjectiveSubject, case: ScoredCase) -> None:
    """The metrics tell how far the trainer's logprobs are from the recorded ones."""
    from packproof.objective_runs.probe import Probe

    expect_in_range(case.rows, weights=False, ignored=False)
    model = Probe(level=True)
    given = [recorded(row, model) for row in case.rows]
    advantages = [row.advantage for row in case.rows]
    call = call_text(given, case.objective, "packer", advantages=advantages)
    objective = subject.build(IdsPacker(), kind=case.objective)
    got = scored(subject, objective, model, given, call, advantages=advantages)
    gaps = [abs(math.log(ratio)) for row in case.rows for ratio in _ratios(row)]
    expected = (sum(gaps) / len(gaps), max(gaps)) if gaps else (0.0, 0.0)
    for name, wanted in zip(GAPS, expected, strict=True):
        shown = f"{call}: metrics[{name!r}]"
        try:
            value = got.metrics[name]
        except (KeyError, TypeError, IndexError):
            raise Violation.of(shown, expected=f"{wanted:.6f}", got="absent") from None
        if not isinstance(value, float) or not close(wanted, value):
            raise Violation.of(shown, expected=f"{wanted:.6f}", got=short(value))
