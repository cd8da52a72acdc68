"""Labels of groups, as lists, arrays or tensors give them."""

from collections.abc import Hashable
from typing import Any

from packer_schemas.tensor import is_tensor

__all__ = ["group_label", "plain_values"]


def plain_values(values: Any, where: str) -> list[Any]:
    """The values as a list; a tensor's or an array's are Python's own, which have equal hashes where they are equal.

    `ValueError`, which begins with `where`, for what is no list of values.
    """
    plain = values.tolist() if hasattr(values, "tolist") else values
    if isinstance(plain, str) or not hasattr(plain, "__iter__"):
        raise ValueError(f"{where} is {type(values).__name__} {values!r}, expected a list")
    return list(plain)


def group_label(value: Any, where: str) -> Hashable:
    """A label that is equal, and hashes alike, for all of one group; `TypeError` for one that cannot be hashed."""
    label = value.item() if is_tensor(value) and value.ndim == 0 else value  # tensors are hashed by where they lie
    try:
        hash(label)
    except TypeError:
        raise TypeError(f"{where} is {type(value).__name__} {value!r}, expected a hashable value") from None
    return label
