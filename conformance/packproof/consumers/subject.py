"""A rollout body, an objective or the parts of a trainer under test: made by its factory on what the kit hands it."""

import inspect
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

from packer_schemas.consumers import HandsOverText, RolloutBody, TrainerParts
from packer_spec import Requirement
from packproof import limits
from packproof.capabilities import methods_of, satisfies
from packproof.driver import calling, finished, short
from packproof.flight_recorder import FlightRecorder
from packproof.load import load_callable
from packproof.objective_runs.ids_packer import IdsPacker
from packproof.tested import Tested, name_of
from packproof.violation import CallFailed, UsageError

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
        self._try_factory()
        self.note("")

    @abstractmethod
    def _try_factory(self) -> None:
        """Make the first one; `UsageError` where that does not work."""

    def _made(self, call: str, *given: Any, **options: Any) -> Any:
        """What the factory makes, under the name `call`."""
        with calling(call, self.note), limits.setting_up():
            return finished(self.factory(*given, **options), call)

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

    def _try_factory(self) -> None:
        from packproof.rollouts.scene import Scene

        hint = " It is made as factory(model, packer=..., sampling=..., routing_replay=...)."
        with self.starting(hint):
            first = Scene.of(self).body()
        self.body_name = type(first).__name__
        if satisfies(first, HandsOverText) and first.hands_over_text:
            self.capabilities |= {HandsOverText.__name__}

    @property
    def hands_over_text(self) -> bool:
        """Whether its engine encodes the prompts."""
        return HandsOverText.__name__ in self.capabilities

    def build(self, model: Any, call: str, **options: Any) -> Any:
        """A body straight from the factory; `CallFailed` for what is none."""
        return _expect(call, self._made(call, model, **options), RolloutBody, "a rollout body")


class ObjectiveSubject(ConsumerSubject):
    """One objective, made as `factory(packer, kind=..., clip_low=..., clip_high=..., eps=..., routing_replay=...)`."""

    noun: ClassVar[str] = "objective"
    bound: ClassVar[str] = "objectives"
    named_with: ClassVar[str] = "--objective module:factory"
    protocol: ClassVar[str] = "Objective"

    def _try_factory(self) -> None:
        self._expect_options()
        with self.starting():
            self.build(IdsPacker())

    def build(self, packer: Any = None, **options: Any) -> Any:
        """An objective straight from the factory, with `options` where they are not the defaults."""
        given = {name: value for name, value in options.items() if value != OBJECTIVE_OPTIONS[name]}
        said = [*(["packer"] if packer is not None else []), *(f"{name}={value!r}" for name, value in given.items())]
        call = f"{self.target}({', '.join(said)})"
        objective = self._made(call, *([] if packer is None else [packer]), **given)
        if isinstance(objective, type) or not callable(objective):
            raise CallFailed(call, f"returned {_found(objective)}", _OBJECTIVE)
        return objective

    def _expect_options(self) -> None:
        """`UsageError` for a factory that cannot be called with a packer and every option."""
        try:
            signature = inspect.signature(self.factory)
        except (TypeError, ValueError):
            return  # no signature to read; calling it says what is wrong
        try:
            signature.bind(None, **OBJECTIVE_OPTIONS)
        except TypeError as error:
            options = ", ".join(OBJECTIVE_OPTIONS)
            text = f"the factory cannot be called with a packer and the options {options}: {error}."
            if "trajectories" in signature.parameters:
                text = f"{text} It looks like an objective itself; name what makes it."
            raise UsageError(f"--objective {self.target!r}: {text}") from None


class TrainerSubject(ConsumerSubject):
    """The parts of one trainer, a `TrainerParts`, made by a factory without arguments."""

    noun: ClassVar[str] = "trainer"
    bound: ClassVar[str] = "trainers"
    named_with: ClassVar[str] = "--trainer module:factory"
    protocol: ClassVar[str] = "TrainerParts"

    def _try_factory(self) -> None:
        with self.starting():
            self.build()

    def build(self) -> Any:
        """The parts straight from the factory; `CallFailed` for what are none."""
        call = f"{self.target}()"
        return _expect(call, self._made(call), TrainerParts, "the parts of a trainer")


def _expect(call: str, made: Any, protocol: Any, noun: str) -> Any:
    """What a factory made, if it satisfies the protocol; a class is no instance of it."""
    if inspect.isclass(made) or not satisfies(made, protocol):
        raise CallFailed(call, f"returned {_found(made)}", f"{noun}, an object with {', '.join(methods_of(protocol))}")
    return made


OBJECTIVE_OPTIONS = {"kind": "clipped", "clip_low": 0.2, "clip_high": 0.2, "eps": 1e-6, "routing_replay": False}
"""What the factory of an objective takes, with the defaults."""

_OBJECTIVE = "an objective, called as objective(model, trajectories, advantages=...)"


def _found(made: Any) -> str:
    return f"the class {made.__name__}" if isinstance(made, type) else short(made)


CONSUMERS: tuple[type[ConsumerSubject], ...] = (RolloutSubject, ObjectiveSubject, TrainerSubject)
