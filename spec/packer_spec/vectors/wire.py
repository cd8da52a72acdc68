"""Vectors of chapter wire: packed fields flattened for the transport, and put together again."""

import math
from typing import Any

from packer_spec.oracle import wire
from packer_spec.vectors.arrays import array, written
from packer_spec.vectors.probe import EITHER, Group, Probe, Refusal

__all__ = ["DESCRIPTION", "GROUPS", "answer"]

DESCRIPTION = (
    "Packed fields on the wire. kind encode: field, rows (the segments of each logical row), preprocess_mode and "
    "preprocess_kwargs, and sample_count; expected: jagged (dtype, values, and offsets: row i is values[offsets[i] : "
    "offsets[i + 1]]) and tags, one per sample, both null where there is nothing to send. kind decode: field, jagged "
    "and tags; expected: rows and settings. Every encode vector that has a payload is a decode vector, read "
    "backwards."
)

_RULES = {"encode": "", "nothing to send": "", "encode refusals": "", "decode": "", "decode refusals": ""}
"""The requirement that each kind of vector belongs to."""


def answer(given: dict[str, Any]) -> dict[str, Any]:
    """What the oracle says of an input."""
    return _encoded(given) if given["kind"] == "encode" else _decoded(given)


def _encoded(given: dict[str, Any]) -> dict[str, Any]:
    rows = tuple(tuple(array(segment) for segment in row) for row in given["rows"])
    packed = wire.Packed(rows, given["preprocess_mode"], given["preprocess_kwargs"])
    jagged, tags = wire.encode(given["field"], packed, given["sample_count"])
    if jagged is None:
        return {"jagged": None, "tags": None}
    payload = {"dtype": jagged.dtype, "values": list(jagged.values), "offsets": list(jagged.offsets)}
    return {"jagged": payload, "tags": tags}


def _decoded(given: dict[str, Any]) -> dict[str, Any]:
    payload = given["jagged"]
    jagged = wire.Jagged(payload["dtype"], tuple(payload["values"]), tuple(payload["offsets"]))
    packed = wire.decode(given["field"], jagged, given["tags"])
    return {
        "rows": [[written(segment) for segment in row] for row in packed.rows],
        "preprocess_mode": packed.preprocess_mode,
        "preprocess_kwargs": dict(packed.preprocess_kwargs),
    }


def _segment(first: int, *shape: int, dtype: str = "float32") -> dict[str, Any]:
    """A segment whose values count up from `first`."""
    return {"dtype": dtype, "shape": list(shape), "values": list(range(first, first + math.prod(shape)))}


def _rows(
    *rows: list[dict[str, Any]],
    field: str = "pixel_values",
    mode: str | None = None,
    count: int | None = None,
    **more: Any,
) -> dict[str, Any]:
    return {
        "kind": "encode",
        "field": field,
        "rows": list(rows),
        "preprocess_mode": mode,
        "preprocess_kwargs": more,
        "sample_count": len(rows) if count is None else count,
    }


def _payload(values: int, offsets: list[int], tags: Any) -> dict[str, Any]:
    jagged = {"dtype": "float32", "values": list(range(10, 10 + values)), "offsets": offsets}
    return {"kind": "decode", "field": "pixel_values", "jagged": jagged, "tags": tags}


def _tag(*shapes: list[int], field: str = "pixel_values", mode: str | None = None) -> dict[str, Any]:
    return {f"{field}__row_shapes": {"shapes": list(shapes), "preprocess_mode": mode, "preprocess_kwargs": {}}}


A, B, C = _segment(10, 1, 2), _segment(30, 2, 2), _segment(50, 1, 3)
GRID = [_segment(1, 1, 3, dtype="int64"), _segment(4, 2, 3, dtype="int64")]

GROUPS = (
    Group(
        _RULES["encode"],
        [
            Probe("one row of one segment", _rows([A])),
            Probe("two rows", _rows([A], [B])),
            Probe("two segments in a row are joined, and their shapes are not", _rows([A, B], [C])),
            Probe("the same values in other segments: only the tags differ", _rows([_segment(10, 2, 1)])),
            Probe("a row without segments in front", _rows([], [A])),
            Probe("and in the middle", _rows([A], [], [B])),
            Probe("and at the end", _rows([A], [])),
            Probe("widths that differ are not padded", _rows([A], [C])),
            Probe("ranks that differ", _rows([_segment(10, 2)], [_segment(30, 1, 2, 2)])),
            Probe("a segment of no values counts as a segment", _rows([_segment(0, 0, 3), A], [B])),
            Probe("and makes a payload by itself", _rows([_segment(0, 0, 3)], [])),
            Probe("integers stay integers", _rows([GRID[0]], [GRID[1]], field="image_grid_thw")),
            Probe("to be padded where it is used, not here", _rows([A], [C], mode="pad_to_max_shape")),
            Probe(
                "to be cut into patches, with its setting",
                _rows([_segment(0, 1, 1, 2, 2)], [], mode="patchify", patch_dim=2),
            ),
        ],
    ),
    Group(
        _RULES["nothing to send"],
        [
            Probe("no row has a segment", _rows([], [])),
            Probe("no rows", _rows()),
            Probe("and then the number of samples is not looked at", _rows([], count=2)),
        ],
    ),
    Group(
        _RULES["encode refusals"],
        [
            Probe("more samples than rows", _rows([A], count=2), Refusal("ValueError", ("1", "2"))),
            Probe("fewer samples than rows", _rows([A], [B], count=1), Refusal("ValueError", ("2", "1"))),
            Probe(
                "two dtypes in a row",
                _rows([A, _segment(30, 1, 2, dtype="int64")]),
                Refusal(EITHER, ("float32", "int64")),
            ),
            Probe(
                "two dtypes in two rows",
                _rows([A], [_segment(30, 1, 2, dtype="float64")]),
                Refusal(EITHER, ("float32", "float64")),
            ),
        ],
    ),
    Group(
        _RULES["decode"],
        [
            Probe("segments come back one by one", _payload(6, [0, 6], [_tag([1, 2], [2, 2])])),
            Probe("a sample without the tag has no segments", _payload(2, [0, 2, 2], [_tag([1, 2]), {}])),
            Probe(
                "tags of another field are left alone",
                _payload(2, [0, 2], [_tag([1, 2]) | _tag([9], field="input_features")]),
            ),
            Probe(
                "the mode comes back and is not applied",
                _payload(5, [0, 2, 5], [_tag([1, 2], mode="pad_to_max_shape"), _tag([1, 3], mode="pad_to_max_shape")]),
            ),
        ],
    ),
    Group(
        _RULES["decode refusals"],
        [
            Probe("the transport lost the tags", _payload(2, [0, 2], None), Refusal("ValueError", ("pixel_values",))),
            Probe(
                "the tags are of another field",
                _payload(2, [0, 2], [_tag([1, 2], field="input_features")]),
                Refusal("ValueError", ("pixel_values",)),
            ),
            Probe("more rows than tags", _payload(4, [0, 2, 4], [_tag([1, 2])]), Refusal("ValueError", ("2", "1"))),
            Probe(
                "fewer rows than tags",
                _payload(2, [0, 2], [_tag([1, 2]), _tag([1, 2])]),
                Refusal("ValueError", ("1", "2")),
            ),
            Probe(
                "a row longer than its shapes", _payload(3, [0, 3], [_tag([1, 2])]), Refusal("ValueError", ("3", "2"))
            ),
            Probe(
                "a row shorter than its shapes", _payload(1, [0, 1], [_tag([1, 2])]), Refusal("ValueError", ("1", "2"))
            ),
            Probe(
                "shapes that fit all rows together and none alone",
                _payload(4, [0, 1, 4], [_tag([1, 2]), _tag([1, 2])]),
                Refusal("ValueError", ("1", "2")),
            ),
            Probe(
                "values in a row whose sample has no tag",
                _payload(4, [0, 2, 4], [_tag([1, 2]), {}]),
                Refusal("ValueError", ("2", "0")),
            ),
        ],
    ),
)
