"""Chapter routing, around the packer: records are attached to policy inputs, cut and joined."""

import copy
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from packer_schemas.routing import FORWARD_REPLAY_BATCH_KEY, ROLLOUT_ROUTED_EXPERTS_KEY
from packer_schemas.routing_cases import (
    RoutedSample,
    RoutingBatchCase,
    RoutingMoveCase,
    RoutingTrajectoryCase,
)
from packer_spec.oracle import records as oracle
from packer_spec.oracle.arrays import Array
from packproof.driver import REFUSALS, Driver
from packproof.expect import expect_ids
from packproof.registry import check
from packproof.routed.batches import collated_batch, raws, rows
from packproof.routed.broken import broken_rules
from packproof.routed.compared import expect_array
from packproof.routed.records import array_of, length_of, plain, same_values, shown
from packproof.routed.roomless import Roomless
from packproof.routed.steps import Steps
from packproof.routed.strategies_steps import MOVES, TRAJECTORIES
from packproof.routed.variants import mixtures, wrong_borders, wrong_layouts
from packproof.subject import Subject
from packproof.trainer import silenced
from packproof.views import PolicyView
from packproof.violation import NotTested, Unexercised, Violation


@check("ROUTE-5", cases=TRAJECTORIES)
def route_5(subject: Subject, case: RoutingTrajectoryCase) -> None:
    """A recorded routing is attached to its policy input or refused, never dropped."""
    steps, driver, sample = Steps(subject), subject.on(case.model), case.sample
    own = case.policy_input == "own"
    packer = driver.packer if own else Roomless(driver.packer, mapping=case.policy_input == "mapping")
    if sample.record is not None and not (own and subject.offers("RoutedPolicyInput")):
        made = rows(Driver(packer, driver.model, subject.note), [sample])[0].raw
        words = (ROLLOUT_ROUTED_EXPERTS_KEY, type(made).__name__)
        steps.refuses_shape(driver, sample, words, accept=REFUSALS, packer=packer)
        return
    shaped = steps.shape(driver, sample, packer=packer)
    expected = None if sample.record is None else array_of(sample.record)
    copies = {"": shaped}
    for name, make in (("copy.copy", copy.copy), ("copy.deepcopy", copy.deepcopy)):
        with suppress(Exception):  # what cannot be copied is not copied
            copies[f", {name} of it"] = make(shaped)
    for how, one in copies.items():
        found = getattr(one, "forward_routing", None)
        if not same_values(expected, plain(found)):
            fault = "dropped" if found is None else "another record"
            call = f"{steps.last_call}{how}: forward_routing"
            raise Violation.of(call, expected=shown(expected), got=shown(plain(found)), fault=fault)


@check("ROUTE-12", cases=MOVES)
def route_12(subject: Subject, case: RoutingMoveCase) -> None:
    """Routing follows its ids through every cut, join and regrouping, and nothing else moves it."""
    steps, driver = Steps(subject), subject.on(case.model)
    first, borders = case.samples[0], (case.start, case.end)
    _expect_cut(steps, driver, first, *borders)
    _expect_join(steps, driver, case.samples)
    if not broken_rules(case.samples) and first.record is not None:
        for start, end in wrong_borders(*borders, length_of(first)):
            _expect_cut(steps, driver, first, start, end)
        for samples in (*mixtures(case.samples), *wrong_layouts(case.samples)):
            _expect_join(steps, driver, samples)
    _expect_unmoved(subject, steps, driver, case)


def _expect_cut(steps: Steps, driver: Driver, first: RoutedSample, start: int, end: int) -> None:
    (given,), length = raws(driver, [first]), length_of(first)
    call = f"cut_policy_input(a policy input of {length} ids, {start}, {end})"
    if not 0 <= start < end <= length:
        words = tuple(map(str, (start, end, length)))
        steps.refuses(call, lambda: steps.module.cut_policy_input(given, start, end), words)
        return
    with steps.calling(call) as module:
        cut = PolicyView.of(module.cut_policy_input(given, start, end), call)
    ids = [*first.prompt_ids, *first.completion][start:end]
    expect_ids(call, ids, cut.ids)
    expected = None if first.record is None else oracle.cut(array_of(first.record), start, end)
    _expect_record(call, ids, expected, cut.raw)


def _expect_join(steps: Steps, driver: Driver, samples: Sequence[RoutedSample]) -> None:
    given = raws(driver, samples)
    call = f"join_policy_inputs(policy inputs of {', '.join(str(length_of(one)) for one in samples)} ids)"
    broken = broken_rules(samples)
    if broken:
        words = next(iter(broken.values()))
        steps.refuses(call, lambda: steps.module.join_policy_inputs(given), words)
        return
    with steps.calling(call) as module:
        joined = PolicyView.of(module.join_policy_inputs(given), call)
    ids = [id for one in samples for id in (*one.prompt_ids, *one.completion)]
    expect_ids(call, ids, joined.ids)
    expected = oracle.joined([None if one.record is None else array_of(one.record) for one in samples])
    _expect_record(call, ids, expected, joined.raw)


def _expect_unmoved(subject: Subject, steps: Steps, driver: Driver, case: RoutingMoveCase) -> None:
    """Neither tokens that are ignored nor a mask that a trainer overwrites move a record."""
    first = case.samples[0]
    if first.record is None or broken_rules(case.samples):
        return
    if first.completion:
        shaped = steps.shape(driver, first, n=len(first.completion))
        found = plain(getattr(shaped, "forward_routing", None))
        if found is not None and not same_values(array_of(first.record), found):  # dropped: ROUTE-5 speaks of that
            raise Violation.of(
                f"{steps.last_call}: forward_routing", expected=shown(array_of(first.record)), got=shown(found)
            )
    batch_case = RoutingBatchCase(model=case.model, samples=case.samples)
    with suppress(NotTested, Unexercised):
        batch_case = RoutingBatchCase(model=case.model, samples=case.samples)
        before = plain(collated_batch(subject, batch_case, case.samples).columns.get(FORWARD_REPLAY_BATCH_KEY))
        ignored = [len(one.completion) for one in case.samples]
        views = [PolicyView.of(one, "") for one in raws(driver, case.samples, ignored)]
        with silenced(views, in_place=False) as quiet:
            batch = driver.collate(quiet, max(map(length_of, case.samples)))
        after = plain(batch.columns.get(FORWARD_REPLAY_BATCH_KEY))
        if before != after:
            call = f"{batch.call}, every completion ignored and the masks set to zero: {FORWARD_REPLAY_BATCH_KEY}"
            raise Violation.of(call, expected=shown(before), got=shown(after), fault="moved by the mask")


def _expect_record(call: str, ids: Sequence[int], expected: Array | None, made: Any) -> None:
    expect_array(call, ids, expected, getattr(made, "forward_routing", None))
