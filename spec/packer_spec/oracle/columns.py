"""Chapter wire: the columns that a worker has read, of which the packed ones become containers."""

from collections.abc import Mapping, Sequence
from typing import Any

from packer_spec.oracle.arrays import Array
from packer_spec.oracle.wire import PACKED_FIELDS, Jagged, Packed, decode, row_shapes_key

__all__ = ["PER_TOKEN_FIELDS", "Column", "present", "reassembled"]

PER_TOKEN_FIELDS = ("token_type_ids", "mm_token_type_ids", "mm_owned_mask")
"""The names under which tensors beside the ids travel."""

Column = Jagged | Array | Packed
"""A payload, a tensor of another layout, or a container."""


def reassembled(columns: Mapping[str, Column], tags: Sequence[Mapping[str, Any]] | None) -> dict[str, Column]:
    """The columns with a container in the place of every packed payload (WIRE-14); one of no rows is left out (WIRE-5).

    All others stay as they are, and so does the order. `ValueError` or `TypeError` as by `decode`, and `ValueError` for
    a packed name that has tags while its column is a tensor of another layout (WIRE-15).
    """
    found: dict[str, Column] = {}
    for name, column in columns.items():
        packed = name in PACKED_FIELDS
        if packed and isinstance(column, Array) and any(row_shapes_key(name) in tag for tag in tags or ()):
            raise ValueError(f"{name} has tags, and is a dense tensor of the shape {list(column.shape)}")
        if not packed or not isinstance(column, Jagged):
            found[name] = column
        elif len(column.offsets) > 1:
            found[name] = decode(name, column, tags)
    return found


def present(names: Sequence[str] | None) -> list[str]:
    """The registered names among those that were written, each once, by code point (WIRE-11)."""
    return sorted({name for name in names or () if name in PACKED_FIELDS + PER_TOKEN_FIELDS})
