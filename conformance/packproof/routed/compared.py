"""What checks say when they compare records: both of them, position by position, below the ids that they belong to."""

from collections.abc import Sequence
from typing import Any

from packer_spec.oracle.arrays import Array
from packproof.routed.records import rows_of, shown
from packproof.violation import Violation

__all__ = ["expect_array", "told_rows"]


def expect_array(call: str, ids: Sequence[int], expected: Array | None, got: Array | None, found: Any) -> None:
    """A record of these ids, in its smallest type; None where there is none."""
    if expected is None or got is None or expected.shape != got.shape:
        if expected is not None or found is not None:
            have = shown(got) if got is not None else "None" if found is None else f"a {type(found).__name__}"
            fault = "dropped" if found is None else ""
            raise Violation.of(f"{call}: record", expected=shown(expected), got=have, fault=fault)
        return
    want, have = rows_of(expected), rows_of(got)
    if want != have:
        raise told_rows(call, ids, want, have, _fault(want, have))
    if expected.dtype != got.dtype:
        raise Violation.of(f"{call}, the type of the record", expected=expected.dtype, got=got.dtype)


def _fault(want: Sequence[tuple[int | float, ...]], have: Sequence[tuple[int | float, ...]]) -> str:
    differing = [(one, other) for one, other in zip(want, have, strict=True) if one != other]
    if all(set(one) == {-1} for one, _ in differing):
        return "a border without its filler"
    if [*have[1:]] == [*want[:-1]]:
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
