"""The checks, one module per chapter of the spec; importing this package registers them all."""

from packproof.checks import authority, collation, devices, lifecycle, masks, rollout, selection

__all__ = ["authority", "collation", "devices", "lifecycle", "masks", "rollout", "selection"]
