"""How hard to look: how many cases a check runs, and whether two runs are the same."""

import operator
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packproof.violation import UsageError

__all__ = ["EFFORTS", "Effort", "Settings", "named_effort"]


@dataclass(frozen=True)
class Effort:
    """A named amount of work. Gates are seeded and repeatable; the explorer is random and keeps what it found."""

    name: str
    cases: int
    gate: bool = True


EFFORTS = {
    "quick": Effort("quick", 25),
    "standard": Effort("standard", 100),
    "deep": Effort("deep", 2000, gate=False),
}


def named_effort(name: str, option: str, among: Iterable[Effort]) -> Effort:
    """The effort of that name; `UsageError`, which names the option, when it is none of these."""
    known = {effort.name: effort for effort in among}
    if name not in tuple(known):
        raise UsageError(f"{option} {name!r}: expected one of {', '.join(known)}.")
    return known[name]


@dataclass(frozen=True)
class Settings:
    """What decides a run besides the packer: `seed` repeats it; `stored` runs the spec's own cases and the vectors too.

    Without `shrink` a failure is shown on the first case that was found, for those who only ask whether there is one.
    """

    effort: Effort = EFFORTS["standard"]
    seed: int = 0
    stored: bool = True
    database: Path | None = None
    shrink: bool = True

    @classmethod
    def make(cls, effort: str = "standard", seed: int | str | None = None, database: Path | None = None) -> "Settings":
        """Settings by effort name; `deep` without a seed draws one. `UsageError` for an unknown name or an odd seed."""
        chosen = named_effort(effort, "--packer-effort", EFFORTS.values())
        if seed is None:
            seed = 0 if chosen.gate else secrets.randbelow(2**32)
        return cls(chosen, _whole(seed), database=None if chosen.gate else database)


def _whole(seed: Any) -> int:
    try:
        return int(seed) if isinstance(seed, str) else operator.index(seed)
    except (ValueError, TypeError):
        raise UsageError(f"--packer-seed {seed!r}: expected a whole number.") from None
