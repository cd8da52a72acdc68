"""A check's generated cases as a plain list: drawn once, run on many subjects that are fed alike."""

from typing import TYPE_CHECKING, Any

from packproof.registry import Check

if TYPE_CHECKING:
    from packproof.subject import Subject

__all__ = ["Corpus"]


class Corpus:
    """At most `count` different cases per check, drawn with `seed`; a heavy check gets a third of them.

    Cases depend on a subject only through its models, so subjects on equal models share them.
    """

    def __init__(self, seed: int, count: int) -> None:
        self.seed, self.count = seed, count
        self._drawn: dict[tuple[Any, ...], tuple[Any, ...]] = {}

    def cases(self, check: Check, subject: "Subject") -> tuple[Any, ...]:
        """The cases of a check for a subject."""
        key = (check.id, *subject.models)
        if key not in self._drawn:
            self._drawn[key] = self._draw(check, subject)
        return self._drawn[key]

    def _draw(self, check: Check, subject: "Subject") -> tuple[Any, ...]:
        import hypothesis
        from hypothesis import HealthCheck, Phase, Verbosity

        drawn: dict[str, Any] = {}

        @hypothesis.seed(self.seed)
        @hypothesis.settings(
            max_examples=-(-self.count // 3) if check.heavy else self.count,
            database=None,
            deadline=None,
            derandomize=False,
            phases=(Phase.generate,),
            suppress_health_check=(HealthCheck.too_slow,),
            verbosity=Verbosity.quiet,
        )
        @hypothesis.given(check.cases(subject))
        def collect(case: Any) -> None:
            drawn.setdefault(case.model_dump_json(), case)

        collect()
        return tuple(drawn.values())
