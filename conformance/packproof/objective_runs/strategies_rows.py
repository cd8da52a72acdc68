"""Strategies for rows of trajectories: few, short, with ids that say where they come from.

Prompt ids of the first row are 110, 111, ..., its completion ids 120, 121, ...; those of the second 210 and 220. The
first id of a row is its own, so that a row is found again in whatever batch it stands.
"""

from functools import cache
from typing import Any, get_args

from hypothesis import strategies as st

from packer_schemas.objective_cases import ObjectiveKind, ScoredRow

__all__ = ["counted_ids", "kinds", "marked", "sampled_or_not", "silenced", "some_rows", "sources", "weighing"]

kinds: st.SearchStrategy[ObjectiveKind] = st.sampled_from(get_args(ObjectiveKind))
"""Kinds of objectives."""

_advantages = st.sampled_from([1.0, -1.0, 2.0, 0.5, -0.25])
_ratios = st.sampled_from([1.0, 1.35, 0.65, 10.0, 0.1, 0.9, 1.1, 3.0])
sources: st.SearchStrategy[Any] = st.sampled_from(["numbers", "rewards"])
"""Where advantages come from."""
sampled_or_not: st.SearchStrategy[list[Any]] = st.sampled_from([[], [0, 1, 1, 1], [1, 0, 1, 0], [0, 1, 0, 0]])
"""Of the first completion ids of a row, which were sampled; nothing for all."""

_odd = st.sampled_from([0, 3, 1, 511])


@cache
def counted_ids(origin: int, least: int, most: int) -> st.SearchStrategy[list[int]]:
    """Ids counted from an origin, or ids of that range and odd ones, in any order."""
    counted = st.integers(least, most).map(lambda count: list(range(origin, origin + count)))
    return counted | st.lists(st.integers(origin, origin + 9) | _odd, min_size=least, max_size=most)


@cache
def _row(
    number: int, prompt: tuple[int, int], completion: tuple[int, int], *, ignored: bool, ratios: bool, advantages: Any
) -> st.SearchStrategy[ScoredRow]:
    first = 100 * number + 10
    least, most = prompt

    def built(rest: list[int], ids: list[int], n: int, given: list[float], advantage: float) -> ScoredRow:
        return ScoredRow(
            prompt_ids=[first, *rest],
            completion_ids=ids,
            n_ignore_prefix_tokens=min(n, len(ids)),
            ratios=given[: len(ids)],
            advantage=advantage,
        )

    return st.builds(
        built,
        counted_ids(first + 1, least - 1, most - 1),
        counted_ids(first + 10, *completion),
        st.integers(0, completion[1]) if ignored else st.just(0),
        st.lists(_ratios, min_size=completion[1], max_size=completion[1]) if ratios else st.just([]),
        advantages,
    )


@cache
def some_rows(
    least: int = 1,
    most: int = 3,
    *,
    prompt: tuple[int, int] = (2, 4),
    completion: tuple[int, int] = (1, 4),
    ignored: bool = False,
    ratios: bool = False,
    advantages: st.SearchStrategy[float] = _advantages,
) -> st.SearchStrategy[list[ScoredRow]]:
    """Rows of an own number each."""

    def of(count: int) -> st.SearchStrategy[list[ScoredRow]]:
        return st.tuples(
            *[
                _row(number, prompt, completion, ignored=ignored, ratios=ratios, advantages=advantages)
                for number in range(1, count + 1)
            ]
        ).map(list)

    return st.integers(least, most).flatmap(of)


def weighing(rows: list[ScoredRow]) -> list[ScoredRow]:
    """Rows that have a selected prediction each."""
    kept = []
    for row in rows:
        n = min(row.n_ignore_prefix_tokens, len(row.completion_ids) - 1)
        kept.append(row.model_copy(update={"n_ignore_prefix_tokens": n}))
    return kept


def silenced(rows: list[ScoredRow], recorded: tuple[bool, ...]) -> list[ScoredRow]:
    """Rows, some of which have no logprobs."""
    pairs = zip(rows, recorded, strict=False)
    return [row.model_copy(update={"logprobs": one}) for row, one in pairs]


def marked(rows: list[ScoredRow], said: list[Any]) -> list[ScoredRow]:
    """Rows that were sampled as `said`, if anything is; those of one id, or with n, wholly."""
    free = [bool(said) and len(row.completion_ids) > 1 and not row.n_ignore_prefix_tokens for row in rows]
    pairs = zip(rows, free, strict=True)
    return [row.model_copy(update={"sampled": said[: len(row.completion_ids)] if one else None}) for row, one in pairs]
