"""Strategies for streams with one defect, and for rewards of groups."""

from functools import cache
from typing import Any, get_args

from hypothesis import strategies as st

from packer_schemas.objective_cases import ObjectiveKind, RewardsCase, StreamCase

__all__ = ["rewards", "streams"]

_REWARDS: tuple[tuple[float, ...], ...] = (
    (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0),
    (0.0, 1.0, 1.0, -1.0, 0.5, 0.25, 2.0, 3.0),
    (1000.0, 999.5, 999.75, 1000.0, 999.5, 1000.0, 999.5, 999.5),
    (-1000.0, 1000.0, 0.125, 0.7, 0.1, -0.3, 7.0, 0.0),
    (0.7,) * 8,
    (0.3,) * 8,
    (0.1,) * 8,
)
_LABELS: tuple[tuple[int | str, ...], ...] = (
    (7,) * 8,
    (0, 1) * 4,
    ("a", "b", "a", "a", "b", "b", "a", "c"),
    (0, 0, 0, 1, 1, "0", 1, 0),
)


@cache
def rewards() -> st.SearchStrategy[RewardsCase]:
    """Groups of all sizes, apart or together; equal rewards, close ones and large ones; what is no reward."""
    spoilt = st.sampled_from(
        ["", "", "", "", "eps", "eps", "eps", None, "NaN", "infinity", "one too few", "one too many"]
    )

    def built(given: tuple[float, ...], of: tuple[int | str, ...], count: int, spoilt: Any, more: Any) -> RewardsCase:
        eps, broken = more
        values: list[Any] = list(given[:count])
        groups: list[int | str] = list(of[:count])
        if spoilt in ("one too few", "one too many"):
            groups = [*((7,) * (count - 1 if spoilt == "one too few" else count + 1))]
        rewards = [*values[:-1], spoilt] if spoilt in (None, "NaN", "infinity") else values
        within = None if broken is None else broken % count
        return RewardsCase(rewards=rewards, groups=groups, eps=eps if spoilt == "eps" else None, broken=within)

    return st.builds(
        built,
        st.sampled_from(_REWARDS),
        st.sampled_from(_LABELS),
        st.sampled_from((4, 2, 3, 5, 8, 7, 1)),
        spoilt,
        st.tuples(st.sampled_from((0.5, -0.5, 0.25, 0.0)), st.sampled_from((None, None, None, 0, 2, 1))),
    )


@cache
def streams() -> st.SearchStrategy[StreamCase]:
    """Every defect of every stream, at selected entries and at others.

    No two parts are drawn alike, or Hypothesis would spend most cases on exchanging one for the other.
    """
    odd, absent = ("None", "NaN", "infinity", "too large"), ("absent", "absent and marked")
    lengths = ("one too few", "one too many")
    drawn: list[tuple[Any, Any, Any, int]] = [("clipped", "logprobs", one, 0) for one in odd + absent + lengths * 3] * 2
    drawn += [("policy_gradient", "logprobs", one, 0) for one in (*odd, *absent, *lengths)]
    drawn += [(kind, "advantages", one, 0) for kind in get_args(ObjectiveKind) for one in (*odd, *lengths, "absent")]
    drawn += [("clipped", "an advantage", one, 0) for one in odd + lengths * 4]
    drawn += [("clipped", stream, one, n) for stream in ("logprobs", "advantages") for one in odd for n in (1, 2, -1)]

    def built(of: tuple[Any, Any, Any, int], length: int, entry: int, place: int) -> StreamCase:
        """With `n` ids ignored in front, or not sampled at the end where it is below 0, the entry is one of those."""
        kind, stream, defect, n = of
        many = length + abs(n)
        return StreamCase(
            objective=kind,
            stream=stream,
            defect=defect,
            ignored=max(n, 0),
            unsampled=max(-n, 0),
            length=many,
            entry=entry % n if n > 0 else many - 1 if n else entry,
            place=place,
        )

    return st.builds(
        built,
        st.sampled_from(drawn),
        st.sampled_from((2, 1, 3)),
        st.sampled_from((0, 1, 2, 3)),
        st.sampled_from((0, 1)),
    )
