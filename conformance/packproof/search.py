"""Where Hypothesis runs: generated cases for one check, every setting pinned."""

import re
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from packproof.same_cases import same_cases_everywhere

if TYPE_CHECKING:
    import hypothesis
    from hypothesis.strategies import SearchStrategy

__all__ = ["folder_name", "search"]


def folder_name(label: str) -> str:
    """A label or a model's name, fit to name a folder."""
    return re.sub(r"\W+", "-", label)


def search(
    run: Callable[[Any], None],
    searches: Sequence[tuple[str, "SearchStrategy[Any]"]],
    *,
    cases: int,
    seed: int,
    repeatable: bool = True,
    shrink: bool = True,
    database: Path | None = None,
) -> None:
    """Call `run` on about `cases` cases, an equal share of them from each of the named strategies.

    What `run` raises ends the search, once the case is as small as it gets. With `repeatable` the cases depend on
    strategies and `seed` alone; `database` is the folder where failing cases are kept for the next search.
    """
    import hypothesis

    def one(case: Any) -> None:
        run(case)

    share = -(-cases // len(searches))
    with same_cases_everywhere() if repeatable else nullcontext():
        for name, strategy in searches:
            own = database and database / folder_name(name)  # one for all would drop what passes on a model
            seeded = hypothesis.seed(f"{seed} {name}")(hypothesis.given(strategy)(one))
            _settings(share, shrink, own)(seeded)()  # in this order: a seed put on later drops the database


def _settings(cases: int, shrink: bool, database: Path | None) -> "hypothesis.settings":
    from hypothesis import HealthCheck, Phase, Verbosity, settings
    from hypothesis.database import DirectoryBasedExampleDatabase

    phases = [Phase.reuse] * bool(database) + [Phase.generate] + [Phase.shrink] * shrink
    return settings(
        max_examples=cases,
        database=DirectoryBasedExampleDatabase(database) if database else None,
        deadline=None,
        derandomize=False,
        phases=phases,
        print_blob=False,
        report_multiple_bugs=False,
        stateful_step_count=1,
        suppress_health_check=(HealthCheck.too_slow,),  # it measures the machine, not the packer
        verbosity=Verbosity.quiet,
    )
