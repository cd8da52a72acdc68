"""What a run measured, to be held against a lock file: entries as they would be pinned now, and what failed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from packer_schemas.lock import Lock

__all__ = ["Fresh", "NotMeasured"]


@dataclass(frozen=True)
class NotMeasured:
    """A packer that raised, or declared what is no declaration; `why` says which call and what it did."""

    target: str
    models: list[str]
    why: str


@dataclass(frozen=True)
class Fresh:
    """The packers of now, as a lock that has only first entries.

    `complete` says that every configured packer is in `lock` or in `failed`; else an entry without one is not obsolete.
    `seen` has, by label, model and probe, what the digests of `lock` are over.
    """

    lock: Lock
    failed: Mapping[str, NotMeasured] = field(default_factory=dict)
    complete: bool = True
    seen: Mapping[str, Mapping[str, Mapping[str, Any]]] = field(default_factory=dict)
