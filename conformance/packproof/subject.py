"""The packer under test: built fresh from its factory, set up on a model, and driven from there."""

import inspect
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from packer_schemas.protocols import PolicyPacker, RolloutPacker, SetsUp, UsesTokenizer
from packproof.capabilities import capabilities_of, satisfies
from packproof.driver import Driver
from packproof.flight_recorder import FlightRecorder
from packproof.limits import SETUP_LIMIT_S, guarded
from packproof.load import describe, load_callable
from packproof.models import EMBEDDED, resolve_model
from packproof.violation import CaseTimeout, PackerExit, UsageError
from packproof.vocabulary import UNKNOWN, Vocabulary

__all__ = ["Subject"]


class Subject:
    """One packer implementation under test.

    `target` is `module:factory`, a dotted path, or the factory itself; `models` are the models that cases run on
    (default: the embedded ones). A packer that its factory returns already set up runs on what it was built with.
    """

    def __init__(
        self,
        target: str | Callable[[], Any],
        *,
        label: str = "packer",
        models: Sequence[str] = (),
        trust_remote_code: bool = False,
        selection: Any = None,
    ) -> None:
        self.label = label
        self.target = target if isinstance(target, str) else f"{target.__module__}:{target.__qualname__}"
        self.trust_remote_code = trust_remote_code
        self.selection = selection
        self.recorder: FlightRecorder | None = None
        self.last_call = ""
        self._factory = load_callable(target, "--packer") if isinstance(target, str) else target
        self._check_factory()
        self._drivers: dict[tuple[str | None, str], Driver] = {}
        with self.startup_errors(f"calling the factory {self.target}()"):
            first = self._build()
        self.built_ready = not satisfies(first, SetsUp) or _is_set_up(first)
        self.models: tuple[str | None, ...] = (None,) if self.built_ready else tuple(models or EMBEDDED)
        for model in self.models:
            self._first_setup(model)

    @cached_property
    def capabilities(self) -> frozenset[str]:
        """Protocol names; without `SetsUp` when the factory returns packers already set up."""
        found = capabilities_of(self.on(self.models[0]).packer)
        if self.selection is not None:
            found |= {"PackerSelection"}
        return found - {"SetsUp"} if self.built_ready else found

    @cached_property
    def feed(self) -> dict[str | None, Vocabulary]:
        """The vocabulary of every model that cases run on."""
        return {model: self.on(model).vocabulary for model in self.models}

    def on(self, model: str | None, twin: str = "") -> Driver:
        """The driver of a packer set up on `model`, kept between cases; each `twin` name has a packer of its own."""
        key = (model or self.models[0], twin)
        if key not in self._drivers:
            self._drivers[key] = self.fresh(key[0])
        return self._drivers[key]

    def fresh(self, model: str | None = None) -> Driver:
        """A driver of a newly built packer, set up on `model` unless it is built ready."""
        model = model or self.models[0]
        packer = self.build()
        driver = Driver(packer, model or "as built", self.note)
        if not self.built_ready and model is not None:
            driver.setup(resolve_model(model), self.trust_remote_code)
        driver.vocabulary = Vocabulary.of(packer.tokenizer) if satisfies(packer, UsesTokenizer) else UNKNOWN
        return driver

    def build(self) -> Any:
        """A packer straight from the factory."""
        self.note(f"{self.target}()")
        return self._build()

    def forget(self) -> None:
        """Drop the packers kept so far on embedded models, so that no check depends on the checks before it.

        Packers on other models are kept: loading a large tokenizer for every check would take minutes.
        """
        self._drivers = {key: kept for key, kept in self._drivers.items() if key[0] not in EMBEDDED}

    def note(self, call: str) -> None:
        """Tell the flight recorder what runs now."""
        self.last_call = call
        if self.recorder is not None:
            self.recorder.note(f"{self.label}  {call}")

    def _build(self) -> Any:
        packer = self._factory()
        if packer is None or inspect.isclass(packer) or not satisfies_any(packer):
            what = f"the class {packer.__name__}" if inspect.isclass(packer) else repr(packer)[:80]
            hint = " Return an instance of it." if inspect.isclass(packer) else ""
            raise UsageError(
                f"--packer {self.target!r}: the factory returned {what}, expected a packer: "
                f"an object with get_rollout_input or get_policy_input.{hint}"
            )
        return packer

    def _check_factory(self) -> None:
        if inspect.isclass(self._factory):
            return
        try:
            required = [
                p.name
                for p in inspect.signature(self._factory).parameters.values()
                if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
            ]
        except (TypeError, ValueError):
            return  # no signature to read; calling it says whether it needs arguments
        if required:
            raise UsageError(
                f"--packer {self.target!r}: the factory needs arguments ({', '.join(required)}), expected none. "
                "Wrap it in a function that takes nothing and returns a fresh packer."
            )

    def _first_setup(self, model: str | None) -> None:
        where = f"setting up {self.target} on {model}" if model else f"building {self.target}"
        hint = "" if model is None else " Name the models that it serves with --packer-model."
        with self.startup_errors(where, hint):
            self.on(model)

    def startup_errors(self, where: str, hint: str = "") -> "_StartupErrors":
        """Turn what the packer raises while it is being built into a usage error."""
        return _StartupErrors(where, hint)


class _StartupErrors:
    def __init__(self, where: str, hint: str) -> None:
        self._where, self._hint = where, hint
        self._guard = guarded(SETUP_LIMIT_S)

    def __enter__(self) -> None:
        self._guard.__enter__()

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        self._guard.__exit__(None, None, None)
        if isinstance(error, CaseTimeout):
            raise UsageError(f"{self._where} did not finish within {SETUP_LIMIT_S:.0f} s.{self._hint}") from None
        if isinstance(error, (PackerExit, SystemExit)):
            raise UsageError(f"{self._where} tried to end the process (exit code {error.code}).") from None
        cause = error.__cause__ if error is not None and error.__cause__ is not None else error
        if isinstance(error, Exception) and not isinstance(error, UsageError):
            raise UsageError(f"{self._where} raised {describe(cause or error)}.{self._hint}") from error


def satisfies_any(packer: object) -> bool:
    """Whether the object is a packer at all: it has a rollout side or a policy side."""
    return satisfies(packer, RolloutPacker) or satisfies(packer, PolicyPacker)


def _is_set_up(packer: object) -> bool:
    return satisfies(packer, UsesTokenizer) and getattr(packer, "tokenizer", None) is not None
