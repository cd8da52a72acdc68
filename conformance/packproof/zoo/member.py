"""One inhabitant of the zoo, and the decorator that declares a known-bad one."""

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from packproof.subject import Subject
from packproof.zoo.miniature import MiniaturePacker

__all__ = ["Member", "fault", "known_bad"]

_Bad = TypeVar("_Bad", bound=Callable[[], Any])
_known_bad: dict[str, "Member"] = {}


@dataclass(frozen=True)
class Member:
    """A packer, or a selection over the miniature packer: the rules `breaks` must catch it, and no others.

    The rules of a selection do not apply where there is none.
    """

    name: str
    factory: Callable[[], Any]
    breaks: tuple[str, ...] = ()
    report: str = ""
    story: str = ""
    selection: Callable[[], Any] | None = None

    def subject(self) -> Subject:
        """The member as a subject of its own, with a fresh registry."""
        return Subject(self.factory, label=self.name, selection=self.selection and self.selection())


def fault(*ids: str, report: str = "") -> Callable[[_Bad], _Bad]:
    """Declare the decorated class or factory as known-bad: exactly the rules `ids` catch it.

    `report` is a public report of the fault. A class with `init_data_packer` is a selection, anything else a packer.
    """

    def declare(bad: _Bad) -> _Bad:
        name = _kebab(bad.__name__)
        if name in _known_bad:
            raise ValueError(f"two members of the zoo are named {name!r}")
        story = inspect.cleandoc(bad.__doc__ or "")
        if hasattr(bad, "init_data_packer"):
            _known_bad[name] = Member(name, MiniaturePacker, ids, report, story, bad)
        else:
            _known_bad[name] = Member(name, bad, ids, report, story)
        return bad

    return declare


def known_bad() -> tuple[Member, ...]:
    """Every declared member, in the order of declaration."""
    return tuple(_known_bad.values())


def _kebab(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "-", name).replace("_", "-").lower()
