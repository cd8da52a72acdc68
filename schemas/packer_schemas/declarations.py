"""What a packer declares: found by `isinstance` on two protocols, and plain JSON data or refused."""

from collections.abc import Mapping
from typing import Any, Literal

from packer_schemas.canonical import canonical_json
from packer_schemas.protocols import PackerProcessorIdentity, PackerSemanticsIdentity

__all__ = ["DECLARATIONS", "MAX_BYTES", "PartName", "declarations", "declared_parts", "dotted_name"]

PartName = Literal["semantics", "processor"]

MAX_BYTES = 65_536
"""Bytes of the canonical form of one declaration; large content enters as its own digest (IDENT-3)."""

DECLARATIONS: dict[PartName, tuple[type, str]] = {
    "semantics": (PackerSemanticsIdentity, "validation_semantics_identity"),
    "processor": (PackerProcessorIdentity, "processor_semantics_identity"),
}
"""Protocol and method of each part of an identity, by its name in the document (IDENT-1)."""


def declared_parts(packer: Any) -> dict[PartName, str]:
    """Which parts a packer declares, each with the name of its method; nothing is called.

    `isinstance` on the two protocols decides, and the method has to stand on the class: what is only set on the
    instance, or answered by `__getattr__`, declares nothing, and neither does a method that a subclass set to None
    (IDENT-1). Raises `TypeError` for None or a class in place of a packer.
    """
    if packer is None or isinstance(packer, type):
        got = "None" if packer is None else f"the class {packer.__qualname__}"
        raise TypeError(f"expected a packer that is set up, got {got}")
    return {
        part: method
        for part, (protocol, method) in DECLARATIONS.items()
        if _on_class(type(packer), method) and isinstance(packer, protocol)
    }


def declarations(packer: Any) -> dict[str, dict[str, Any]]:
    """The declarations of a packer by part, `semantics` and `processor`; empty for a packer that makes none.

    Each call asks the packer anew, and what its methods raise passes through. Raises what `declared_parts` does, and
    `TypeError` or `ValueError` for a declaration that is no mapping, empty, no plain JSON data or larger than 65,536
    bytes; the message names the class, the method and the path (IDENT-3).
    """
    return {part: _declaration(packer, part, method) for part, method in declared_parts(packer).items()}


def dotted_name(cls: type) -> str:
    """`module.QualifiedName` of a class: how messages and documents call a packer."""
    return f"{cls.__module__}.{cls.__qualname__}"


def _on_class(cls: type, method: str) -> bool:
    """Whether the class has the method, other than None; what a metaclass or an instance adds does not count."""
    return next((vars(base)[method] for base in cls.__mro__ if method in vars(base)), None) is not None


def _declaration(packer: Any, part: str, method: str) -> dict[str, Any]:
    where = f"{dotted_name(type(packer))}.{method}"
    ask = getattr(packer, method)
    if not callable(ask):
        raise TypeError(f"{where} is a {type(ask).__name__}, expected a method without arguments")
    declared = ask()
    if not isinstance(declared, Mapping):
        raise TypeError(
            f"{where}() returned a {type(declared).__name__}, expected a mapping from names to plain JSON data"
        )
    value = dict(declared)
    if not value:
        raise ValueError(
            f"{where}() returned an empty {type(declared).__name__}, expected at least one entry; a packer that "
            "declares nothing has no such method, or sets it to None"
        )
    try:
        size = len(canonical_json(value, part))
    except (TypeError, ValueError) as error:
        raise type(error)(f"{where}(): {error}") from None
    if size > MAX_BYTES:
        raise ValueError(
            f"{where}(): {part}: expected at most {MAX_BYTES} bytes of canonical JSON, got {size}; declare a digest "
            "of what is large"
        )
    return value
