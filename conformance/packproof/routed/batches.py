"""Samples of a case as policy inputs of the packer, with their records on them, collated."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from packer_schemas.case_parts import Sample
from packer_schemas.plain_array import Array as CaseArray
from packer_schemas.routing import FORWARD_REPLAY_BATCH_KEY
from packer_schemas.routing_cases import RoutedSample, RoutingBatchCase
from packer_schemas.tensor import is_tensor
from packer_spec.oracle import routing as oracle
from packer_spec.oracle.arrays import Array
from packproof.changed_packers import workshop
from packproof.driver import Driver
from packproof.routed.broken import largest, unmentioned
from packproof.routed.records import array_of, handed, length_of, plain
from packproof.subject import Subject
from packproof.views import BatchView, PolicyView
from packproof.violation import CallFailed, NotTested, Unexercised, Violation

__all__ = [
    "Collated",
    "beyond_some_model",
    "call_of",
    "collated",
    "collated_batch",
    "driver_of",
    "expect_named",
    "expect_refused",
    "raws",
    "rows",
    "width",
    "with_records",
]

_EXPERT_KEYS = ("num_experts", "num_local_experts", "n_routed_experts")
_SMALL = 3
"""The largest id of records that every packer takes, whatever its model."""


@dataclass(frozen=True)
class Collated:
    """A batch with routing: `routing` and what it ought to be, as plain data, `[B, max_len, layers, top_k]`."""

    samples: Sequence[RoutedSample]
    batch: BatchView
    routing: Array
    expected: Array

    @property
    def fits(self) -> bool:
        """Whether the shape is the one asked for; ROUTE-6 speaks of others."""
        return self.routing.shape == self.expected.shape

    def row(self, array: Array, number: int) -> list[tuple[int | float, ...]]:
        """The ids of one row of a batch, position by position."""
        width, size = array.shape[1], array.shape[2] * array.shape[3]
        start = number * width * size
        return [array.values[start + at * size : start + (at + 1) * size] for at in range(width)]


def driver_of(subject: Subject, case: RoutingBatchCase) -> Driver:
    """The packer that a case is tried on: where it names a number of experts, on a model whose configuration does."""
    if case.experts is None:
        return subject.on(case.model)
    key = "experts", case.model, case.experts
    if key not in subject.kept:
        shop = workshop(subject, case.model)
        if "SetsUp" not in subject.capabilities or "config.json" not in shop.files.parsed:
            raise Unexercised("the kit has no model folder to write a number of experts into")
        told: dict[str, Any] = dict.fromkeys(_EXPERT_KEYS, case.experts)
        config = shop.files.config | told
        if isinstance(config.get("text_config"), dict):
            config["text_config"] |= told
        subject.kept[key] = shop.driver(shop.files.having(config=config), f"experts-{case.experts}")
    return subject.kept[key]


def rows(driver: Driver, samples: Sequence[RoutedSample], ignored: Sequence[int] = ()) -> list[PolicyView]:
    """The packer's policy inputs of these samples, without records; `ignored` are n_ignore_prefix_tokens of each."""
    return [
        driver.policy_input(
            Sample(prompt_ids=one.prompt_ids, completion=one.completion, n_ignore_prefix_tokens=skipped)
        )
        for one, skipped in zip(samples, ignored or [0] * len(samples), strict=True)
    ]


def with_records(views: Sequence[PolicyView], records: Sequence[Any]) -> list[Any]:
    """The policy inputs with these records on them: written into each, or into a copy of one that is frozen."""
    return [_with(view.raw, record) for view, record in zip(views, records, strict=True)]


def _with(made: Any, record: Any) -> Any:
    try:
        made.forward_routing = record
    except Exception:
        if hasattr(made, "model_copy"):
            return made.model_copy(update={"forward_routing": record})
        if hasattr(made, "_replace"):  # a named tuple
            return made._replace(forward_routing=record)
        if not dataclasses.is_dataclass(made) or isinstance(made, type):
            raise
        return dataclasses.replace(made, forward_routing=record)
    return made


def raws(driver: Driver, samples: Sequence[RoutedSample], ignored: Sequence[int] = ()) -> list[Any]:
    """The packer's policy inputs of these samples, with their records."""
    with driver.calling("policy_input.forward_routing = record"):
        return with_records(rows(driver, samples, ignored), [handed(one.record, one.container) for one in samples])


def width(case: RoutingBatchCase) -> int:
    """The width that a case is collated at."""
    return max(map(length_of, case.samples)) + case.extra_width


def beyond_some_model(case: RoutingBatchCase) -> bool:
    """Whether a packer that knows how few experts its model has may refuse a case for its ids."""
    return case.experts is None and largest(case.samples) > _SMALL


def call_of(case: RoutingBatchCase) -> str:
    """`policy_collate_fn(...)` as messages name it."""
    lengths = ", ".join(str(length_of(one)) for one in case.samples)
    model = "" if case.experts is None else f", of a model with {case.experts} experts"
    return f"policy_collate_fn(samples of length [{lengths}] with routing, {width(case)}){model}"


def collated(subject: Subject, case: RoutingBatchCase, records: Sequence[CaseArray] | None = None) -> Collated:
    """The batch of a case whose records are to be taken, or of others in their place.

    `NotTested` or `Unexercised` where the packer refuses it, or leaves the routing out: other rules speak of that.
    """
    samples = case.samples if records is None else _exchanged(case.samples, records)
    batch = collated_batch(subject, case, samples)
    found = batch.columns.get(FORWARD_REPLAY_BATCH_KEY)
    if found is None:
        raise NotTested(f"the batch holds no {FORWARD_REPLAY_BATCH_KEY}; ROUTE-1 speaks of that")
    routing = plain(found) if is_tensor(found) else None
    if routing is None or len(routing.shape) != 4:
        shape = list(getattr(found, "shape", ()))
        raise Violation.of(
            batch.call, expected="a CPU tensor of four axes", got=f"a {type(found).__name__} {shape}", fault="no tensor"
        )
    lengths = [length_of(one) for one in samples]
    arrays = [None if one.record is None else array_of(one.record) for one in samples]
    expected = oracle.forward_replay_routing(lengths, arrays, width(case))
    assert expected is not None, "the case has records"
    return Collated(samples, batch, routing, expected)


def collated_batch(subject: Subject, case: RoutingBatchCase, samples: Sequence[RoutedSample]) -> BatchView:
    """The batch of samples that are to be taken; `NotTested` or `Unexercised` where the packer refuses it."""
    driver, call = driver_of(subject, case), call_of(case)
    views = rows(driver, samples)
    try:
        with driver.calling(call):
            given = with_records(views, [handed(one.record, one.container) for one in samples])
            return BatchView.of(driver.packer.policy_collate_fn(given, width(case)), call)
    except CallFailed as error:
        why = f"{call} {error.counterexample.got}"
        if largest(samples) > _SMALL:  # of a model with few experts a packer refuses it with good reason
            raise Unexercised(why) from error
        raise NotTested(f"{why}; ROUTE-2 speaks of records that are to be taken") from error


def _exchanged(samples: Sequence[RoutedSample], records: Sequence[CaseArray]) -> list[RoutedSample]:
    pairs = zip(samples, records, strict=True)
    return [one.model_copy(update={"record": record, "container": "tensor"}) for one, record in pairs]


def expect_refused(
    subject: Subject, case: RoutingBatchCase, words: Sequence[str], accept: tuple[type[Exception], ...] = (ValueError,)
) -> None:
    """Demand that collation refuses the records of a case, in a message that names all `words`."""
    driver, call = driver_of(subject, case), call_of(case)
    views = rows(driver, case.samples)
    records = [handed(one.record, one.container) for one in case.samples]
    try:
        given = with_records(views, records)
    except accept:
        return  # refused where it was put on, before there is a batch to be named
    message = str(driver.refuses(call, lambda: driver.packer.policy_collate_fn(given, width(case)), accept))
    if beyond_some_model(case) and unmentioned(words, message):
        raise Unexercised(f"of a model with few experts {call} is refused for its ids: {message}")
    expect_named(call, message, words)


def expect_named(call: str, message: str, words: Sequence[str]) -> None:
    """Demand a message that names all `words`."""
    lacking = unmentioned(words, message)
    if lacking:
        short = message if len(message) < 300 else message[:297] + "..."
        raise Violation.of(
            call,
            expected=f"a message that names {', '.join(words)}",
            got=f"the message {short!r}",
            fault=f"the message does not name {', '.join(lacking)}",
        )
