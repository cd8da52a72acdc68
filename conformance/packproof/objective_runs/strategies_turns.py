"""Strategies for conversations: turns that continue each other, turns that do not, and what of them was sampled."""

from functools import cache
from typing import Any, Literal, get_args

from hypothesis import strategies as st

from packer_schemas.objective_cases import ObjectiveKind, RecordedTurn, TurnsCase

__all__ = ["conversations", "sampled_turns"]

_Edit = Literal["continued", "an id changed", "the last id lost", "an id written otherwise", "another prompt"]
_kinds = st.sampled_from(get_args(ObjectiveKind))


@cache
def conversations() -> st.SearchStrategy[TurnsCase]:
    """Two or three turns; of those behind the first, most continue the row so far."""
    edits = st.just("continued") | st.sampled_from(get_args(_Edit))
    one = st.tuples(edits, st.integers(0, 9), st.sampled_from([1, 0, 2]), st.integers(1, 2))
    first = st.tuples(st.integers(2, 3), st.integers(1, 3))
    return st.builds(
        _conversation,
        first,
        st.lists(one, min_size=1, max_size=2),
        objective=_kinds,
        with_packer=st.booleans(),
        n_ignore_prefix_tokens=st.sampled_from([0, 0, 0, 0, 1]),
    )


def _conversation(first: tuple[int, int], rest: list[tuple[str, int, int, int]], **options: Any) -> TurnsCase:
    """Ids of turn t are counted from 100 * t + 10 where a template or a tool wrote them, and + 20 where sampled."""
    row = [*range(110, 110 + first[0])]
    turns = [RecordedTurn(prompt_ids=row, completion_ids=list(range(120, 120 + first[1])))]
    row = row + turns[0].completion_ids
    for number, (edit, place, suffix, count) in enumerate(rest, 2):
        so_far = _edited(row, edit, place, 100 * number)
        prompt = [*so_far, *range(100 * number + 10, 100 * number + 10 + suffix)]
        completion = list(range(100 * number + 20, 100 * number + 20 + count))
        turns.append(RecordedTurn(prompt_ids=prompt, completion_ids=completion))
        row = prompt + completion
    n = min(options.pop("n_ignore_prefix_tokens"), first[1]) * options["with_packer"]
    return TurnsCase(turns=turns, n_ignore_prefix_tokens=n, **options)


def _edited(row: list[int], edit: str, place: int, number: int) -> list[int]:
    at = place % (len(row) - 1) + 1
    if edit == "an id changed":
        return [*row[:at], number + 50, *row[at + 1 :]]
    if edit == "the last id lost":
        return row[:-1]
    if edit == "an id written otherwise":
        return [*row[:at], number + 51, number + 52, *row[at + 1 :]]
    return [number + 53, number + 54] if edit == "another prompt" else row


@cache
def sampled_turns() -> st.SearchStrategy[TurnsCase]:
    """One turn or a few that continue each other, in which some ids were not sampled; and entries that cannot be."""

    def turned(counts: list[int], suffixes: list[int], drawn: list[int], spoilt: str, **options: Any) -> TurnsCase:
        row, turns, said = [110, 111], [], iter(drawn * 12)
        for number, (count, suffix) in enumerate(zip(counts, suffixes, strict=False), 1):
            prompt = [*row, *range(100 * number + 30, 100 * number + 30 + suffix * (number > 1))]
            completion = list(range(100 * number + 20, 100 * number + 20 + count))
            sampled = [next(said) for _ in completion]
            if spoilt != "fits" and number == len(counts):
                sampled = [*sampled, 1] if spoilt == "too long" else [*sampled[:-1], 2] if sampled else [1]
            turns.append(RecordedTurn(prompt_ids=prompt, completion_ids=completion, sampled=sampled))
            row = prompt + completion
        n = min(options.pop("n"), counts[0]) * options["with_packer"]
        return TurnsCase(turns=turns, n_ignore_prefix_tokens=n, **options)

    return st.integers(1, 3).flatmap(
        lambda count: st.builds(
            turned,
            st.lists(st.integers(1, 4), min_size=count, max_size=count),
            st.lists(st.integers(0, 2), min_size=count, max_size=count),
            st.lists(st.sampled_from([1, 0]), min_size=1, max_size=5),
            st.sampled_from(["fits", "fits", "fits", "fits", "fits", "too long", "neither"]),
            objective=_kinds,
            with_packer=st.booleans(),
            n=st.sampled_from([0, 0, 1]),
        )
    )
