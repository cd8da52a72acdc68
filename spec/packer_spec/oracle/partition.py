"""Chapter dataflow: whole ranks handed out to data sets by ratio."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

__all__ = ["blocks", "rank_counts"]

Ratios = Sequence[tuple[str, Any]]


def rank_counts(ratios: Ratios, dp_world_size: int) -> list[tuple[str, int]]:
    """How many ranks each data set with a ratio above zero gets, in the order given (FLOW-8).

    With the quota q = ratio / (sum of the ratios) * world, each gets the whole part of q, and one at least. Ranks that
    are left over go one each to the largest q - given. Where too many were given, one is taken back, again and again,
    from a set that has more than one: from the largest given - q, then from the largest given. The earlier set goes
    first where these are equal. Arithmetic is exact, on the ratios as decimal numbers.

    `ValueError` for fewer ranks than sets, and for ratios of which none is above zero, one is below it, or one is no
    finite number (FLOW-20).
    """
    exact = [(name, _exact(name, ratio)) for name, ratio in ratios]
    kept = [(name, ratio) for name, ratio in exact if ratio > 0]
    if not kept:
        raise ValueError(f"none of the {len(exact)} ratios is above 0")
    if dp_world_size < len(kept):
        raise ValueError(f"{len(kept)} data sets need a rank each, and dp_world_size is {dp_world_size}")
    total = sum(ratio for _, ratio in kept)
    quotas = [ratio / total * dp_world_size for _, ratio in kept]
    given = [max(1, math.floor(quota)) for quota in quotas]
    by_remainder = sorted(range(len(kept)), key=lambda at: given[at] - quotas[at])
    for at in by_remainder[: max(0, dp_world_size - sum(given))]:
        given[at] += 1
    while sum(given) > dp_world_size:
        spare = [at for at in range(len(kept)) if given[at] > 1]
        given[max(spare, key=lambda at: (given[at] - quotas[at], given[at]))] -= 1
    return [(name, count) for (name, _), count in zip(kept, given, strict=True)]


def blocks(ratios: Ratios, dp_world_size: int) -> list[tuple[str, list[int]]]:
    """The ranks of each data set: contiguous blocks in the order given. Errors as those of `rank_counts`."""
    found: list[tuple[str, list[int]]] = []
    first = 0
    for name, count in rank_counts(ratios, dp_world_size):
        found.append((name, list(range(first, first + count))))
        first += count
    return found


def _exact(name: str, ratio: Any) -> Fraction:
    """The ratio as a fraction; a float counts as the shortest decimal that reads back as the same float."""
    if type(ratio) not in (int, float) or not math.isfinite(ratio) or ratio < 0:
        raise ValueError(f"the ratio of {name} is {ratio!r}, expected a finite number from 0")
    return Fraction(repr(ratio))
