"""Chapter routing: records that follow their ids through cuts, joins and turns."""

from collections.abc import Sequence

from packer_spec.oracle.arrays import Array

__all__ = ["cut", "joined", "of_turns"]

_MISSING = -1


def cut(record: Array, start: int, stop: int) -> Array:
    """The record of the positions `start` to `stop - 1`: the rows `start` to `stop - 2` (ROUTE-12)."""
    return _of(_rows(record)[start : stop - 1], record)


def joined(records: Sequence[Array]) -> Array:
    """The record of sequences joined into one row: between two of them a row of -1, for no step crosses a border."""
    rows: list[tuple[int | float, ...]] = []
    for number, record in enumerate(records):
        if number:
            rows.append(_missing(record))
        rows += _rows(record)
    return _of(rows, records[0])


def of_turns(
    earlier_ids: Sequence[int], earlier: Array, later_ids: Sequence[int], later: Array, first_row: int = 0
) -> Array:
    """The record of the later turn's ids, with the rows of the shared prefix from the earlier turn (ROUTE-14).

    Both begin with the same K ids; the border is m, the smallest of K and of the numbers of rows that the two ask for.
    Rows before m are the earlier turn's, rows from m on the later turn's. `first_row` is the position that the later
    turn's first row belongs to; what lies between m and it was recorded by nobody, and is -1.
    """
    shared = 0
    while shared < min(len(earlier_ids), len(later_ids)) and earlier_ids[shared] == later_ids[shared]:
        shared += 1
    border = min(shared, len(earlier_ids) - 1, len(later_ids) - 1)
    unrecorded = [_missing(later)] * max(0, first_row - border)
    return _of(_rows(earlier)[:border] + unrecorded + _rows(later)[max(0, border - first_row) :], later)


def _rows(record: Array) -> list[tuple[int | float, ...]]:
    """The rows of a record, each with its layers * top_k ids."""
    count, layers, top_k = record.shape
    size = layers * top_k
    return [record.values[at * size : (at + 1) * size] for at in range(count)]


def _missing(record: Array) -> tuple[int, ...]:
    _, layers, top_k = record.shape
    return (_MISSING,) * (layers * top_k)


def _of(rows: Sequence[Sequence[int | float]], like: Array) -> Array:
    return Array(like.dtype, (len(rows), *like.shape[1:]), tuple(value for row in rows for value in row))
