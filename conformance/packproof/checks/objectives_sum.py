"""Chapter objectives, for the sum: what it is divided by, its terms at every ratio, and what the metrics say of it."""

import math
from collections.abc import Sequence
from typing import Any

from packer_schemas.objective_cases import ClippedCase, DividedCase, ScoredCase, ScoredRow
from packproof.consumers.subject import ObjectiveSubject
from packproof.driver import short
from packproof.objective_runs.calls import call_text, refused, scored
from packproof.objective_runs.compare import GAPS, close, expect_loss
from packproof.objective_runs.ids_packer import IdsPacker
from packproof.objective_runs.strategies import clipped, divided
from packproof.objective_runs.strategies import scored as scored_rows
from packproof.objective_runs.trajectories import entries_of, expect_in_range, ids_of, recorded, selected
from packproof.objective_runs.unsampled import expect_unsampled_untrained
from packproof.registry import check
from packproof.violation import Unexercised, Violation

__all__: list[str] = []


@check("OBJ-9", cases=lambda *_: divided())
def obj_9(subject: ObjectiveSubject, case: DividedCase) -> None:
    """The loss is the sum of the terms of all selected predictions of the step, divided by their number."""
    import torch

    from packproof.objective_runs.probe import Probe

    expect_in_range(case.rows, ignored=case.objective != "clipped")
    rows = [row.model_copy(update={"ratios": []}) for row in case.rows]
    model = Probe(level=True, logits=getattr(torch, case.logits))
    half = "" if case.logits == "float32" else f", logits in {case.logits}"
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
        call = call_text(given, case.objective, "packer", advantages=advantages) + half
        got = scored(subject, objective, model, given, call, advantages=advantages)
        expect_unsampled_untrained(got, rows)
        shape = _division(terms, got.loss, max(map(len, map(ids_of, rows))))
        expect_loss(call, wanted, got.loss, shape or "not scored in float32" * bool(half))
        return
    if case.denominator == "one":
        wanted, count = wanted * count, 1
    size = len(rows) if case.denominator == "one" else case.part
    losses = []
    for start in range(0, len(rows), size):
        part = slice(start, start + size)
        call = call_text(given[part], case.objective, "packer", advantages=advantages[part], denominator=count)
        call += half
        got = scored(subject, objective, model, given[part], call, advantages=advantages[part], denominator=count)
        expect_unsampled_untrained(got, rows[part])
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
    """Of its selected predictions."""
    everywhere = [*row.ratios, *[1.0] * len(row.completion_ids)]
    return [everywhere[entry] for entry in entries_of(row)]


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
    count = len(selected(row))
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


@check("OBJ-17", cases=lambda *_: scored_rows(ignored=False, unrecorded=True))
def obj_17(subject: ObjectiveSubject, case: ScoredCase) -> None:
    """The metrics tell how far the trainer's logprobs are from the recorded ones."""
    from packproof.objective_runs.probe import Probe

    expect_in_range(case.rows, weights=False, ignored=False, unrecorded=case.objective == "policy_gradient")
    model = Probe(level=True)
    given = [recorded(row, model) for row in case.rows]
    advantages = [row.advantage for row in case.rows]
    silent = [number for number, row in enumerate(case.rows) if not row.logprobs]
    call = call_text(given, case.objective, "packer", advantages=advantages)
    call = f"{call}, no logprobs of {silent}" if silent else call
    objective = subject.build(IdsPacker(), kind=case.objective)
    got = scored(subject, objective, model, given, call, advantages=advantages)
    gaps = [abs(math.log(ratio)) for row in case.rows if row.logprobs for ratio in _ratios(row)]
    expected = (sum(gaps) / len(gaps), max(gaps)) if gaps else (0.0, 0.0)
    for name, wanted in zip(GAPS, expected, strict=True):
        shown = f"{call}: metrics[{name!r}]"
        try:
            value = got.metrics[name]
        except (KeyError, TypeError, IndexError):
            raise Violation.of(shown, expected=f"{wanted:.6f}", got="absent") from None
        if not isinstance(value, float) or not close(wanted, value):
            raise Violation.of(shown, expected=f"{wanted:.6f}", got=short(value))
