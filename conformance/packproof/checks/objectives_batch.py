"""Chapter objectives, for the batch: width and order, rows without weight, filler rows, and what is left as it was."""

import copy
import math
from collections.abc import Sequence
from typing import Any

from packer_schemas.objective_cases import CalledTwiceCase, FillerCase, RearrangedCase, ScoredRow, WeightlessCase
from packproof.consumers.subject import ObjectiveSubject
from packproof.driver import short
from packproof.objective_runs.calls import Scored, call_text, refused, scored
from packproof.objective_runs.compare import close, expect_alike
from packproof.objective_runs.fields import added
from packproof.objective_runs.ids_packer import IdsPacker
from packproof.objective_runs.single_turns import expect_turns_joined
from packproof.objective_runs.strategies_batch import called_twice, fillers, rearranged, weightless
from packproof.objective_runs.trajectories import expect_in_range, ids_of, in_turns, recorded, selected
from packproof.objective_runs.unsampled import expect_unsampled_untrained
from packproof.registry import check
from packproof.same import same
from packproof.violation import OutOfReach, Unexercised, Violation

__all__: list[str] = []

_WIDE = 16
"""Columns that every row of the cases fits into, so that a row more changes no width."""


@check("OBJ-6", cases=lambda *_: rearranged())
def obj_6(subject: ObjectiveSubject, case: RearrangedCase) -> None:
    """The width of the batch and the order of its rows change neither the loss nor the gradient."""
    from packproof.objective_runs.probe import Probe

    expect_in_range(case.rows)
    turn = case.rotated % len(case.rows)
    rows = [*case.rows[turn:], *case.rows[:turn]]
    rows = rows[::-1] if case.backwards else rows
    found: list[Scored] = []
    for order, extra in ((case.rows, 0), (rows, case.extra_width)):
        model, advantages = Probe(), [row.advantage for row in order]
        given = [recorded(row, model, row.advantage) for row in order]
        objective = subject.build(IdsPacker(extra_width=extra), kind=case.objective)
        options = _weights(case.advantages_from, advantages)
        call = call_text(given, case.objective, "packer", **options) + _rewards_text(case.advantages_from, given)
        call = f"{call}, {extra} columns wider" if extra else call
        found.append(scored(subject, objective, model, given, call, **options))
    moved = rows != case.rows
    what = " and ".join(["the order of the rows"] * moved + ["the width"] * bool(case.extra_width))
    expect_alike(found[0], found[1], f"{what} counts")


def _weights(source: str, advantages: Sequence[Any]) -> dict[str, Any]:
    """What a call is given for advantages: these, or a label for each trajectory, of which all are one group."""
    return {"groups": [7] * len(advantages)} if source == "rewards" else {"advantages": list(advantages)}


def _rewards_text(source: str, given: Sequence[Any]) -> str:
    return f", rewards {[one.reward for one in given]}" if source == "rewards" else ""


@check("OBJ-10", cases=lambda *_: weightless())
def obj_10(subject: ObjectiveSubject, case: WeightlessCase) -> None:
    """A row without selected predictions adds nothing, and a batch without any has the loss 0 and gradients of zero."""
    expect_in_range(case.rows, ignored=False)
    more = [_weightless(number, how) for number, how in enumerate(case.added)]
    if not case.rows and not more:
        objective, call = subject.build(IdsPacker(), kind=case.objective), call_text([], case.objective, "packer")
        refused(subject, call, lambda: objective(_probe(), [], advantages=[]))
    elif not case.rows:
        _expect_nothing(subject, case, more)
    elif not more:
        raise Unexercised("no row without weight is added")
    elif case.advantages_from == "rewards":
        _expect_counted_in_its_group(subject, case, more)
    else:
        count = sum(len(selected(row)) for row in case.rows)
        first, second = (
            _by_numbers(subject, case.objective, rows, denominator=count) for rows in (case.rows, [*case.rows, *more])
        )
        expect_unsampled_untrained(second, more)
        expect_alike(first, second, "a row without weight counts")


def _probe() -> Any:
    from packproof.objective_runs.probe import Probe

    return Probe()


def _weightless(number: int, how: str) -> ScoredRow:
    first = 100 * (number % 4) + 150
    ids = [] if how == "no completion" else [first + 10, first + 11]
    ignored = len(ids) * (how == "all ignored")
    sampled: list[Any] | None = [0] * len(ids) if how == "none sampled" else None
    return ScoredRow(prompt_ids=[first, first + 1], completion_ids=ids, n_ignore_prefix_tokens=ignored, sampled=sampled)


def _by_numbers(subject: ObjectiveSubject, kind: str, rows: Sequence[ScoredRow], **more: Any) -> Scored:
    model, advantages = _probe(), [row.advantage for row in rows]
    given = [recorded(row, model) for row in rows]
    call = call_text(given, kind, "packer", advantages=advantages, **more)
    objective = subject.build(IdsPacker(least_width=_WIDE), kind=kind)
    return scored(subject, objective, model, given, call, advantages=advantages, **more)


def _expect_nothing(subject: ObjectiveSubject, case: WeightlessCase, rows: Sequence[ScoredRow]) -> None:
    """The loss is 0 and has a graph, which gives every weight a gradient of zero."""
    got = _by_numbers(subject, case.objective, rows, **({"denominator": 3} if case.denominator else {}))
    expect_unsampled_untrained(got, rows)
    if got.loss != 0:
        raise Violation.of(f"{got.call}: loss", expected="0", got=f"{got.loss:g}")
    if not got.graph:
        raise Violation.of(f"{got.call}: loss", expected="a loss with a graph", got="a loss without one")
    for name, gradient in got.gradients.items():
        if gradient is None or not bool((gradient == 0).all()):
            shown = "None" if gradient is None else "NaN" if bool(gradient.isnan().any()) else "numbers"
            raise Violation.of(f"{got.call}: gradient of {name}", expected="all zero", got=shown)
    metrics = got.metrics if hasattr(got.metrics, "items") else {}
    for name, value in metrics.items():
        if isinstance(value, float) and math.isnan(value):
            raise Violation.of(f"{got.call}: metrics[{name!r}]", expected="a number", got="NaN")


def _expect_counted_in_its_group(subject: ObjectiveSubject, case: WeightlessCase, more: Sequence[ScoredRow]) -> None:
    """Its reward of 0 is in the group, so that those of 1 have an advantage."""
    model, rows = _probe(), [*case.rows, *more]
    given = [recorded(row, model, float(number < len(case.rows))) for number, row in enumerate(rows)]
    groups = [7] * len(rows)
    call = call_text(given, case.objective, "packer", groups=groups) + _rewards_text("rewards", given)
    got = scored(subject, subject.build(IdsPacker(), kind=case.objective), model, given, call, groups=groups)
    expect_unsampled_untrained(got, more)
    weights = got.weights([ids_of(row) for row in case.rows])
    if not any(one for row in weights for one in row):
        fault = "a row without weight is left out of its group"
        raise Violation.of(call, expected="advantages that are not 0", got="no gradient", fault=fault)


@check("OBJ-11", cases=lambda *_: fillers())
def obj_11(subject: ObjectiveSubject, case: FillerCase) -> None:
    """A filler row changes neither loss nor gradient nor denominator, nor anybody's advantage."""
    if any(one.turns for one in case.fillers):
        expect_turns_joined(subject)
    expect_in_range(case.rows, ignored=False)
    if not case.rows:
        _expect_fillers_alone(subject, case)
        return
    first, second = (_with_fillers(subject, case, filler) for filler in (False, True))
    expect_alike(first, second, "a filler row counts")


def _with_fillers(subject: ObjectiveSubject, case: FillerCase, filler: bool) -> Scored:
    """The call with filler rows; or, for comparison, with rows in their place that are left out of the loss by n.

    These have a group of their own, so that both calls differ in nothing but the mark of the filler; and where there
    are groups they stand before all the others or behind them, for of groups that are torn apart OBJ-12 speaks.
    """
    model = _probe()
    rows = [(row, recorded(row, model, float(number % 2)), "real") for number, row in enumerate(case.rows)]
    for number, one in enumerate(case.fillers):
        of = case.rows[one.of % len(case.rows)]
        copied = recorded(of, model, float(one.of % len(case.rows) % 2))
        if filler:
            copied.policy_info["filler"] = True
            copied.reward = copied.reward if one.reward else None
            if not one.logprobs:
                copied.policy_info.pop("logprobs", None)
            copied = in_turns(copied) if one.turns else copied
        else:
            copied.policy_info["n_ignore_prefix_tokens"] = len(of.completion_ids)
        place = one.place % (len(rows) + 1)
        if case.advantages_from == "rewards" and place:
            place = len(rows)
        rows.insert(place, (of, copied, f"alone {number}"))
    given = [one for _, one, _ in rows]
    if case.advantages_from == "rewards":
        labels = ["real" if filler or label == "real" else label for _, _, label in rows]
        options: dict[str, Any] = {"groups": labels}
    else:
        own = [row.advantage if label == "real" else math.nan for row, _, label in rows]
        options = {"advantages": own if filler else [0.5 if math.isnan(one) else one for one in own]}
    call = f"{call_text(given, case.objective, 'packer', **options)}, {_places(rows)}"
    return scored(subject, subject.build(IdsPacker(), kind=case.objective), model, given, call, **options)


def _places(rows: Sequence[tuple[ScoredRow, Any, str]]) -> str:
    places = [number for number, (_, _, label) in enumerate(rows) if label != "real"]
    return f"trajectories {places} are filler rows"


def _expect_fillers_alone(subject: ObjectiveSubject, case: FillerCase) -> None:
    model, row = _probe(), ScoredRow(prompt_ids=[110, 111], completion_ids=[120, 121])
    plain = [recorded(row, model, filler=True) for _ in case.fillers]
    given = [in_turns(one) if of.turns else one for one, of in zip(plain, case.fillers, strict=True)]
    call = f"{call_text(given, case.objective, 'packer')}, all of them filler rows"
    objective = subject.build(IdsPacker(), kind=case.objective)
    got = scored(subject, objective, model, given, call, advantages=[1.0] * len(given))
    ignored = [recorded(row, model, n_ignore_prefix_tokens=2) for _ in case.fillers]
    if close(got.loss, scored(subject, objective, model, ignored, call, advantages=[1.0] * len(given)).loss):
        return  # what is wrong with nothing selected, OBJ-10 says
    if got.loss or any(bool(one.any()) for one in got.gradients.values() if one is not None):
        raise Violation.of(f"{call}: loss", expected="0, and gradients of zero", got=f"{got.loss:g}")


@check("OBJ-16", cases=lambda *_: called_twice())
def obj_16(subject: ObjectiveSubject, case: CalledTwiceCase) -> None:
    """An objective takes the packer's CPU tensors to the model's device itself, and leaves what it was given as it
    was."""
    from packproof.objective_runs.probe import Probe, WholeBatchProbe

    expect_in_range(case.rows, weights=False)
    if case.turns:
        expect_turns_joined(subject)
    packer = (
        IdsPacker(fields=added(["position_ids", "mm_token_type_ids", "mm_owned_mask"])) if case.with_packer else None
    )
    model = WholeBatchProbe() if packer is not None and case.objective == "clipped" else Probe()
    if packer is not None and case.objective != "clipped":
        packer = IdsPacker()
    given = [recorded(row, model, row.advantage) for row in case.rows]
    given = [in_turns(one) for one in given] if case.turns else given
    options = _weights(case.advantages_from, [[row.advantage] * len(row.completion_ids) for row in case.rows])
    if case.on_accelerator:
        model.to(_accelerator())
    kept = copy.deepcopy((given, *options.values()))
    call = call_text(given, case.objective, packer, **options) + _rewards_text(case.advantages_from, given)
    objective = subject.build(packer, kind=case.objective)
    call = f"{call}, a model on {model.device.type}" if case.on_accelerator else call
    first = scored(subject, objective, model, given, call, **options)
    if first.device != model.device.type:
        raise Violation.of(f"{call}: device of the loss", expected=model.device.type, got=first.device)
    for name, before, now in zip(("trajectories", *options), kept, (given, *options.values()), strict=True):
        if not same(before, now):
            _tell_difference(call, name, before, now)
    if packer is not None:
        _expect_batches_as_made(call, packer)
        _expect_dtypes(call, packer, model)
    second = scored(subject, objective, model, given, call, **options)
    if not close(first.loss, second.loss):
        shown = f"{call}, called again: loss"
        raise Violation.of(shown, expected=f"{first.loss:.6f}", got=f"{second.loss:.6f}")


def _accelerator() -> str:
    import torch

    if not torch.cuda.is_available():
        raise OutOfReach("no CUDA device is here to put the model on")
    return "cuda"


def _tell_difference(call: str, name: str, before: Sequence[Any], now: Sequence[Any]) -> None:
    for number, (one, other) in enumerate(zip(before, now, strict=False)):
        if same(one, other):
            continue
        where, wanted, got = f"{call}: {name}[{number}] after the call", one, other
        if getattr(one, "reward", None) != getattr(other, "reward", None):
            where, wanted, got = f"{where}, reward", one.reward, other.reward
        for key in getattr(one, "policy_info", {}):
            if not same(one.policy_info[key], other.policy_info.get(key)):
                where, wanted, got = f"{where}, {key}", one.policy_info[key], other.policy_info.get(key)
                break
        raise Violation.of(where, expected=short(wanted), got=short(got), fault="written in place")
    raise Violation.of(f"{call}: {name} after the call", expected=short(before), got=short(now))


def _expect_batches_as_made(call: str, packer: IdsPacker) -> None:
    for made, batch in zip(packer.copies, packer.batches, strict=True):
        for name, value in made.items():
            if name not in batch or not same(value, batch[name]):
                where, got = f"{call}: {name} of the batch that the packer still holds", batch.get(name, "absent")
                raise Violation.of(where, expected=_plain(value), got=_plain(got), fault="written in place")
        if len(made) != len(batch):
            raise Violation.of(f"{call}: fields of the packer's batch", expected=list(made), got=list(batch))


def _plain(value: Any) -> str:
    return short(value.tolist() if hasattr(value, "tolist") else value)


def _expect_dtypes(call: str, packer: IdsPacker, model: Any) -> None:
    for batch in model.batches:
        for name, value in packer.copies[-1].items():
            moved = batch.get(name)
            if hasattr(value, "dtype") and getattr(moved, "dtype", None) != value.dtype:
                where = f"{call}: dtype of {name} in forward_policy_batch"
                raise Violation.of(where, expected=value.dtype, got=getattr(moved, "dtype", "absent"))
