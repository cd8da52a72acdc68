"""When two values that a packer made are the same: in type and content, to any depth, and NaN is itself."""

import io
import sys
from collections.abc import Mapping
from dataclasses import is_dataclass
from typing import Any

from packproof.views import attributes_of
from packproof.violation import NotTested

__all__ = ["same"]


def same(first: Any, second: Any) -> bool:
    """Whether two values are equal in type and content; an object that cannot tell is compared by its attributes.

    `NotTested` when they refuse to be compared.
    """
    try:
        return _same(first, second, set())
    except Exception as error:
        raise NotTested(f"a {type(first).__name__} cannot be compared: {error}") from error


def _same(first: Any, second: Any, seen: set[tuple[int, int]]) -> bool:
    import numpy as np
    import torch

    pair = id(first), id(second)
    if first is second or pair in seen or _kind(first) is not _kind(second):  # seen: what leads back to itself
        return first is second or pair in seen
    seen.add(pair)
    held = _content(first)
    if held is not None:
        return _same(held, _content(second), seen)
    if isinstance(first, (torch.Tensor, np.ndarray)):
        return _same_array(first, second, seen)
    if isinstance(first, Mapping):
        return list(first) == list(second) and _same([*first.values()], [*second.values()], seen)
    if isinstance(first, (list, tuple)):
        return len(first) == len(second) and all(_same(a, b, seen) for a, b in zip(first, second, strict=True))
    return _same_object(first, second, seen)


def _same_object(first: Any, second: Any, seen: set[tuple[int, int]]) -> bool:
    if _is_of(first, "pandas", "DataFrame") or _is_of(first, "pandas", "Series"):
        return bool(first.equals(second))
    if _says_equal(first, second):
        return True
    held = {} if isinstance(first, type) else attributes_of(first)
    if held:
        return _same(held, attributes_of(second), seen)
    both_nan = first != first and second != second  # noqa: PLR0124  NaN is not itself
    return bool(first == second) or both_nan or type(first).__eq__ is object.__eq__


def _content(value: Any) -> Any:
    """What is compared of a picture, of bytes in memory and of a masked array; None for anything else."""
    import numpy as np

    if isinstance(value, np.ma.MaskedArray):
        return np.ma.getmaskarray(value), value.filled(0)
    if isinstance(value, io.BytesIO):
        return value.getvalue()
    return (value.mode, value.size, value.tobytes()) if _is_of(value, "PIL.Image", "Image") else None


def _kind(value: Any) -> type:
    """The type of a value; an array that lies in a file is an array."""
    import numpy as np

    return np.ndarray if isinstance(value, np.memmap) else type(value)


def _is_of(value: Any, module: str, name: str) -> bool:
    """Whether a value is of a class of a library, which is not imported for it."""
    cls = getattr(sys.modules.get(module), name, None)
    return isinstance(cls, type) and isinstance(value, cls)


def _says_equal(first: Any, second: Any) -> bool:
    """Whether an object that can tell says so; what it holds still counts where it says no, for NaN is itself."""
    if type(first).__eq__ is object.__eq__ or is_dataclass(first):
        return False
    try:
        return (first == second) is True
    except Exception:  # an __eq__ of somebody else's, which attributes then stand in for
        return False


def _same_array(first: Any, second: Any, seen: set[tuple[int, int]]) -> bool:
    """Arrays, or tensors of one kind: by their parts, where they are no plain block of numbers."""
    import torch

    if first.dtype != second.dtype:
        return False
    if isinstance(first, torch.Tensor) and first.is_nested:
        return second.is_nested and _same(list(first.unbind()), list(second.unbind()), seen)
    if first.shape != second.shape:
        return False
    if isinstance(first, torch.Tensor) and first.layout != torch.strided:
        return first.layout == second.layout and _same(first.to_dense(), second.to_dense(), seen)
    if first.dtype == object:
        return _same(first.tolist(), second.tolist(), seen)
    return bool(((first == second) | ((first != first) & (second != second))).all())  # noqa: PLR0124
