"""Chapter routing, what a packer takes and refuses: names, records, rows, values, mixtures and layouts."""

from contextlib import suppress
from typing import Any

from packer_schemas.routing import FORWARD_REPLAY_BATCH_KEY, ROLLOUT_ROUTED_EXPERTS_KEY
from packer_schemas.routing_cases import RoutingBatchCase
from packproof.driver import REFUSALS
from packproof.registry import check
from packproof.routed.batches import (
    beyond_some_model,
    call_of,
    collated_batch,
    driver_of,
    expect_refused,
    raws,
    rows,
    width,
)
from packproof.routed.broken import FREE, broken_rules, largest
from packproof.routed.records import handed, plain, shown
from packproof.routed.steps import Steps
from packproof.routed.strategies import FEW, SOME, batches
from packproof.routed.strategies_bad import WRONG_LAYOUTS, WRONG_ROWS, WRONG_VALUES
from packproof.routed.variants import mixtures, wrong_records
from packproof.subject import Subject
from packproof.violation import CallFailed, Unexercised, Violation

_ALIASES = ("routed_experts", "routing", "expert_ids", "forward_replay_routing", "rollout_routed_experts")


@check("ROUTE-1", cases=batches(SOME))
def route_1(subject: Subject, case: RoutingBatchCase) -> None:
    """Routing travels under one name per place: rollout_routed_experts, forward_routing and forward_replay_routing."""
    driver = subject.on(case.model)
    bare = driver.collate(rows(driver, case.samples), width(case))
    batch = collated_batch(subject, case, case.samples)
    entries = sorted(map(str, batch.columns.keys() - (bare.columns.keys() - {FORWARD_REPLAY_BATCH_KEY})))
    if entries != [FORWARD_REPLAY_BATCH_KEY]:
        raise Violation.of(
            f"{batch.call}, routing entries of the batch",
            expected=FORWARD_REPLAY_BATCH_KEY,
            got=", ".join(entries) or "none",
            fault="a name of its own" if entries else "left out",
        )
    _expect_no_alias_read(subject, case, {*bare.columns})


def _expect_no_alias_read(subject: Subject, case: RoutingBatchCase, names: set[Any]) -> None:
    """What stands under another name is not read: neither of a policy input, nor of a trajectory."""
    driver = subject.on(case.model)
    for alias in _ALIASES:
        views = rows(driver, case.samples)
        with suppress(Exception):  # a policy input may be closed to other names
            for view, sample in zip(views, case.samples, strict=True):
                setattr(view.raw, alias, handed(sample.record))
        found = set(driver.collate(views, width(case)).columns) - names
        if found:
            call = f"{driver.last_call}, with records under {alias} and none under forward_routing"
            raise Violation.of(call, expected="no routing", got=", ".join(sorted(map(str, found))), fault="alias read")
    if not subject.offers("RoutingSteps"):
        return
    steps, sample = Steps(subject), case.samples[0]
    for alias in ("routed_experts", "forward_routing"):
        shaped = steps.shape(driver, sample, key=alias)
        if getattr(shaped, "forward_routing", None) is not None:
            raise Violation.of(
                f"{steps.last_call}, with a record under {alias} and none under {ROLLOUT_ROUTED_EXPERTS_KEY}",
                expected="forward_routing None",
                got=shown(plain(shaped.forward_routing)),
                fault="alias read",
            )


@check("ROUTE-2", cases=batches(FEW, may_break=("ROUTE-2", FREE)))
def route_2(subject: Subject, case: RoutingBatchCase) -> None:
    """A record is an integer array [L-1, layers, top_k] on the CPU, one row per input position but the last."""
    broken = broken_rules(case.samples)
    if FREE in broken:
        raise Unexercised("an unsigned type of 16 or 32 bits may be taken or refused")
    if "ROUTE-2" in broken:
        expect_refused(subject, case, broken["ROUTE-2"], REFUSALS)
        return
    _expect_taken(subject, case, "a batch: these are records")
    for samples in wrong_records(case.samples):
        changed = case.model_copy(update={"samples": samples})
        expect_refused(subject, changed, broken_rules(samples)["ROUTE-2"], REFUSALS)


def _expect_taken(subject: Subject, case: RoutingBatchCase, wanted: str) -> None:
    driver, call = driver_of(subject, case), call_of(case)
    given = raws(driver, case.samples)
    try:
        with driver.calling(call):
            driver.packer.policy_collate_fn(given, width(case))
    except CallFailed as error:
        if beyond_some_model(case):
            raise Unexercised(f"{call} {error.counterexample.got}") from error
        kinds = ", ".join(f"{one.record.dtype} {one.container}" for one in case.samples if one.record is not None)
        fault = "refused what is to be taken"
        raise Violation.of(f"{call}: {kinds}", expected=wanted, got=error.counterexample.got, fault=fault) from error


@check("ROUTE-3", cases=WRONG_ROWS)
def route_3(subject: Subject, case: RoutingBatchCase) -> None:
    """A record with more or fewer rows than one per input id but the last is refused with both numbers."""
    broken = broken_rules(case.samples)
    if "ROUTE-3" not in broken:
        raise Unexercised("every record of the case has its number of rows")
    expect_refused(subject, case, broken["ROUTE-3"])
    if not subject.offers("RoutingSteps"):
        return
    steps, driver = Steps(subject), subject.on(case.model)
    for sample in case.samples:
        words = broken_rules([sample]).get("ROUTE-3")
        if words is not None:
            _, _, *numbers = words
            steps.refuses_shape(driver, sample, (ROLLOUT_ROUTED_EXPERTS_KEY, *numbers))


@check("ROUTE-4", cases=WRONG_VALUES)
def route_4(subject: Subject, case: RoutingBatchCase) -> None:
    """A number below -1, or not below the expert count where that is known, is refused with ValueError."""
    broken = broken_rules(case.samples, case.experts)
    if "ROUTE-4" not in broken:
        _expect_taken(subject, case, "a batch: every id is an expert")
    elif "ROUTE-4" in broken_rules(case.samples) or _refuses(subject, case):
        expect_refused(subject, case, broken["ROUTE-4"])
    else:  # a packer may not know how many experts there are
        _expect_unknown(subject, case)


def _refuses(subject: Subject, case: RoutingBatchCase) -> bool:
    driver = driver_of(subject, case)
    given = raws(driver, case.samples)
    try:
        with driver.calling(call_of(case)):
            driver.packer.policy_collate_fn(given, width(case))
    except CallFailed:
        return True
    return False


def _expect_unknown(subject: Subject, case: RoutingBatchCase) -> None:
    """A packer that took E, or an id beyond it: it took the very number, and takes any other."""
    assert case.experts is not None, "without a number of experts, no id is beyond it"
    call, top = call_of(case), largest(case.samples)
    found = collated_batch(subject, case, case.samples).columns.get(FORWARD_REPLAY_BATCH_KEY)
    array = plain(found)
    if array is not None and array.values and max(array.values) < top:
        fault = "taken modulo E" if top % case.experts in array.values else "clamped"
        raise Violation.of(call, expected=f"a refusal, or {top}", got=f"{max(array.values)} at most", fault=fault)
    far = [_raised(one, top, 4 * case.experts + 1) for one in case.samples]
    if _refuses(subject, case.model_copy(update={"samples": far})):
        wanted = f"a refusal of {top}, as of {4 * case.experts + 1}"
        raise Violation.of(call, expected=wanted, got="a batch", fault="a limit that is not E")


def _raised(sample: Any, old: int, new: int) -> Any:
    values = [new if value == old else value for value in sample.record.values]
    record = sample.record.model_copy(update={"values": values, "dtype": "int64"})
    return sample.model_copy(update={"record": record})


@check("ROUTE-8", cases=batches((*FEW, (-1,)), least=2, may_break=("ROUTE-8",)))
def route_8(subject: Subject, case: RoutingBatchCase) -> None:
    """All samples of a batch carry routing or none of them does; a mixture is refused with ValueError."""
    broken = broken_rules(case.samples)
    if "ROUTE-8" in broken:
        expect_refused(subject, case, broken["ROUTE-8"])
        return
    _expect_no_entry(subject, case)
    if any(one.record is not None for one in case.samples):
        for samples in mixtures(case.samples):
            changed = case.model_copy(update={"samples": samples})
            expect_refused(subject, changed, broken_rules(samples)["ROUTE-8"])


def _expect_no_entry(subject: Subject, case: RoutingBatchCase) -> None:
    driver = subject.on(case.model)
    bare = driver.collate(rows(driver, case.samples), width(case))
    if FORWARD_REPLAY_BATCH_KEY in bare.columns:
        got = bare.columns[FORWARD_REPLAY_BATCH_KEY]
        raise Violation.of(
            f"{bare.call}, none of which has a record",
            expected=f"no {FORWARD_REPLAY_BATCH_KEY}",
            got="None" if got is None else f"a {type(got).__name__} {list(getattr(got, 'shape', ()))}",
            fault="an entry without routing",
        )


@check("ROUTE-9", cases=WRONG_LAYOUTS)
def route_9(subject: Subject, case: RoutingBatchCase) -> None:
    """Records with different layers or top_k are refused in one batch."""
    broken = broken_rules(case.samples)
    if "ROUTE-9" not in broken:
        raise Unexercised("every record of the case has the same layers and top_k")
    expect_refused(subject, case, broken["ROUTE-9"])
