"""Data-source protocols, one per capability; a source has a capability when `isinstance` says so."""

from typing import Any, Protocol, runtime_checkable

__all__ = ["FingerprintedSource", "IndexedSource", "MembershipSource"]


@runtime_checkable
class IndexedSource(Protocol):
    """Map-style data: N items at the indices 0 to N - 1. Spec: sources, SOURCE-3 to SOURCE-5."""

    def __len__(self) -> int:
        """N, from 1; the same at every call."""
        ...

    def __getitem__(self, index: int) -> Any:
        """The item at `index`: a row (a mapping) of prompts, or the triple of a preference; `IndexError` beyond N."""


@runtime_checkable
class FingerprintedSource(Protocol):
    """Says in one string what its items are and in which order. Spec: sources, SOURCE-10."""

    def cursor_fingerprint(self) -> str:
        """A string, not empty: equal in every process, another one when items, order or indexing change."""
        ...


@runtime_checkable
class MembershipSource(Protocol):
    """Names its items without reading them. Spec: sources, SOURCE-13."""

    def membership_ids(self) -> tuple[str, ...]:
        """N strings, none empty and no two equal; entry i names what `source[i]` is, and not where it stands."""
        ...
