"""Strategies for conversations: turns that continue each other, turns that do not, and what of them was sampled."""

import itertools
from collections.abc import Sequence
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


_MORE: tuple[dict[str, Any], ...] = (
    {},
    {"n": 1},
    {"routed": True, "advantages": "numbers"},
    {"said": [0, 1], "routed": True, "advantages": "numbers"},
    {"n": 1, "advantages": "numbers"},
    {"said": [0, 0, 1, 1], "advantages": "numbers"},
    {"said": [0, 1, 1]},
    {"said": [1, 0, 0], "n": 1},
)
"""What a conversation has besides: these together, for of parts drawn each by itself few cases have two."""


@cache
def conversations() -> st.SearchStrategy[TurnsCase]:
    """Two or three turns; of those behind the first, most continue the row so far. Some hold ids nobody sampled."""
    return st.builds(
        lambda first, rest, more, **options: _conversation(first, rest, **options, **more),
        st.tuples(st.integers(2, 3), st.sampled_from([1, 2, 3, 0])),
        st.lists(_later((1, 0, 2), (1, 2, 0), broken=True), min_size=1, max_size=2),
        st.sampled_from(_MORE),
        objective=st.sampled_from(["clipped", "policy_gradient", "clipped"]),
        with_packer=st.booleans(),
    )


@cache
def sampled_turns() -> st.SearchStrategy[TurnsCase]:
    """One turn or a few, in which some ids were not sampled: most continue each other, some hold entries that cannot
    be, some begin new rows, and some are texts."""
    first = st.tuples(st.just(2), st.integers(1, 4))
    some = st.sampled_from([[0, 1], [1, 0], [1, 0, 0, 1]])
    going_on = st.builds(
        _conversation,
        first,
        st.lists(_later((0, 1, 2), (1, 2, 3, 4), broken=False), max_size=2),
        said=st.lists(st.sampled_from([1, 0]), min_size=1, max_size=5),
        spoilt=st.sampled_from(["fits", "fits", "fits", "too long", "neither"]),
        objective=_kinds,
        with_packer=st.booleans(),
        n=st.sampled_from([0, 0, 1]),
    )
    broken = st.builds(
        _conversation,
        first,
        st.lists(_later((0, 1), (1, 2), broken=True), min_size=1, max_size=2),
        said=some,
        objective=_kinds,
        with_packer=st.booleans(),
    )
    texts = st.builds(
        _conversation,
        first,
        st.just([]),
        said=some,
        objective=_kinds,
        with_packer=st.just(True),
        n=st.sampled_from([0, 1]),
        text=st.just(True),
    )
    return st.one_of(going_on, going_on, broken, texts)


def _conversation(
    first: tuple[int, int],
    rest: list[_Turn],
    *,
    said: Sequence[int] = (),
    n: int = 0,
    spoilt: str = "fits",
    with_packer: bool,
    routed: bool = False,
    **options: Any,
) -> TurnsCase:
    """Ids of turn t are counted from 100 * t + 10 where a template or a tool wrote them, and + 20 where sampled.

    What was sampled is `said` in turns, round and round; nothing is said of it where that is empty. With n or
    routing there is a packer, and where nothing would be selected all was sampled.
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
    ignored = min(n, first[1])
    if said and spoilt == "fits" and not any(sampled_of(turns)[ignored:]):
        return _conversation(first, rest, with_packer=with_packer, **options)
    return TurnsCase(
        turns=turns,
        n_ignore_prefix_tokens=ignored,
        with_packer=with_packer or ignored > 0 or routed,
        routed=routed,
        **options,
    )


def _edited(row: list[int], edit: str, place: int, number: int) -> list[int]:
    at = place % (len(row) - 1) + 1
    if edit == "an id changed":
        return [*row[:at], number + 50, *row[at + 1 :]]
    if edit == "the last id lost":
        return row[:-1]
    if edit == "an id written otherwise":
        return [*row[:at], number + 51, number + 52, *row[at + 1 :]]
    return [number + 53, number + 54] if edit == "another prompt" else row
