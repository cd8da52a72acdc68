"""Arrays in a vector: a dtype, a shape, and the values in row-major order."""

from typing import Any

from packer_spec.oracle.arrays import Array

__all__ = ["array", "written"]

_EXACT = 2**53
"""Up to here every JSON parser keeps an integer; beyond, it stands as a text of its digits."""


def array(given: dict[str, Any]) -> Array:
    """The oracle's array of one in a vector."""
    values = (int(value) if isinstance(value, str) else value for value in given["values"])
    return Array(given["dtype"], tuple(given["shape"]), tuple(values))


def written(given: Array) -> dict[str, Any]:
    """An array as it stands in a vector."""
    values = [value if abs(value) <= _EXACT else str(value) for value in given.values]
    return {"dtype": given.dtype, "shape": list(given.shape), "values": values}
