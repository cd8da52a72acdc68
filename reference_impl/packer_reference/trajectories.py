"""Trajectories as callers hand them over: a list, or anything else that holds several."""

from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["plain_trajectories"]


def plain_trajectories(given: Any, where: str) -> list[Any]:
    """The trajectories as a list; `TypeError`, which begins with `where`, for one alone and for what holds none."""
    if hasattr(given, "policy_info"):
        raise TypeError(f"{where}: trajectories is one {type(given).__name__}, expected a list; pass [trajectory]")
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise TypeError(f"{where}: trajectories is {type(given).__name__} {given!r:.80}, expected a list of them")
    return list(given)
