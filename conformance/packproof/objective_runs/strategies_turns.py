"""Strategies for conversations: turns that continue each other, turns that do not, and what of them was sampled."""

import itertools
from functools import cache
from typing import Any, Literal, get_args

from hypothesis import strategies as st

from packer_schemas.objective_cases import ObjectiveKind, RecordedTurn, TurnsCase
from packproof.objective_runs.turns import sampled_of

__all__ = ["conversations", "sampled_turns"]

_Edit = Literal["continued", "an id changed", "the last id lost", "an id written otherwise", "another prompt"]
_kinds = st.sampled_from(get_args(ObjectiveKind))
_Turn = tuple[str, int, int, int]
"""How a turn goes on from the row so far, where it does otherwise, and how many ids its suffix and completion have."""


@cache
def _later(suffix: tuple[int, ...], completion: tuple[int, ...], *, broken: bool) -> st.SearchStrategy[_Turn]:
    edits = st.just("continued") | st.sampled_from(get_args(_Edit)) if broken else st.just("continued")
    return st.tuples(edits, st.integers(0, 9), st.sampled_from(suffix), st.sampled_from(completion))


@cache
def conversations() -> st.SearchStrategy[TurnsCase]:
    """Two or three turns; of those behind the first, most continue the row so far. Some hold ids nobody sampled."""
    first = st.tuples(st.integers(2, 3), st.sampled_from([1, 2, 3, 0]))
    return st.builds(
        _conversation,
        first,
        st.lists(_later((1, 0, 2), (1, 2, 0), broken=True), min_size=1, max_size=2),
        st.sampled_from([[], [0, 1], [0, 0, 1, 1], [1, 0, 0], []]),
        objective=st.sampled_from(["clipped", "policy_gradient", "clipped"]),
        with_packer=st.sampled_from([True, False, True]),
        n_ignore_prefix_tokens=st.sampled_from([0, 1, 0, 1, 0]),
        advantages=st.sampled_from(["lists", "numbers", "lists"]),
        routed=st.sampled_from([False, True, False, False]),
    )


@cache
def sampled_turns() -> st.SearchStrategy[TurnsCase]:
    """One turn or a few, most of which continue each other, in which some ids were not sampled; and entries that
    cannot be."""
    later = _later((0, 1, 2), (1, 2, 3, 4), broken=False)
    return st.builds(
        _conversation,
        st.tuples(st.just(2), st.integers(1, 4)),
        st.lists(later, max_size=2) | st.lists(_later((0, 1), (1, 2), broken=True), min_size=1, max_size=2),
        st.lists(st.sampled_from([1, 0]), min_size=1, max_size=5),
        spoilt=st.sampled_from(["fits", "fits", "fits", "fits", "fits", "too long", "neither"]),
        objective=_kinds,
        with_packer=st.booleans(),
        n_ignore_prefix_tokens=st.sampled_from([0, 0, 1]),
    )


def _conversation(
    first: tuple[int, int], rest: list[_Turn], said: list[int], *, spoilt: str = "fits", **options: Any
) -> TurnsCase:
    """Ids of turn t are counted from 100 * t + 10 where a template or a tool wrote them, and + 20 where sampled.

    What was sampled is `said` in turns, round and round; nothing is said of it where that is empty.
    """
    row, turns = list(range(110, 110 + first[0])), list[RecordedTurn]()
    bits = itertools.cycle(said)
    for number, (edit, place, suffix, count) in enumerate([("continued", 0, 0, first[1]), *rest], 1):
        so_far = _edited(row, edit, place, 100 * number)
        prompt = [*so_far, *range(100 * number + 10, 100 * number + 10 + suffix)]
        completion = list(range(100 * number + 20, 100 * number + 20 + count))
        sampled = [next(bits) for _ in completion] if said else None
        if sampled is not None and spoilt != "fits" and number == len(rest) + 1:
            sampled = [*sampled, 1] if spoilt == "too long" else [*sampled[:-1], 2]
        turns.append(RecordedTurn(prompt_ids=prompt, completion_ids=completion, sampled=sampled))
        row = prompt + completion
    n = min(options.pop("n_ignore_prefix_tokens"), first[1]) * options["with_packer"]
    options["routed"] = options.get("routed", False) and options["with_packer"]
    if said and spoilt == "fits" and not any(sampled_of(turns)[n:]):
        return _conversation(first, rest, [], n_ignore_prefix_tokens=0, **options)
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
