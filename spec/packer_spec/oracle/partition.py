"""Chapter dataflow: whole ranks handed out to data sets by ratio."""

from collections.abc import Sequence
from fractions import Fraction

__all__ = ["blocks", "rank_counts"]


def rank_counts(ratios: Sequence[tuple[str, Fraction]], dp_world_size: int) -> list[tuple[str, int]]:
    """How many ranks each data set gets, in the order given; one with a ratio of zero or less is left out.

    With q = ratio / total * world, each gets the whole part of q, and one at least. Ranks that are left go one each to
    the largest remainders q - given, in the order given where they are equal. Where one at least was too much, ranks
    are taken back one by one from a set that has more than one: from the largest given - q, then from the largest
    given, then from the first. `ValueError` when no ratio is above zero, and when there are fewer ranks than sets.
    """
    kept = [(name, ratio) for name, ratio in ratios if ratio > 0]
    if not kept:
        raise ValueError(f"none of the {len(ratios)} ratios is above zero")
    if dp_world_size < len(kept):
        raise ValueError(f"{len(kept)} data sets need a rank each, and there are {dp_world_size}")
    total = sum(ratio for _, ratio in kept)
    shares = [ratio / total * dp_world_size for _, ratio in kept]
    given = [max(1, int(share)) for share in shares]
    by_remainder = sorted(range(len(kept)), key=lambda at: given[at] - shares[at])
    for at in by_remainder[: max(0, dp_world_size - sum(given))]:
        given[at] += 1
    while sum(given) > dp_world_size:
        spare = [at for at in range(len(kept)) if given[at] > 1]
        given[max(spare, key=lambda at: (given[at] - shares[at], given[at]))] -= 1
    return [(name, count) for (name, _), count in zip(kept, given, strict=True)]


def blocks(ratios: Sequence[tuple[str, Fraction]], dp_world_size: int) -> list[tuple[str, list[int]]]:
    """The ranks of each data set: contiguous blocks in the order given.

    The place of a set in the list is its `shard_id`, the place of a rank in its block its `shard_rank`, and the size of
    the block its `shard_world_size`. Errors as those of `rank_counts`.
    """
    found: list[tuple[str, list[int]]] = []
    first = 0
    for name, count in rank_counts(ratios, dp_world_size):
        found.append((name, list(range(first, first + count))))
        first += count
    return found
