"""Chapter wire: the bytes of one element, little-endian."""

import struct
from collections.abc import Mapping
from typing import Any

__all__ = ["bytes_of"]

_DTYPES: tuple[str, ...] = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64")
_CODES: dict[str, str] = dict(zip(_DTYPES, "?Bbhiqefd", strict=True))


def bytes_of(dtype: str, value: Any) -> bytes:
    """The bytes of a bool, an integer or a float, or of a float that is given by its bits, `{"bits": "7fc00001"}`.

    A bfloat16 is the upper half of a float32. `ValueError` for a float that the dtype does not hold exactly.
    """
    if isinstance(value, Mapping):
        return bytes.fromhex(value["bits"])[::-1]
    if dtype == "bfloat16":
        low, high = struct.pack("<f", value)[:2], struct.pack("<f", value)[2:]
        exact = low == b"\0\0" and struct.unpack("<f", low + high)[0] == value
        written = high
    else:
        written = struct.pack("<" + _CODES[dtype], value)
        exact = struct.unpack("<" + _CODES[dtype], written)[0] == value
    if not exact:
        raise ValueError(f"{value!r} is no {dtype}")
    return written
