"""What goes wrong with a payload, its tags and its columns: small faults for the oracle of the wire."""

from typing import Any

from packer_spec.oracle import columns, elements
from packer_spec.oracle import wire as rows


def big_endian(dtype: str, value: Any) -> bytes:
    """The higher byte first."""
    return BYTES_OF(dtype, value)[::-1]


def bfloat16_as_float16(dtype: str, value: Any) -> bytes:
    """Through a library that does not know bfloat16."""
    return BYTES_OF("float16" if dtype == "bfloat16" else dtype, value)


def bfloat16_as_float32(dtype: str, value: Any) -> bytes:
    """Twice as many bytes as there should be."""
    return BYTES_OF("float32" if dtype == "bfloat16" else dtype, value)


def through_doubles(dtype: str, value: Any) -> bytes:
    """Integers by way of a double, as in a language with one type of number."""
    return BYTES_OF(dtype, min(int(float(value)), 2**63 - 1) if dtype == "int64" else value)


def one_nan(dtype: str, value: Any) -> bytes:
    """NaNs lose their payload bits."""
    return BYTES_OF(dtype, {"bits": ONE_NAN[dtype]} if isinstance(value, dict) else value)


def one_zero(dtype: str, value: Any) -> bytes:
    """Minus zero becomes zero."""
    return BYTES_OF(dtype, value if isinstance(value, dict) else value or 0)


def wide_bools(dtype: str, value: Any) -> bytes:
    """Bools of four bytes."""
    return BYTES_OF("int32" if dtype == "bool" else dtype, value)


def any_kwargs(mode: Any, kwargs: Any) -> bool:
    """Settings with a kwarg that the constructor does not know."""
    return mode in (None, "pad_to_max_shape", "patchify") and (mode != "patchify" or kwargs.get("patch_dim", 0) >= 1)


def any_size(mode: Any, kwargs: Any) -> bool:
    """Patches of any size, zero among them."""
    return mode in (None, "pad_to_max_shape", "patchify") and not set(kwargs) - {"patch_dim"}


def begins_with_zero(field: str, jagged: rows.Jagged) -> None:
    """Looks at the first offset alone."""
    if jagged.offsets[0] != 0:
        raise ValueError(field, "offsets")


def ends_right(field: str, jagged: rows.Jagged) -> None:
    """Looks at the last offset alone."""
    if jagged.offsets[-1] != len(jagged.values):
        raise ValueError(field, "offsets")


def all_ragged(read: dict[str, columns.Column], tags: Any) -> dict[str, columns.Column]:
    """Rebuilds every ragged column, whatever its name."""
    return {name: rows.decode(name, one, tags) if isinstance(one, rows.Jagged) else one for name, one in read.items()}


def sorted_columns(read: dict[str, columns.Column], tags: Any) -> dict[str, columns.Column]:
    """Gives the columns in the order of their names."""
    return dict(sorted(REASSEMBLED(read, tags).items()))


def in_order(names: Any) -> list[str]:
    """Names in the order in which they were written."""
    return [name for name in names or () if name in rows.PACKED_FIELDS + columns.PER_TOKEN_FIELDS]


ONE_NAN = {"float16": "7e00", "bfloat16": "7fc0", "float32": "7fc00000", "float64": "7ff8000000000000"}
REASSEMBLED = columns.reassembled
BYTES_OF = elements.bytes_of
