"""The record of several turns of one rollout, joined at the border of the prefix that they share."""

import operator
from typing import Any

import numpy as np

from packer_reference.routing.records import as_record, expect_experts, expect_layout, expect_rows, read_record
from packer_reference.token_ids import token_ids
from packer_schemas import MISSING_EXPERT, ROLLOUT_ROUTED_EXPERTS_KEY

__all__ = ["join_turn_routing"]


def join_turn_routing(
    earlier_ids: Any, earlier_record: Any, later_ids: Any, later_record: Any, first_row: int = 0
) -> Any:
    """The record `[L2-1, layers, top_k]` of the later turn's L2 ids, where the prefix is the earlier turn's.

    The two begin with the same K ids. Rows before the smallest of K, L1 - 1 and L2 - 1 are the earlier turn's, the rest
    the later turn's, whose record begins at position `first_row`; rows that neither recorded are -1. The answer is a
    CPU tensor of its own, in the smallest signed type that holds its largest id; None where neither turn has a record.

    `ValueError` for K = 0, for a record on one turn only, for other numbers of rows than L1 - 1 and L2 - 1 -
    `first_row`, for layouts that differ and for a `first_row` outside of 0 to L2 - 1; `TypeError` for ids or records
    that are none. Spec: routing, ROUTE-14.
    """
    where = "join_turn_routing"
    earlier = token_ids(earlier_ids, f"{where}: earlier_ids")
    later = token_ids(later_ids, f"{where}: later_ids")
    shared = _shared(earlier, later)
    if shared == 0:
        raise ValueError(
            f"{where}: the turns begin with 0 common ids, of {len(earlier)} and {len(later)}; "
            "a turn that shares nothing is a sample of its own"
        )
    first = _first_row(first_row, len(later) - 1)
    if earlier_record is None and later_record is None:
        return None
    for turn, record in (("earlier", earlier_record), ("later", later_record)):
        if record is None:
            raise ValueError(
                f"{where}: the {turn} turn carries no {ROLLOUT_ROUTED_EXPERTS_KEY}, and 1 of 2 turns does; "
                "both have it or neither"
            )
    before = _rows("earlier", earlier_record, len(earlier), 0)
    after = _rows("later", later_record, len(later), first)
    expect_layout(_named("later"), after, "the earlier turn", before)
    border = min(shared, len(before), len(later) - 1)
    unrecorded = np.full((max(0, first - border), *after.shape[1:]), MISSING_EXPERT, np.int8)
    return as_record([before[:border], unrecorded, after[max(0, border - first) :]])


def _rows(turn: str, record: Any, length: int, first: int) -> np.ndarray:
    rows = read_record(_named(turn), record)
    start = f" from first_row={first} on" if first else ""
    expect_rows(_named(turn), rows, length - 1 - first, f"one per id but the last{start}, for {length} input_ids")
    expect_experts(_named(turn), rows)
    return rows


def _named(turn: str) -> str:
    return f"join_turn_routing: {ROLLOUT_ROUTED_EXPERTS_KEY} of the {turn} turn"


def _shared(earlier: list[int], later: list[int]) -> int:
    """How many ids both begin with."""
    both = min(len(earlier), len(later))
    differing = (at for at in range(both) if earlier[at] != later[at])
    return next(differing, both)


def _first_row(given: Any, rows: int) -> int:
    if isinstance(given, bool):
        raise TypeError(f"join_turn_routing: first_row is {given}, expected a position")
    try:
        first = operator.index(given)
    except TypeError:
        raise TypeError(f"join_turn_routing: first_row is {given!r}, expected a position, an integer") from None
    if not 0 <= first <= rows:
        raise ValueError(f"join_turn_routing: first_row is {first}, expected 0 to {rows}, for {rows + 1} input_ids")
    return first
