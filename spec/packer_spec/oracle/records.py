"""Chapter routing: records that follow their ids through cuts, joins and turns."""

from collections.abc import Sequence

from packer_spec.oracle.arrays import Array
from packer_spec.oracle.routing import MISSING, expect_layout, expect_record, smallest_dtype

__all__ = ["cut", "joined", "of_turns"]


def cut(record: Array, start: int, stop: int) -> Array:
    """The record of the positions `start` to `stop - 1`: the rows `start` to `stop - 2`, in their smallest type.

    `ValueError` unless 0 <= start < stop <= L (ROUTE-12).
    """
    length = record.shape[0] + 1
    if not 0 <= start < stop <= length:
        raise ValueError(f"positions {start} to {stop} of {length} input_ids, expected 0 <= start < stop <= {length}")
    return _of(_rows(record)[start : stop - 1], record)


def joined(records: Sequence[Array | None]) -> Array | None:
    """The record of sequences joined into one row: between two of them a row of -1, for no step crosses a border.

    None where no sequence has one; `ValueError` where some have, or where layers or top_k differ (ROUTE-12).
    """
    present = [record for record in records if record is not None]
    if not present:
        return None
    if len(present) < len(records):
        raise ValueError(f"sample {records.index(None)} has no record, and {len(present)} of {len(records)} samples do")
    rows: list[tuple[int | float, ...]] = []
    for number, record in enumerate(present):
        expect_layout(f"sample {number}", record, "sample 0", present[0])
        if number:
            rows.append(_missing(record))
        rows += _rows(record)
    return _of(rows, present[0])


def of_turns(
    earlier_ids: Sequence[int],
    earlier: Array | None,
    later_ids: Sequence[int],
    later: Array | None,
    first_row: int = 0,
) -> Array | None:
    """The record of the later turn's ids, with the rows of the shared prefix from the earlier turn (ROUTE-14).

    Both begin with the same K ids; the border is m, the smallest of K and of the numbers of rows that the two ask for.
    Rows before m are the earlier turn's, rows from m on the later turn's. `first_row` is the position that the later
    turn's first row belongs to; what lies between m and it was recorded by nobody, and is -1.

    `ValueError` where the two share nothing, where one lacks a record, where layers or top_k differ, and for another
    number of rows or a `first_row` outside of the rows.
    """
    shared = 0
    while shared < min(len(earlier_ids), len(later_ids)) and earlier_ids[shared] == later_ids[shared]:
        shared += 1
    if shared == 0:
        raise ValueError("the two turns share 0 ids, so there is nothing to join")
    if earlier is None or later is None:
        if earlier is later:
            return None
        raise ValueError(f"the {'later' if earlier else 'earlier'} turn has no record, and 1 of 2 does")
    asked = len(later_ids) - 1
    if not 0 <= first_row <= asked:
        raise ValueError(f"first_row is {first_row}, expected 0 to {asked}")
    expect_record("the earlier turn", earlier, len(earlier_ids) - 1)
    expect_record("the later turn", later, asked - first_row)
    expect_layout("the later turn", later, "the earlier turn", earlier)
    border = min(shared, len(earlier_ids) - 1, asked)
    unrecorded = [_missing(later)] * max(0, first_row - border)
    return _of(_rows(earlier)[:border] + unrecorded + _rows(later)[max(0, border - first_row) :], later)


def _rows(record: Array) -> list[tuple[int | float, ...]]:
    """The rows of a record, each with its layers * top_k ids."""
    count, layers, top_k = record.shape
    size = layers * top_k
    return [record.values[at * size : (at + 1) * size] for at in range(count)]


def _missing(record: Array) -> tuple[int, ...]:
    _, layers, top_k = record.shape
    return (MISSING,) * (layers * top_k)


def _of(rows: Sequence[Sequence[int | float]], like: Array) -> Array:
    """A record of these rows, in the smallest signed type that holds them."""
    values = tuple(value for row in rows for value in row)
    return Array(smallest_dtype(values), (len(rows), *like.shape[1:]), values)
