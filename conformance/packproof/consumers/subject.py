"""A rollout body, an objective or the parts of a trainer under test: made by its factory on what the kit hands it."""

from collections.abc import Callable
from typing import Any, ClassVar

from packer_spec import Requirement
from packproof.flight_recorder import FlightRecorder
from packproof.load import load_callable
from packproof.tested import Tested, name_of
from packproof.violation import UsageError

__all__ = ["CONSUMERS", "ConsumerSubject", "ObjectiveSubject", "RolloutSubject", "TrainerSubject"]


class ConsumerSubject(Tested):
    """One consumer of a packer under test.

    `target` is `module:factory`, a dotted path, or the factory itself, a class as a rule. A rule of the level binds it
    where it needs the protocol of its kind.
    """

    levels: ClassVar[tuple[str, ...]] = ("consumer",)
    protocol: ClassVar[str]
    """Name of the protocol that what its factory makes satisfies."""

    def __init__(
        self, target: str | Callable[..., Any], *, label: str = "", recorder: FlightRecorder | None = None
    ) -> None:
        super().__init__(name_of(target), label or self.noun, recorder)
        self.note(f"importing {self.target}")
        self.factory = load_callable(target, f"--{self.noun}") if isinstance(target, str) else target
        if not callable(self.factory):
            kind = type(self.factory).__name__
            raise UsageError(f"--{self.noun}: expected a factory, module:factory or a callable, got {kind}.")
        self.capabilities = frozenset({self.protocol})
        self.note("")

    @classmethod
    def binds(cls, rule: Requirement) -> bool:
        """Whether a rule binds subjects of this kind."""
        return super().binds(rule) and cls.protocol in rule.needs


class RolloutSubject(ConsumerSubject):
    """One rollout body, made as `factory(model, packer=..., sampling=..., routing_replay=...)`."""

    noun: ClassVar[str] = "rollout"
    bound: ClassVar[str] = "rollout bodies"
    named_with: ClassVar[str] = "--rollout module:factory"
    protocol: ClassVar[str] = "RolloutBody"


class ObjectiveSubject(ConsumerSubject):
    """One objective, made as `factory(packer, kind=..., clip_low=..., clip_high=..., eps=..., routing_replay=...)`."""

    noun: ClassVar[str] = "objective"
    bound: ClassVar[str] = "objectives"
    named_with: ClassVar[str] = "--objective module:factory"
    protocol: ClassVar[str] = "Objective"


class TrainerSubject(ConsumerSubject):
    """The parts of one trainer, a `TrainerParts`, made by a factory without arguments."""

    noun: ClassVar[str] = "trainer"
    bound: ClassVar[str] = "trainers"
    named_with: ClassVar[str] = "--trainer module:factory"
    protocol: ClassVar[str] = "TrainerParts"


CONSUMERS: tuple[type[ConsumerSubject], ...] = (RolloutSubject, ObjectiveSubject, TrainerSubject)
