"""Trajectories as the checks read them: objects or mappings, whatever their class."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from packproof.views import fields_of
from packproof.violation import CallFailed, Violation

__all__ = ["ROUTED", "Recorded", "expect_near", "plain_ids"]

ROUTED = "rollout_routed_experts"
_NEAR = 1e-3
_FIELDS = ("obs", "completion", "policy_info")


@dataclass(frozen=True)
class Recorded:
    """One trajectory: the k-th of sample i, as its place in the list says."""

    sample: int
    turn: int
    obs: Any
    completion: Any
    info: Mapping[str, Any]

    @classmethod
    def of(cls, trajectory: Any, place: int, group: int, call: str) -> "Recorded":
        """Read a trajectory; `CallFailed` where it lacks a field."""
        held = fields_of(trajectory)
        absent = [name for name in _FIELDS if name not in held]
        if absent or not isinstance(held["policy_info"], Mapping):
            got = f"trajectory {place} is a {type(trajectory).__name__} without {absent[0] if absent else 'a mapping'}"
            raise CallFailed(call, got, "obs, completion and policy_info, a mapping")
        return cls(place // group, place % group, *(held[name] for name in _FIELDS))

    @property
    def where(self) -> str:
        """How messages name it."""
        return f"sample {self.sample}, completion {self.turn}"

    def ids(self, name: str) -> list[int] | None:
        """A list of ids; None where it is absent, or no list of plain integers: of that its own rule speaks."""
        found: Any = self.info.get(name)
        return list(found) if plain_ids(found) else None

    def expect_ids(self, call: str, name: str, *, least: int = 0) -> list[int] | None:
        """The same, and a violation for what is no such list."""
        found = self.info.get(name)
        if found is None:
            return None
        if not plain_ids(found) or len(found) < least:
            wanted = f"a list of {'plain ints' if not least else f'at least {least} plain int'}"
            raise Violation.of(f"{call}: {name} of {self.where}", expected=wanted, got=repr(found)[:120])
        return list(found)


def expect_near(call: str, alone: Recorded, beside: Recorded, clear: int) -> None:
    """Demand that the logprobs of two trajectories agree, up to entry `clear`, within 1e-3."""
    one, other = alone.info.get("logprobs"), beside.info.get("logprobs")
    if isinstance(one, list) and isinstance(other, list):
        pairs = list(zip(one[:clear], other[:clear], strict=False))
        if any(abs(a - b) > _NEAR for a, b in pairs):
            rows: dict[str, Any] = {"entry": list(range(len(pairs)))}
            rows |= {"expected": [f"{a:.4f}" for a, _ in pairs], "got": [f"{b:.4f}" for _, b in pairs]}
            raise Violation.of(call, rows=rows)


def plain_ids(found: Any) -> bool:
    """Whether it is a list of plain integers."""
    return isinstance(found, list) and all(type(one) is int for one in found)
