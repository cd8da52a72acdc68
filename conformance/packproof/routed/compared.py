"""What checks say when they compare records: both of them, position by position, below the ids that they belong to."""

from collections.abc import Sequence
from typing import Any

from packer_spec.oracle.arrays import Array
from packproof.routed.faults import name_type_fault
from packproof.routed.records import plain, rows_of, shown
from packproof.violation import Violation

__all__ = ["expect_array", "told_rows"]


def expect_array(call: str, ids: Sequence[int], expected: Array | None, found: Any, fault: str = "") -> None:
    """A record of these ids, in its smallest type; None where there is none. `fault` names rows that are others."""
    got = plain(found)
    if expected is None or got is None or expected.shape != got.shape:
        if expected is not None or found is not None:
            have = shown(got) if got is not None else "None" if found is None else f"a {type(found).__name__}"
            name = "dropped" if found is None else _count_fault(expected, got)
            raise Violation.of(f"{call}: record", expected=shown(expected), got=have, fault=name)
        return
    want, have = rows_of(expected), rows_of(got)
    if want != have:
        raise told_rows(call, ids, want, have, fault or _fault(want, have))
    if expected.dtype != got.dtype:
        fault = name_type_fault(got.dtype, max(expected.values, default=-1))
        raise Violation.of(f"{call}, the type of the record", expected=expected.dtype, got=got.dtype, fault=fault)


def _count_fault(expected: Array | None, got: Array | None) -> str:
    if expected is None or got is None or expected.shape[1:] != got.shape[1:]:
        return ""
    return f"{got.shape[0]} rows instead of {expected.shape[0]}"


def _fault(want: Sequence[tuple[int | float, ...]], have: Sequence[tuple[int | float, ...]]) -> str:
    differing = [(one, other) for one, other in zip(want, have, strict=True) if one != other]
    if all(set(one) == {-1} for one, _ in differing):
        return "a border without its filler"
    if len(want) > 1 and [*have[1:]] == [*want[:-1]]:
        return "the first rows kept"
    return ""


def told_rows(call: str, ids: Sequence[int], want: Sequence[Any], have: Sequence[Any], fault: str) -> Violation:
    """A violation that shows two records, position by position; the last one has no row."""
    columns = {"expected": want, "got": have}
    return Violation.of(
        call,
        rows={
            "position": list(map(str, range(len(ids)))),
            "input_ids": list(map(str, ids)),
            **{name: [*(" ".join(map(str, row)) for row in rows), ""] for name, rows in columns.items()},
        },
        fault=fault,
    )
