"""Packer factories that a selection must refuse, importable by dotted path."""

from typing import Any, NoReturn

__all__ = ["WRONG_FACTORIES", "raises", "returns_class", "returns_none", "returns_text"]


def returns_none() -> None:
    """Forgets its return."""


def returns_text() -> str:
    """Returns the name of a packer instead of a packer."""
    return "a packer"


def returns_class() -> type[Any]:
    """Returns a class instead of an instance."""
    return dict


def raises() -> NoReturn:
    """Fails while it builds."""
    raise RuntimeError("the factory itself failed")


WRONG_FACTORIES = tuple(f"{__name__}.{run.__name__}" for run in (returns_none, returns_text, returns_class, raises))
