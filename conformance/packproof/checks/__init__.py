"""The checks, one module or a few per chapter of the spec; importing this package registers them all."""

from packproof.checks import (
    authority,
    collation,
    devices,
    identity,
    identity_changes,
    identity_gates,
    identity_locks,
    lifecycle,
    masks,
    rollout,
    selection,
    sources,
    sources_run,
    sources_run_items,
    sources_run_places,
    sources_triples,
)

__all__ = [
    "authority",
    "collation",
    "devices",
    "identity",
    "identity_changes",
    "identity_gates",
    "identity_locks",
    "lifecycle",
    "masks",
    "rollout",
    "selection",
    "sources",
    "sources_run",
    "sources_run_items",
    "sources_run_places",
    "sources_triples",
]
