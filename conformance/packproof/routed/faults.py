"""Names for what goes wrong with records again and again, told from the rows expected and the rows got."""

from collections.abc import Callable, Sequence

from packproof.routed.records import signed_limit

__all__ = ["name_filler_fault", "name_row_fault", "name_type_fault", "name_value_fault"]

Rows = Sequence[tuple[int | float, ...]]


def name_row_fault(expected: Rows, got: Rows, count: int, others: Sequence[Rows] = ()) -> str:
    """What is wrong with the places of rows, of which the first `count` are recorded; `others` are other samples'."""
    want, have = list(expected), list(got)
    if len(have) != len(want):
        return f"{len(have)} positions wide instead of {len(want)}"
    filler = want[count:][:1] * count
    shapes = {
        "shifted by one row": have[1 : count + 1] == want[:count],
        "at the end of the row instead of its beginning": want[:count] == have[len(have) - count :],
        "shifted by one row, to the left": have[: count - 1] == want[1:count] != [],
        "last row dropped": have[: count - 1] == want[: count - 1] and have[count - 1 : count] == filler[:1],
        "nothing but filler": bool(filler) and have[:count] == filler,
        "rows in another order": sorted(have[:count]) == sorted(want[:count]),
        **{f"the record of sample {at}": list(other) == have for at, other in enumerate(others)},
    }
    return next((name for name, holds in shapes.items() if holds and count), "")


def name_value_fault(expected: Rows, got: Rows) -> str:
    """What is wrong with the ids of rows that are in place."""
    pairs = [pair for rows in zip(expected, got, strict=True) for pair in zip(*rows, strict=True)]
    differing = [(want, have) for want, have in pairs if want != have]
    for name, holds in _VALUE_FAULTS.items():
        if all(holds(want, have) for want, have in differing):
            return name
    if any(sorted(want) != sorted(have) for want, have in zip(expected, got, strict=True)):
        return ""
    is_sorted = all(list(have) == sorted(have) for have in got)
    return "sorted" if is_sorted else "in another order"


_VALUE_FAULTS: dict[str, Callable[[int | float, int | float], bool]] = {
    "read as filler": lambda want, have: have == -1 != want,
    "wrapped around": lambda want, have: any((want - have) % 2**bits == 0 for bits in (8, 16, 32)),
    "rounded in floating point": lambda want, have: 2**8 < want != have and abs(want - have) <= abs(want) / 2**7,
    "cut to the largest number of a type": lambda want, have: want > have in (127, 255, 32767, 65535, 2**31 - 1),
    "expert 0": lambda want, have: have == 0 != want,
}


def name_filler_fault(got: Sequence[int | float]) -> str:
    """What stands where -1 belongs."""
    values = set(got)
    if values == {0}:
        return "filler is expert 0"
    return f"filler is {got[0]}" if len(values) == 1 else "ids where nothing was recorded"


def name_type_fault(got: str, largest: float) -> str:
    """What is wrong with a type that is not the smallest for its largest id."""
    limit = signed_limit(got)
    return "" if limit < 0 else "too narrow" if limit < largest else "wider than its ids"
