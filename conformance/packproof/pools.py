"""Strategies over cases made beforehand: drawn part by part, parts that have to meet do so too seldom."""

import random
from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as st

__all__ = ["pool"]


def pool(
    name: str,
    kinds: Sequence[Callable[[random.Random], Any]],
    *,
    each: int = 40,
    size: Callable[[Any], Any] = lambda _: 0,
) -> st.SearchStrategy[Any]:
    """`each` cases of every kind, the small ones first; they depend on `name` alone."""
    pick = random.Random(name)  # noqa: S311  repeatable on purpose
    cases = [make(pick) for make in kinds for _ in range(each)]
    return st.sampled_from(sorted(cases, key=lambda one: (size(one), len(one.model_dump_json()))))
