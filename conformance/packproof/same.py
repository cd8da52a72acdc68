"""When two values that a packer made are the same: in type and content, to any depth, and NaN is itself."""

from collections.abc import Mapping
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
    if first is second or pair in seen or type(first) is not type(second):  # seen: values that lead back to themselves
        return first is second or pair in seen
    seen.add(pair)
    if isinstance(first, (torch.Tensor, np.ndarray)):
        return _same_array(first, second, seen)
    if isinstance(first, Mapping):
        return list(first) == list(second) and _same([*first.values()], [*second.values()], seen)
    if isinstance(first, (list, tuple)):
        return len(first) == len(second) and all(_same(a, b, seen) for a, b in zip(first, second, strict=True))
    held = {} if isinstance(first, type) else attributes_of(first)
    if held:
        return _same(held, attributes_of(second), seen)
    both_nan = first != first and second != second  # noqa: PLR0124  NaN is not itself
    return bool(first == second) or both_nan or type(first).__eq__ is object.__eq__


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
