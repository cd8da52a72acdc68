"""A toy causal model that names what it scores: its log-probability at position i is the pair (prefix, next id)."""

from collections.abc import Sequence

__all__ = ["Pair", "next_token_scores", "selected_pairs"]

Pair = tuple[tuple[int, ...], int]
"""A prefix of ids and the id that follows it: the one prediction that a log-probability speaks of."""


def next_token_scores(ids: Sequence[int]) -> list[Pair]:
    """The L-1 scores of a sequence of length L; entry i is the prediction of `ids[i + 1]` from `ids[:i + 1]`."""
    return [(tuple(ids[: end + 1]), ids[end + 1]) for end in range(len(ids) - 1)]


def selected_pairs(ids: Sequence[int], mask: Sequence[int]) -> set[Pair]:
    """The predictions that an objective trains on: `mask[:-1]` over the next-token scores."""
    return {pair for pair, marked in zip(next_token_scores(ids), mask[:-1], strict=True) if marked}
