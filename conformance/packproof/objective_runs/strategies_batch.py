"""Strategies for batches: rows in another order and width, rows without weight, filler rows, and calls made twice."""

from functools import cache

from hypothesis import strategies as st

from packer_schemas.objective_cases import CalledTwiceCase, Filler, FillerCase, RearrangedCase, WeightlessCase
from packproof.objective_runs.strategies_rows import kinds, some_rows, sources, weighing

__all__ = ["called_twice", "fillers", "rearranged", "weightless"]


@cache
def rearranged() -> st.SearchStrategy[RearrangedCase]:
    """Several rows of different length, turned round, and up to many columns of fill; some in a group."""
    return st.builds(
        RearrangedCase,
        objective=kinds,
        rows=some_rows(1, 4, ratios=True, ignored=True).map(weighing),
        rotated=st.integers(0, 3),
        backwards=st.booleans(),
        extra_width=st.integers(0, 4) | st.just(33),
        advantages_from=sources,
    )


@cache
def weightless() -> st.SearchStrategy[WeightlessCase]:
    """Rows without weight behind others, alone, and no rows at all."""
    added = st.sampled_from(["no completion", "all ignored", "none sampled"])
    return st.builds(
        WeightlessCase,
        objective=kinds,
        rows=some_rows(1, 2) | st.just([]),
        added=st.lists(added, min_size=1, max_size=2) | st.just([]),
        advantages_from=sources,
        denominator=st.booleans(),
    )


@cache
def fillers() -> st.SearchStrategy[FillerCase]:
    """Copies of real rows in any place, with whatever may be absent of a filler; and filler rows alone."""
    one = st.builds(
        Filler,
        of=st.integers(0, 3),
        place=st.integers(0, 3),
        reward=st.booleans(),
        logprobs=st.booleans(),
        turns=st.booleans(),
    )
    return st.builds(
        FillerCase,
        objective=kinds,
        rows=some_rows(1, 3) | some_rows(2, 3) | st.just([]),
        fillers=st.lists(one, min_size=1, max_size=2),
        advantages_from=sources,
    )


@cache
def called_twice() -> st.SearchStrategy[CalledTwiceCase]:
    """Rows with n, some in turns or in a group, shaped by a packer or by hand; one of four asks for an accelerator."""
    return st.builds(
        CalledTwiceCase,
        objective=kinds,
        with_packer=st.booleans(),
        rows=some_rows(prompt=(1, 3), completion=(0, 4), ratios=True, ignored=True),
        turns=st.booleans(),
        advantages_from=sources,
        on_accelerator=st.sampled_from([False, False, False, True]),
    )
