"""Arrays in a vector: a dtype, a shape, and the values in row-major order."""

from typing import Any

from packer_spec.oracle.arrays import Array

__all__ = ["array", "written"]


def array(given: dict[str, Any]) -> Array:
    """The oracle's array of one in a vector."""
    return Array(given["dtype"], tuple(given["shape"]), tuple(given["values"]))


def written(given: Array) -> dict[str, Any]:
    """An array as it stands in a vector."""
    return {"dtype": given.dtype, "shape": list(given.shape), "values": list(given.values)}
