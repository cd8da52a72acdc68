"""Capabilities: which protocols a packer satisfies, found with `isinstance` and nothing else."""

from typing import Any

from packer_schemas import protocols

__all__ = ["CAPABILITIES", "capabilities_of", "satisfies"]

CAPABILITIES: dict[str, Any] = {
    cls.__name__: cls
    for cls in (
        protocols.SetsUp,
        protocols.UsesTokenizer,
        protocols.SpecialTokenGuard,
        protocols.SavesState,
        protocols.RolloutPacker,
        protocols.PretokenizedRolloutPacker,
        protocols.RolloutHooks,
        protocols.PolicyPacker,
        protocols.BatchSlicer,
    )
}


def satisfies(packer: object, protocol: Any) -> bool:
    """`isinstance`, where a property that raises counts as absent."""
    try:
        return isinstance(packer, protocol)
    except Exception:
        return False


def capabilities_of(packer: object) -> frozenset[str]:
    """Names of the protocols that the packer satisfies."""
    return frozenset(name for name, protocol in CAPABILITIES.items() if satisfies(packer, protocol))
