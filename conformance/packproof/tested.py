"""What every subject of checks has in common, be it a packer, a data source or a consumer."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

from packer_spec import LEVELS, Requirement
from packproof import limits
from packproof.flight_recorder import FlightRecorder
from packproof.violation import CallFailed, CaseTimeout, UsageError
from packproof.vocabulary import UNKNOWN, Vocabulary
from packproof.wording import printable

__all__ = ["Tested", "can_be_named", "name_of"]


class Tested:
    """Something under test: `target` says what it was built from, and `label` what a run calls it.

    `models` are what cases run on, None for a subject as it was built; `feed` has the vocabulary of each of them, and
    `capabilities` the names of the protocols that it satisfies. `kept` is what checks keep between cases.
    """

    noun: ClassVar[str] = "packer"
    bound: ClassVar[str] = "packers"
    """What its rules bind, and below how a run is told of one; for messages."""
    named_with: ClassVar[str] = "--packer module:factory"
    levels: ClassVar[tuple[str, ...]] = tuple(one for one in LEVELS if one not in ("source", "consumer"))
    """Levels whose rules bind subjects of this kind."""

    models: tuple[str | None, ...] = (None,)
    capabilities: frozenset[str] = frozenset()

    def __init__(self, target: str, label: str, recorder: FlightRecorder | None) -> None:
        self.target = target
        self.label = label
        self.recorder = recorder
        self.last_call = ""
        self.kept: dict[Any, Any] = {}
        self.feed: dict[str | None, Vocabulary] = {None: UNKNOWN}

    @classmethod
    def binds(cls, rule: Requirement) -> bool:
        """Whether a rule binds subjects of this kind."""
        return rule.group in cls.levels

    def held(self, needs: Sequence[str]) -> tuple[str, str]:  # noqa: ARG002  of one kind here
        """What a rule that needs these protocols was held against: `packer` or the like, and the target."""
        return self.noun, self.target

    def offers(self, capability: str) -> bool:
        """Whether it satisfies the protocol of this name."""
        return capability in self.capabilities

    def lacks(self, absent: Sequence[str]) -> str:
        """Why a rule that needs these protocols, which it does not satisfy, does not apply."""
        return f"the {self.noun} does not satisfy {', '.join(absent)}"

    def on(self, model: str | None) -> Any:
        """What its calls on `model` are made with; None for a subject that is called as it is."""

    def forget(self) -> None:
        """Drop what checks have `kept`, so that no check depends on those before it."""
        self.kept.clear()

    @contextmanager
    def starting(self, hint: str = "") -> Iterator[None]:
        """Turn what goes wrong while it is being built into a usage error."""
        given = f"--{self.noun} {self.target!r}: "
        try:
            with limits.guarded(limits.SETUP_LIMIT_S):
                yield
        except CaseTimeout:
            text = f"{given}{self.last_call} did not finish within {limits.SETUP_LIMIT_S:g} s.{hint}"
            raise UsageError(text) from None
        except CallFailed as error:
            found = error.counterexample
            advice = f" {error.advice}" if error.advice else hint if found.got.startswith("raised") else ""
            wanted = "" if found.expected == "an answer" else f", expected {found.expected}"
            raise UsageError(printable(f"{given}{found.call} {found.got}{wanted}.{advice}")) from error

    def note(self, call: str) -> None:
        """Tell the flight recorder what runs now; nothing, when `call` is empty."""
        self.last_call = call
        if self.recorder is not None:
            self.recorder.note(call and f"{self.label} ({self.target})  {call}")


def name_of(target: str | Callable[..., Any]) -> str:
    """A target as it is named: `module:name` of a factory, or of its class where it has no name itself."""
    if isinstance(target, str):
        return target
    named = target if hasattr(target, "__qualname__") else type(target)
    return f"{named.__module__}:{named.__qualname__}"


def can_be_named(target: str | Callable[..., Any]) -> bool:
    """Whether another process finds a target by its name: not what a script holds, nor an object without a name."""
    module, _, path = name_of(target).partition(":")
    if isinstance(target, str):
        return True
    found: Any = None if module == "__main__" else sys.modules.get(module)
    for step in path.split("."):
        found = getattr(found, step, None)
    return found is target
