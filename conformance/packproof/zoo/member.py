"""One inhabitant of the zoo, and the decorator that declares a known-bad one."""

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from packer_spec import Requirement, requirements
from packproof.consumers.subject import CONSUMERS, ConsumerSubject
from packproof.sources.subject import SourceSubject
from packproof.subject import Subject
from packproof.tested import Tested
from packproof.zoo.miniature import MiniaturePacker
from packproof.zoo.miniature_identity import MiniatureDeclared
from packproof.zoo.miniature_routed import MiniatureRouted
from packproof.zoo.miniature_steps import MiniatureSteps

__all__ = ["Member", "fault", "known_bad"]

_Bad = TypeVar("_Bad", bound=Callable[..., Any])
_known_bad: dict[str, "Member"] = {}
_KINDS = {kind.noun: kind for kind in CONSUMERS}


@dataclass(frozen=True)
class Member:
    """A packer, source or consumer, or what stands beside a good one: the rules `breaks` must catch it, and no others.

    Beside a packer it is a selection, gate, lock or routing steps; beside a source, or alone, a run. `arguments` are
    what the factory of a source is called with, and `consumer` is the kind of a consumer.

    It is held to `levels`, by default those of the rules that it breaks, less the rules `left_out`. The rules of a
    selection, or of a gate, do not apply where there is none.
    """

    name: str
    factory: Callable[..., Any] | None
    breaks: tuple[str, ...] = ()
    report: str = ""
    story: str = ""
    selection: Callable[[], Any] | None = None
    gate: Callable[[], Any] | None = None
    lock: Callable[[], Any] | None = None
    routing: Callable[[], Any] | None = None
    run: Callable[[], Any] | None = None
    arguments: Mapping[str, Any] | None = None
    consumer: type[ConsumerSubject] | None = None
    levels: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    module: str = ""

    @property
    def is_source(self) -> bool:
        """Whether it is a data source or a run."""
        return self.run is not None or self.arguments is not None

    @property
    def kind(self) -> type[Tested]:
        """The kind of its subject."""
        return self.consumer or (SourceSubject if self.is_source else Subject)

    def subject(self) -> Tested:
        """The member as a subject of its own, with a fresh registry."""
        if self.is_source:
            return SourceSubject(self.factory, self.arguments, label=self.name, run=self.run and self.run())
        assert self.factory is not None, "all others have a factory"
        if self.consumer is not None:
            return self.consumer(self.factory, label=self.name)
        selection, gate = self.selection and self.selection(), self.gate and self.gate()
        lock, routing = self.lock and self.lock(), self.routing and self.routing()
        return Subject(self.factory, label=self.name, selection=selection, gate=gate, routing=routing, lock=lock)

    def held_to(self, rule: Requirement) -> bool:
        """Whether it is held to a rule at all."""
        groups = self.levels or {requirements()[id].group for id in self.breaks}
        return rule.group in groups and rule.id not in self.left_out and self.kind.binds(rule)


def fault(*ids: str, report: str = "") -> Callable[[_Bad], _Bad]:
    """Declare the decorated class or factory as known-bad: exactly the rules `ids` catch it.

    `report` is a public report of the fault. A class with `open_prompts` is a run, one with `__getitem__` a source,
    built with the keyword arguments in its attribute `arguments`; one whose attribute `consumer` names a kind of
    consumers is one of them; one with `init_data_packer` is a selection, one with `admit` a resume gate, one with
    `check` and `update` a lock, one with `join_turn_routing` routing steps, anything else a packer; beside one that
    carries routing stand good steps.
    """

    def declare(bad: _Bad) -> _Bad:
        name = _kebab(bad.__name__)
        if name in _known_bad:
            raise ValueError(f"two members of the zoo are named {name!r}")
        story = inspect.cleandoc(bad.__doc__ or "")
        own = _standing(bad)
        _known_bad[name] = Member(name, **own, breaks=ids, report=report, story=story, module=bad.__module__)
        return bad

    return declare


_BESIDE = {
    "init_data_packer": (MiniaturePacker, "selection"),
    "admit": (MiniatureDeclared, "gate"),
    "update": (MiniaturePacker, "lock"),
    "join_turn_routing": (MiniatureRouted, "routing"),
}
"""By a method of what stands beside a packer: the good packer, and the part."""


def _standing(bad: Any) -> dict[str, Any]:
    """As what a bad thing stands in its member, and what good things stand beside it."""
    if hasattr(bad, "open_prompts"):
        return {"factory": None, "run": bad}
    if hasattr(bad, "__getitem__"):
        return {"factory": bad, "arguments": getattr(bad, "arguments", {})}
    if (noun := getattr(bad, "consumer", "")) in _KINDS:
        return {"factory": bad, "consumer": _KINDS[noun]}
    for method, (packer, part) in _BESIDE.items():
        if hasattr(bad, method):
            return {"factory": packer, part: bad}
    return {"factory": bad, "routing": MiniatureSteps if MiniatureRouted in getattr(bad, "__mro__", ()) else None}


def known_bad() -> tuple[Member, ...]:
    """Every declared member, module by module, whichever of them was imported first."""
    return tuple(sorted(_known_bad.values(), key=lambda one: one.module))


def _kebab(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "-", name).replace("_", "-").lower()
