"""Capabilities: which protocols a packer satisfies, found with `isinstance` and nothing else."""

from typing import Any

from packer_schemas import protocols

__all__ = ["CAPABILITIES", "capabilities_of", "methods_of", "missing_methods", "satisfies"]

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
        protocols.PackerSemanticsIdentity,
        protocols.PackerProcessorIdentity,
    )
}


def satisfies(packer: object, protocol: Any) -> bool:
    """`isinstance`, where a property that raises counts as absent."""
    try:
        return isinstance(packer, protocol)
    except Exception:
        return False


def methods_of(protocol: Any) -> list[str]:
    """Names of the methods and attributes that make up a protocol, in the order of its definition."""
    return [name for name in (*vars(protocol), *protocol.__annotations__) if not name.startswith("_")]


def missing_methods(packer: object, protocol: Any) -> list[str]:
    """Those of `methods_of(protocol)` that the packer lacks; a property that raises counts as absent."""
    return [name for name in methods_of(protocol) if not _has(packer, name)]


def _has(packer: object, name: str) -> bool:
    try:
        return hasattr(packer, name)
    except Exception:
        return False


def capabilities_of(packer: object) -> frozenset[str]:
    """Names of the protocols that the packer satisfies."""
    return frozenset(name for name, protocol in CAPABILITIES.items() if satisfies(packer, protocol))
