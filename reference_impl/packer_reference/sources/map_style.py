"""What a source is: a non-empty map-style object, told from everything else that has a length or an index."""

import sys
from collections.abc import Mapping
from typing import Any

__all__ = ["expect_map_style", "place_of"]

_WANTED = "expected a map-style object with __len__ and __getitem__"


def expect_map_style(source: Any, origin: str) -> int:
    """The number of items of `source`, from 1; no item is read.

    `origin` says in messages where the source comes from. Raises `TypeError` for a mapping, a text or bytes, None, a
    class, a torch `IterableDataset`, and what has no usable `__len__` or `__getitem__`; `ValueError` for what is empty.
    Spec: sources, SOURCE-2.
    """
    if source is None or isinstance(source, type):
        got = "None" if source is None else f"the class {source.__qualname__}"
        raise TypeError(f"{origin} gave {got}, {_WANTED}")
    kind = type(source)
    named = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    if isinstance(source, Mapping):
        keys = ", ".join(repr(key) for key in list(source)[:5]) or "none"
        raise TypeError(f"{origin} gave a {named}, {_WANTED}: its keys are {keys}; return the value of one")
    if isinstance(source, str | bytes | bytearray | memoryview):
        raise TypeError(f"{origin} gave a {named}, {_WANTED}: its items would be characters or bytes")
    if not _has_index(source):
        raise TypeError(
            f"{origin} gave a {named} without a usable __getitem__, {_WANTED}: what can only be walked has no index to "
            "share out or to return to"
        )
    try:
        length = len(source)
    except Exception as error:
        raise TypeError(
            f"{origin} gave a {named} without a usable __len__ ({type(error).__name__}: {error}), {_WANTED}"
        ) from error
    if not length:
        raise ValueError(f"{origin} gave a {named} of length 0, expected at least one item")
    return length


def _has_index(source: Any) -> bool:
    """Whether `source[i]` is more than what a torch dataset inherits, which only raises."""
    own = getattr(type(source), "__getitem__", None)
    if own is None:
        return False
    torch_data = sys.modules.get("torch.utils.data")  # not imported: then no object is one of its classes
    if torch_data is None:
        return True
    return not isinstance(source, torch_data.IterableDataset) and own is not torch_data.Dataset.__getitem__


def place_of(index: int, length: int) -> int:
    """The place from 0 to `length` - 1 of an index, negative ones from the end; else `IndexError` (SOURCE-5)."""
    if not -length <= index < length:
        raise IndexError(f"index {index} of {length} items")
    return index + length if index < 0 else index
