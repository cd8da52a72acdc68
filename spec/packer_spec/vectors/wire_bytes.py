"""Vectors of chapter wire: the bytes of a payload, for every dtype that it can have."""

import math
from typing import Any

from packer_spec.oracle.elements import bytes_of
from packer_spec.oracle.typed_values import value_of
from packer_spec.vectors.probe import Group, Probe
from packer_spec.vectors.tagged import float_, int_

__all__ = ["GROUPS", "answer"]


def answer(given: dict[str, Any]) -> dict[str, Any]:
    """The payload of rows: the bytes of their elements, one after the other, and offsets in elements."""
    written, offsets = b"", [0]
    for row in given["rows"]:
        values = [value for segment in row for value in segment["values"]]
        offsets.append(offsets[-1] + len(values))
        for segment in row:
            written += b"".join(bytes_of(segment["dtype"], _element(value)) for value in segment["values"])
    return {"dtype": given["rows"][0][0]["dtype"], "offsets": offsets, "bytes": written.hex()}


def _element(tree: Any) -> Any:
    return tree if isinstance(tree, dict) and "bits" in tree else value_of(tree)


def _bytes(note: str, *rows: list[dict[str, Any]]) -> Probe:
    return Probe(note, {"kind": "bytes", "rows": list(rows)})


def _segment(dtype: str, values: list[Any], *shape: int) -> dict[str, Any]:
    own = list(shape) or [1, len(values)]
    assert math.prod(own) == len(values)
    return {"dtype": dtype, "shape": own, "values": values}


def _ints(dtype: str, *values: int) -> list[dict[str, Any]]:
    return [_segment(dtype, [int_(value) for value in values])]


def _floats(dtype: str, *texts: str) -> list[dict[str, Any]]:
    return [_segment(dtype, [float_(text) for text in texts])]


def _bits(dtype: str, *patterns: str) -> list[dict[str, Any]]:
    return [_segment(dtype, [{"bits": pattern} for pattern in patterns])]


_CHAPTER = [
    _segment("bfloat16", [float_(f"{value}.0") for value in range(1, 7)], 2, 3),
    _segment("bfloat16", [float_("7.0"), float_("8.0")], 1, 2),
]

GROUPS = (
    Group(
        "WIRE-4",
        [
            _bytes("bytes of bool: one each, 0 or 1", [_segment("bool", [True, False, True, True])]),
            _bytes("bytes of uint8, up to the last", _ints("uint8", 0, 1, 127, 128, 255)),
            _bytes("bytes of int8, in two's complement", _ints("int8", 0, 1, 127, -1, -128)),
            _bytes("bytes of int16: the lower byte first", _ints("int16", 258, -1, 32767, -32768)),
            _bytes("bytes of int32", _ints("int32", 16909060, -2, 2**31 - 1, -(2**31))),
            _bytes("bytes of int64", _ints("int64", 72623859790382856, -2, 2**32)),
            _bytes("bytes of int64 beyond 2^53", _ints("int64", 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63))),
            _bytes("bytes of float16", _floats("float16", "1.0", "-2.0", "0.5", "0.333251953125")),
            _bytes("bytes of bfloat16: the upper half of a float32", _floats("bfloat16", "1.0", "-2.0", "3.140625")),
            _bytes("bytes of float32", _floats("float32", "1.0", "-2.0", "0.5", "3.1415927410125732")),
            _bytes("bytes of float64", _floats("float64", "1.0", "-2.0", "0.1", "3.141592653589793")),
        ],
    ),
    Group(
        "WIRE-4",
        [
            _bytes("the example of the chapter, byte by byte", _CHAPTER, []),
            *(
                _bytes(f"zeros of both signs, {dtype}", _floats(dtype, "0.0", "-0.0"))
                for dtype in ("float16", "bfloat16", "float32", "float64")
            ),
            _bytes("float16: smallest and largest", _floats("float16", "5.960464477539063e-08", "65504.0")),
            _bytes(
                "bfloat16: smallest and largest", _floats("bfloat16", "9.183549615799121e-41", "3.3895313892515355e38")
            ),
            _bytes(
                "float32: smallest and largest", _floats("float32", "1.401298464324817e-45", "3.4028234663852886e38")
            ),
            _bytes("float64: smallest and largest", _floats("float64", "5e-324", "1.7976931348623157e308")),
            *(
                _bytes(f"infinities, {dtype}", _floats(dtype, "Infinity", "-Infinity"))
                for dtype in ("float16", "bfloat16", "float32", "float64")
            ),
            _bytes(
                "float16: NaNs with their payload bits, by their bits", _bits("float16", "7e00", "7e01", "fe00", "7d2a")
            ),
            _bytes("bfloat16: NaNs with their payload bits", _bits("bfloat16", "7fc0", "7fc1", "ffc0", "7faa")),
            _bytes(
                "float32: NaNs with their payload bits",
                _bits("float32", "7fc00000", "7fc00001", "ffc12345", "7fa00000"),
            ),
            _bytes("float64: NaNs with their payload bits", _bits("float64", "7ff8000000000000", "fff8000000000001")),
        ],
    ),
    Group(
        "WIRE-2",
        [
            _bytes(
                "offsets count elements and not bytes",
                [_segment("int32", [int_(1), int_(2), int_(3)], 3)],
                [],
                [_segment("int32", [int_(4)], 1, 1), _segment("int32", [int_(5), int_(6)], 2, 1)],
            ),
            _bytes("no elements, no bytes", [_segment("float32", [], 0, 3)]),
            _bytes("elements of one byte, and a row of rank 0", [_segment("int8", [int_(-3)], 1)], _ints("int8", 7, 8)),
        ],
    ),
)
