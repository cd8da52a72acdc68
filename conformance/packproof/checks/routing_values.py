"""Chapter routing, what a batch holds: where rows lie, what fills the rest, of which type, and the ids themselves."""

from collections.abc import Sequence

from packer_schemas.plain_array import Array
from packer_schemas.routing_cases import RoutedSample, RoutingBatchCase
from packproof.registry import check
from packproof.routed.batches import Collated, collated
from packproof.routed.faults import name_filler_fault, name_row_fault, name_type_fault, name_value_fault
from packproof.routed.records import length_of, signed_limit
from packproof.routed.strategies import SOME, WIDE, WITH_MISSING, batches
from packproof.routed.variants import as_bytes
from packproof.subject import Subject
from packproof.violation import NotTested, Violation

_Row = Sequence[tuple[int | float, ...]]


@check("ROUTE-6", cases=batches(SOME))
def route_6(subject: Subject, case: RoutingBatchCase) -> None:
    """The batch holds routing as [B, max_len, layers, top_k], where each row begins with its sample's record."""
    seen = collated(subject, case)
    if not seen.fits:
        expected, got = list(seen.expected.shape), list(seen.routing.shape)
        raise Violation.of(seen.batch.call, expected=expected, got=got, fault=_shape_fault(expected, got))
    rows = [seen.row(seen.expected, number) for number in range(len(seen.samples))]
    for number, (sample, want) in enumerate(zip(seen.samples, rows, strict=True)):
        count, have = length_of(sample) - 1, seen.row(seen.routing, number)
        if list(map(sorted, want[:count])) != list(map(sorted, have[:count])):  # ROUTE-11 speaks of the order in a row
            raise _told(seen, number, want, have, name_row_fault(want, have, count, rows))


def _shape_fault(expected: list[int], got: list[int]) -> str:
    if got[:1] == expected[:1] and got[2:] == expected[2:]:
        return "a width of its own"
    return "layers and top_k exchanged" if got == [*expected[:2], expected[3], expected[2]] else ""


@check("ROUTE-7", cases=batches((*SOME, *WITH_MISSING)))
def route_7(subject: Subject, case: RoutingBatchCase) -> None:
    """A place without recorded experts holds -1, never expert 0."""
    seen = _placed(subject, case)
    for number in range(len(seen.samples)):
        want, have = seen.row(seen.expected, number), seen.row(seen.routing, number)
        rows = [pair for pair in zip(want, have, strict=True) if _loses_filler(*pair)]
        filler = [other for pair in rows for one, other in zip(*pair, strict=True) if one == -1 != other]
        if filler:
            raise _told(seen, number, want, have, name_filler_fault(filler))


def _loses_filler(want: tuple[int | float, ...], have: tuple[int | float, ...]) -> bool:
    """Whether fewer places of a position are -1 than ought to be; in which of them is for ROUTE-11 to say."""
    return have.count(-1) < want.count(-1)


@check("ROUTE-10", cases=batches((*WIDE, *WITH_MISSING)))
def route_10(subject: Subject, case: RoutingBatchCase) -> None:
    """The batch's routing has the smallest signed integer type that holds its largest expert id."""
    seen = collated(subject, case)
    want, have = seen.expected.dtype, seen.routing.dtype
    if want != have:
        top = max(seen.expected.values, default=-1)
        given = {one.record.dtype for one in seen.samples if one.record is not None}
        fault = "type of the record kept" if given == {have} else name_type_fault(have, top)
        call = f"{seen.batch.call}, the type for {'no expert id' if top < 0 else f'expert {top}'}"
        raise Violation.of(call, expected=want, got=have, fault=fault)


@check("ROUTE-11", cases=batches(WIDE))
def route_11(subject: Subject, case: RoutingBatchCase) -> None:
    """Expert ids keep their values and their order along every axis."""
    _expect_values(_placed(subject, case))
    _expect_values(collated(subject, case, as_bytes(case.samples)))


def _expect_values(seen: Collated) -> None:
    if 0 <= signed_limit(seen.routing.dtype) < max(seen.expected.values, default=-1):
        raise NotTested("the type of the batch holds less than its largest id; ROUTE-10 speaks of that")
    for number, sample in enumerate(seen.samples):
        count = length_of(sample) - 1
        want, have = seen.row(seen.expected, number), seen.row(seen.routing, number)
        pairs = [pair for pair in zip(want[:count], have[:count], strict=True) if not _loses_filler(*pair)]
        if any(one != other for one, other in pairs):
            raise _told(seen, number, want, have, name_value_fault(*map(list, zip(*pairs, strict=True))))


def _placed(subject: Subject, case: RoutingBatchCase) -> Collated:
    """The batch of a case whose packer puts rows where they belong: told from records that say no more than the row.

    `NotTested` for a packer that does not; ROUTE-6 speaks of that.
    """
    plain_ones = [_numbered(number, one) for number, one in enumerate(case.samples)]
    probe = collated(subject, case, plain_ones)
    for number, sample in enumerate(case.samples):
        count = length_of(sample) - 1
        own = probe.fits and probe.row(probe.routing, number)[:count] == probe.row(probe.expected, number)[:count]
        if not own:
            raise NotTested("rows do not lie where they belong; ROUTE-6 speaks of that")
    return collated(subject, case)


def _numbered(number: int, sample: RoutedSample) -> Array:
    """A record in the layout of a sample's own, whose every row holds one number, again and again."""
    assert sample.record is not None, "every sample of these cases has a record"
    rows, layers, top_k = sample.record.shape
    values = [(31 * number + row) % 101 for row in range(rows) for _ in range(layers * top_k)]
    return Array(dtype="int64", shape=[rows, layers, top_k], values=[*values])


def _told(seen: Collated, number: int, want: _Row, have: _Row, fault: str) -> Violation:
    """A violation that shows one row of the batch, position by position."""
    ids = [*map(str, [*seen.samples[number].prompt_ids, *seen.samples[number].completion])]
    return Violation.of(
        f"{seen.batch.call}, row {number}",
        rows={
            "position": list(map(str, range(max(len(want), len(have))))),
            "input_ids": ids + ["pad"] * (len(want) - len(ids)),
            "expected": list(map(_cell, want)),
            "got": list(map(_cell, have)),
        },
        fault=fault,
    )


def _cell(ids: Sequence[int | float]) -> str:
    """The ids of one position, layer by layer."""
    return " ".join(map(str, ids))
