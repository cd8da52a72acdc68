"""A check's generated cases as a plain list: drawn once, run on many subjects that are fed alike."""

import random
from typing import TYPE_CHECKING, Any

from packproof.registry import Check
from packproof.search import search

if TYPE_CHECKING:
    from packproof.tested import Tested

__all__ = ["Corpus"]

_DRAWN = 20  # at least, to choose from: the first that Hypothesis draws for a model is always its simplest


class Corpus:
    """At most `count` different cases per check, drawn with `seed`; a heavy check gets a third of them.

    Cases depend on a subject only through its models, so subjects on equal models share them.
    """

    def __init__(self, seed: int, count: int) -> None:
        self.seed, self.count = seed, count
        self._drawn: dict[tuple[Any, ...], tuple[Any, ...]] = {}

    def cases(self, check: Check, subject: "Tested") -> tuple[Any, ...]:
        """The cases of a check for a subject."""
        key = (check.id, *subject.models)
        if key not in self._drawn:
            self._drawn[key] = self._draw(check, subject)
        return self._drawn[key]

    def _draw(self, check: Check, subject: "Tested") -> tuple[Any, ...]:
        count = -(-self.count // 3) if check.heavy else self.count
        drawn: dict[str, Any] = {}
        search(
            lambda case: drawn.setdefault(case.model_dump_json(), case),
            check.searches(subject),
            cases=max(_DRAWN, count),
            seed=self.seed,
            shrink=False,
        )
        pick = random.Random(f"{self.seed} {check.id}")  # noqa: S311  repeatable on purpose
        chosen = pick.sample(sorted(drawn), min(count, len(drawn)))
        return tuple(drawn[one] for one in chosen)
