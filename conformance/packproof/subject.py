"""The packer under test: built fresh from its factory, set up on a model, and driven from there."""

import inspect
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from packer_schemas.case_parts import Sample
from packer_schemas.protocols import PolicyPacker, RolloutPacker, RoutedPolicyInput, SetsUp, UsesTokenizer
from packproof import limits
from packproof.capabilities import capabilities_of, methods_of, missing_methods, satisfies
from packproof.driver import Driver, calling, finished, short
from packproof.flight_recorder import FlightRecorder
from packproof.load import load_callable
from packproof.lock.identity_lock import KitLock
from packproof.models import EMBEDDED, resolve_model
from packproof.signatures import expect_signatures
from packproof.tested import Tested, name_of
from packproof.violation import CallFailed, CaseTimeout, UsageError
from packproof.vocabulary import Vocabulary, missing_from

__all__ = ["Subject"]

_POLICY_SIDE = f"all of {', '.join(methods_of(PolicyPacker))}"
_TOKENIZER_ADVICE = (
    "Show the one that transformers.AutoTokenizer loads, or wrap yours: "
    "transformers.PreTrainedTokenizerFast(tokenizer_object=...). A packer that has none to show leaves the attribute "
    "out; then the rules that need it do not apply."
)
_MODEL_ADVICE = (
    " Name the models that it serves with --packer-model. A setup that loads a fixed name has to load the name_or_path "
    "it is given; or let the factory return the packer set up, and it runs on what it was built with."
)


class Subject(Tested):
    """One packer implementation under test.

    `target` is `module:factory`, a dotted path, or the factory itself; `models` are the models that cases run on
    (default: the embedded ones). A packer that its factory returns already set up runs on what it was built with.
    `lock` is what the rules on lock files are tried on (default: the kit's own).
    """

    def __init__(
        self,
        target: str | Callable[[], Any],
        *,
        label: str = "packer",
        models: Sequence[str] = (),
        trust_remote_code: bool = False,
        selection: Any = None,
        gate: Any = None,
        routing: Any = None,
        lock: Any = None,
        recorder: FlightRecorder | None = None,
    ) -> None:
        super().__init__(name_of(target), label, recorder)
        self.trust_remote_code = trust_remote_code
        self.selection = selection
        self.gate = gate
        self.routing = routing
        self.lock = KitLock() if lock is None else lock
        self.note(f"importing {self.target}")
        self.factory = load_callable(target, "--packer") if isinstance(target, str) else target
        self._check_factory()
        self._drivers: dict[tuple[str | None, str], Driver] = {}
        with self.starting():
            first = self.build()
        self.built_ready = not satisfies(first, SetsUp) or _is_set_up(first)
        if self.built_ready and tuple(models) not in ((), EMBEDDED):
            raise UsageError(
                f"--packer {self.target!r}: the factory returns a packer that is set up already, so the model "
                f"{models[0]!r} cannot be chosen. Leave --packer-model out, or return the packer before setup."
            )
        with self.starting():
            expect_signatures(f"{self.target}()", first, built_ready=self.built_ready)
        self.models: tuple[str | None, ...] = (None,) if self.built_ready else tuple(models or EMBEDDED)
        for model in self.models:
            with self.starting("" if model is None else _MODEL_ADVICE):
                self._drivers[model, ""] = self.fresh(model)
        self.capabilities = self._capabilities()
        self.feed = {model: self.on(model).vocabulary for model in self.models}
        self.note("")

    def _capabilities(self) -> frozenset[str]:
        """Protocol names; without `SetsUp` when the factory returns packers already set up."""
        found = capabilities_of(self.on(self.models[0]).packer) | {"IdentityLock"}
        if self.selection is not None:
            found |= {"PackerSelection"}
        if self.gate is not None:
            found |= {"ResumeGate"}
        if self.routing is not None:
            found |= {"RoutingSteps"}
        return found - {"SetsUp"} if self.built_ready else found

    def lacks(self, absent: Sequence[str]) -> str:
        """Why a rule that needs these protocols does not apply."""
        if absent == ["PackerSelection"]:
            return "no selection module named (--packer-selection)"
        if absent == ["ResumeGate"]:
            return "no resume gate named (--packer-gate)"
        if absent == ["RoutingSteps"]:
            return "no module of routing steps named (--packer-routing)"
        if absent == ["RoutedPolicyInput"]:
            return "its policy inputs are no RoutedPolicyInput, with the attributes input_ids and forward_routing"
        if "SetsUp" in absent and self.built_ready:
            return "the packer is built already set up"
        return super().lacks(absent)

    def offers(self, capability: str) -> bool:
        """Whether it satisfies the protocol of this name; of `RoutedPolicyInput`, whether what it makes does.

        Nobody else asks the packer for a policy input before the checks do.
        """
        return self._carries_routing if capability == "RoutedPolicyInput" else super().offers(capability)

    @cached_property
    def _carries_routing(self) -> bool:
        if "PolicyPacker" not in self.capabilities:
            return False
        try:
            with limits.guarded(limits.SETUP_LIMIT_S):
                made = self.fresh().policy_input(Sample(prompt_ids=[7], completion=[8]))
        except (CallFailed, CaseTimeout):  # core has rules for that
            return False
        return satisfies(made.raw, RoutedPolicyInput)

    def on(self, model: str | None, twin: str = "") -> Driver:
        """The driver of a packer set up on `model`, kept between cases; each `twin` name has a packer of its own.

        Packers on all models are set up before the first is used: what setup leaves on the class shows on the others.
        """
        key = (model or self.models[0], twin)
        if key not in self._drivers:
            together = [(one, twin) for one in self.models] if key[0] in self.models else [key]
            self._drivers |= {one: self.fresh(one[0]) for one in together if one not in self._drivers}
        return self._drivers[key]

    def fresh(self, model: str | None = None, *, folder: str = "", trust_remote_code: bool | None = None) -> Driver:
        """A driver of a newly built packer, set up on `model` unless it is built ready.

        With `folder` it is set up on that folder, and called after the model that the folder was made from.
        """
        model = model or self.models[0]
        packer = self.build()
        driver = Driver(packer, f"a copy of {model}" if folder else model or "as built", self.note)
        if not self.built_ready and model is not None:
            trusted = self.trust_remote_code if trust_remote_code is None else trust_remote_code
            driver.setup(folder or resolve_model(model), trusted)
        if satisfies(packer, UsesTokenizer):
            when = "" if self.built_ready else f" after setup({driver.model!r})"
            with driver.calling(f"packer.tokenizer{when}"):
                _expect_tokenizer(driver.last_call, packer.tokenizer)
                driver.vocabulary = Vocabulary.of(packer.tokenizer)
        return driver

    def build(self) -> Any:
        """A packer straight from the factory; `CallFailed` when it gives none."""
        call = f"{self.target}()"
        with calling(call, self.note):
            packer = finished(self.factory(), call)
        if inspect.isclass(packer):
            raise CallFailed(call, f"returned the class {packer.__name__}", "an instance of it")
        lacking = missing_methods(packer, PolicyPacker)
        if lacking and len(lacking) < 3:  # half a policy side is a slip: as not applicable, nearly every rule would be
            raise CallFailed(call, f"returned {type(packer).__name__} without {' and '.join(lacking)}", _POLICY_SIDE)
        if not (satisfies(packer, RolloutPacker) or satisfies(packer, PolicyPacker)):
            wanted = "an object with get_rollout_input or get_policy_input"
            raise CallFailed(call, f"returned {short(packer)}", wanted)
        return packer

    def forget(self) -> None:
        """Drop what checks have `kept` and the packers on embedded models, so that no check depends on those before it.

        Packers on other models are kept: loading a large tokenizer for every check would take minutes.
        """
        super().forget()
        self._drivers = {key: kept for key, kept in self._drivers.items() if key[0] not in EMBEDDED}

    def _check_factory(self) -> None:
        if not callable(self.factory):
            kind = type(self.factory).__name__
            raise UsageError(f"expected a factory, module:factory or a function that returns a packer, got {kind}.")
        if inspect.isclass(self.factory):
            return
        try:
            required = [
                p.name
                for p in inspect.signature(self.factory).parameters.values()
                if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
            ]
        except (TypeError, ValueError):
            return  # no signature to read; calling it says whether it needs arguments
        if required:
            raise UsageError(
                f"--packer {self.target!r}: the factory needs arguments ({', '.join(required)}), expected none. "
                "Wrap it in a function that takes nothing and returns a fresh packer."
            )


def _expect_tokenizer(call: str, tokenizer: Any) -> None:
    lacking = missing_from(tokenizer)
    if not lacking:
        return
    kind = f"{type(tokenizer).__module__.partition('.')[0]}.{type(tokenizer).__qualname__}"
    got = "is None" if tokenizer is None else f"is a {kind}, without {', '.join(lacking)}"
    raise CallFailed(call, got, "a transformers tokenizer", _TOKENIZER_ADVICE)


def _is_set_up(packer: object) -> bool:
    return satisfies(packer, UsesTokenizer) and getattr(packer, "tokenizer", None) is not None
