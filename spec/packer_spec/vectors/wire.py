"""Vectors of chapter wire: packed fields flattened for the transport, and put together again."""

import math
from typing import Any

from packer_spec.oracle import wire
from packer_spec.vectors import wire_bytes, wire_reading
from packer_spec.vectors.arrays import array
from packer_spec.vectors.probe import MENTIONS, Group, Probe, Refusal

__all__ = ["DESCRIPTION", "GROUPS", "answer"]

DESCRIPTION = (
    "Packed fields on the wire. kind encode: field, rows (the segments of each logical row), the settings "
    "(preprocess_mode, preprocess_kwargs, dim_to_pack) and sample_count; expected: jagged (dtype, values, and offsets: "
    "row i is values[offsets[i] : offsets[i + 1]]) and tags, one per sample, both null where there is nothing to ship. "
    "kind decode: field, jagged and tags; expected: rows and settings. Every encode vector that has a payload is a "
    "decode vector, read backwards. In these, a bool is 0 or 1. kind bytes: rows, whose elements are tagged: true, "
    'false, {"int": "1"}, {"float": "0.5"}, or {"bits": "7fc1"} for the float of these bits, in hex with the sign '
    "first; expected: the dtype of the payload, its offsets, and its values as bytes in hex; read backwards, what a "
    "reader gets. kind reassemble: columns, each a name and a jagged, dense or container, and tags; expected: the "
    "columns afterwards, in their order. kind present: the names that were written, or null; expected: those "
    f"registered. {MENTIONS}"
)


def answer(given: dict[str, Any]) -> dict[str, Any]:
    """What the oracle says of an input."""
    return _ANSWERS[given["kind"]](given)


def _encoded(given: dict[str, Any]) -> dict[str, Any]:
    rows = tuple(tuple(array(segment) for segment in row) for row in given["rows"])
    packed = wire.Packed(rows, given["preprocess_mode"], given["preprocess_kwargs"], given["dim_to_pack"])
    jagged, tags = wire.encode(given["field"], packed, given["sample_count"])
    if jagged is None:
        return {"jagged": None, "tags": None}
    payload = {"dtype": jagged.dtype, "values": list(jagged.values), "offsets": list(jagged.offsets)}
    return {"jagged": payload, "tags": tags}


_ANSWERS = {
    "encode": _encoded,
    "decode": wire_reading.decoded,
    "bytes": wire_bytes.answer,
    "reassemble": wire_reading.reassembled,
    "present": wire_reading.present,
}


def _segment(first: int, *shape: int, dtype: str = "float32") -> dict[str, Any]:
    """A segment whose values count up from `first`."""
    return {"dtype": dtype, "shape": list(shape), "values": list(range(first, first + math.prod(shape)))}


def _sent(
    note: str,
    *rows: list[dict[str, Any]],
    field: str = "pixel_values",
    mode: str | None = None,
    count: int | None = None,
    dim: int = 0,
    refusal: Refusal | None = None,
    **kwargs: Any,
) -> Probe:
    given = {
        "kind": "encode",
        "field": field,
        "rows": list(rows),
        "preprocess_mode": mode,
        "preprocess_kwargs": kwargs,
        "dim_to_pack": dim,
        "sample_count": len(rows) if count is None else count,
    }
    return Probe(note, given, refusal)


def _read(note: str, lengths: list[int], tags: Any, refusal: Refusal | None = None) -> Probe:
    """A payload of rows of these lengths, whose values count up from 10."""
    offsets = [sum(lengths[:end]) for end in range(len(lengths) + 1)]
    jagged = {"dtype": "float32", "values": list(range(10, 10 + offsets[-1])), "offsets": offsets}
    return Probe(note, {"kind": "decode", "field": "pixel_values", "jagged": jagged, "tags": tags}, refusal)


def _tag(*shapes: list[int], field: str = "pixel_values", mode: str | None = None, **kwargs: Any) -> dict[str, Any]:
    content = {"shapes": list(shapes), "preprocess_mode": mode, "preprocess_kwargs": kwargs}
    return {f"{field}__row_shapes": content}


def _spoiled(tag: dict[str, Any], *, without: str = "", **more: Any) -> dict[str, Any]:
    """The tag with a key less or more."""
    ((name, content),) = tag.items()
    return {name: {key: value for key, value in content.items() if key != without} | more}


def _misfit(*mentions: Any) -> Refusal:
    return Refusal("ValueError", ("pixel_values", *map(str, mentions)))


A, B, C = _segment(10, 1, 2), _segment(30, 2, 2), _segment(50, 1, 3)
EMPTY = _segment(0, 0, 3)
GRID = [_segment(1, 1, 3, dtype="int64"), _segment(4, 2, 3, dtype="int64")]
PAD = "pad_to_max_shape"

GROUPS = (
    Group(
        "WIRE-2",
        [
            _sent("one row of one segment", [A]),
            _sent("two rows", [A], [B]),
            _sent("two segments in a row are joined, and their shapes are not", [A, B], [C]),
            _sent("the same values in another shape: only the tags differ", [_segment(10, 2, 1)]),
            _sent("an empty row in front of one with a segment", [], [A]),
            _sent("an empty row between two others", [A], [], [B]),
            _sent("an empty row behind one with a segment", [A], []),
            _sent("widths that differ are not padded", [A], [C]),
            _sent("ranks that differ", [_segment(10, 2), _segment(30, 1, 2, 2)]),
            _sent("a segment that two rows share is written for each", [A], [A]),
            _sent("a segment that a row has twice is written twice", [A, A]),
        ],
    ),
    Group(
        "WIRE-3",
        [
            _sent("to be padded by the model, and not here", [A], [C], mode=PAD),
            _sent(
                "to be cut into patches, with their size", [_segment(0, 1, 1, 2, 2)], [], mode="patchify", patch_dim=2
            ),
            _read("the mode comes back and is not applied", [2, 3], [_tag([1, 2], mode=PAD), _tag([1, 3], mode=PAD)]),
            _read("the size of a patch comes back", [4], [_tag([1, 1, 2, 2], mode="patchify", patch_dim=2)]),
        ],
    ),
    Group(
        "WIRE-4",
        [
            _sent("64-bit integers stay what they are", [GRID[0]], [GRID[1]], field="image_grid_thw"),
            _sent("bytes stay bytes", [_segment(250, 1, 3, dtype="uint8")], field="pixel_values_videos"),
            _sent(
                "bools, written as 0 and 1",
                [{"dtype": "bool", "shape": [1, 3], "values": [1, 0, 1]}],
                field="feature_attention_mask",
            ),
            _sent(
                "16-bit floats that only torch knows, as in the chapter",
                [_segment(1, 2, 3, dtype="bfloat16"), _segment(7, 1, 2, dtype="bfloat16")],
                [],
                mode=PAD,
            ),
        ],
    ),
    Group(
        "WIRE-5",
        [
            _sent("two empty rows: nothing to ship", [], []),
            _sent("no rows: nothing to ship"),
            _sent("a segment without elements is shipped", [EMPTY], []),
            _sent("a segment without elements beside one with elements", [EMPTY, A], [B]),
        ],
    ),
    Group(
        "WIRE-6",
        [
            _sent(
                "two dtypes in a row",
                [GRID[0], _segment(30, 1, 2)],
                refusal=Refusal("TypeError", ("0", "int64", "float32")),
            ),
            _sent(
                "two dtypes in two rows",
                [A],
                [_segment(30, 1, 2, dtype="float64")],
                refusal=Refusal("TypeError", ("1", "float32", "float64")),
            ),
            _sent(
                "a dtype that the wire does not have",
                [_segment(10, 1, 2, dtype="uint16")],
                refusal=Refusal("TypeError", ("uint16",)),
            ),
            _sent(
                "packed along another dimension",
                [A],
                dim=1,
                refusal=Refusal("NotImplementedError", ("dim_to_pack", "1")),
            ),
            _sent(
                "packed along a dimension that is counted from the end",
                [A],
                dim=-2,
                refusal=Refusal("NotImplementedError", ("dim_to_pack", "-2")),
            ),
            _sent(
                "packed along another dimension, with nothing to ship",
                [],
                dim=1,
                refusal=Refusal("NotImplementedError", ("dim_to_pack", "1")),
            ),
        ],
    ),
    Group(
        "WIRE-7",
        [
            _read("segments come back one by one", [6], [_tag([1, 2], [2, 2])]),
            _read("the shapes say what a row of length 0 holds", [0, 0], [_tag([0, 3]), _tag()]),
            _read("an empty row keeps its place", [2, 0, 3], [_tag([1, 2]), _tag(), _tag([1, 3])]),
            _read("a segment of rank 0 takes one element", [3], [_tag([], [2])]),
            _read("a segment without elements between others", [4], [_tag([1, 2], [0, 2], [1, 2])]),
            _read("one dimension, as flat as the payload", [2], [_tag([2])]),
        ],
    ),
    Group(
        "WIRE-8",
        [
            _read("a row longer than its shapes", [3], [_tag([1, 2])], _misfit(0, 2, 3)),
            _read("a row shorter than its shapes", [2, 1], [_tag([1, 2]), _tag([1, 2])], _misfit(1, 2, 1)),
            _read("shapes that fit all rows together and none alone", [1, 3], [_tag([2]), _tag([2])], _misfit(0, 2, 1)),
            _read("elements in a row without shapes", [2, 2], [_tag([1, 2]), _tag()], _misfit(1, 0, 2)),
            _read("a row of length 0 with a segment", [0], [_tag([1, 2])], _misfit(0, 2, 0)),
        ],
    ),
    Group(
        "WIRE-10",
        [
            _sent(
                "a name in neither set",
                [A],
                field="pixel_values_flat",
                refusal=Refusal("KeyError", ("pixel_values_flat",)),
            ),
            _sent(
                "a name in neither set, with nothing to ship",
                [],
                field="pixels",
                refusal=Refusal("KeyError", ("pixels",)),
            ),
        ],
    ),
    Group(
        "WIRE-13",
        [
            _sent("every sample has a tag where one has media", [], [], [A], field="imgs_sizes"),
            _sent("more samples than rows", [A], count=2, refusal=_misfit(1, 2)),
            _sent("fewer samples than rows", [A], [B], count=1, refusal=_misfit(2, 1)),
            _sent("where nothing is shipped the number of samples is not looked at", [], count=2),
        ],
    ),
    Group(
        "WIRE-15",
        [
            _read("the transport lost the tags", [2], None, _misfit()),
            _read("the transport gave an empty list of tags", [2], [], _misfit()),
            _read("more rows than tags", [2, 2], [_tag([1, 2])], _misfit(2, 1)),
            _read("fewer rows than tags", [2], [_tag([1, 2]), _tag([1, 2])], _misfit(1, 2)),
            _read("tags of another field", [2], [_tag([1, 2], field="input_features")], _misfit(0)),
            _read("a row of length 0 needs its tag too", [2, 0], [_tag([1, 2]), {}], _misfit(1)),
            _read("a tag without its kwargs", [2], [_spoiled(_tag([1, 2]), without="preprocess_kwargs")], _misfit(0)),
            _read("a tag with a key too many", [2], [_spoiled(_tag([1, 2]), pad_to=4)], _misfit(0, "pad_to")),
            _read("a negative size", [2], [_tag([-1, -2])], _misfit(0)),
            _read("settings that differ", [2, 2], [_tag([1, 2]), _tag([1, 2], mode=PAD)], _misfit(1)),
            _read("an unknown mode", [2], [_tag([1, 2], mode="crop")], _misfit(0, "crop")),
            _read("patches of no size", [2], [_tag([1, 2], mode="patchify")], _misfit(0)),
            _read("tags of other fields beside it are left alone", [2], [_tag([1, 2]) | _tag([9], field="num_frames")]),
        ],
    ),
    Group(
        "WIRE-16",
        [
            _sent("a batch of three samples", [_segment(10, 2, 1)], [], [_segment(12, 1, 2), _segment(14, 3)]),
            _read("rows 2 and 1 of it, with their tags", [5, 0], [_tag([1, 2], [3]), _tag()]),
            _read("row 1 of it alone", [0], [_tag()]),
        ],
    ),
    Group(
        "WIRE-6",
        [
            _sent(
                "a dtype that the wire does not have is told before a mixture",
                [A],
                [_segment(30, 1, 2, dtype="int32"), _segment(40, 1, 2, dtype="uint16")],
                refusal=Refusal("TypeError", ("1", "uint16")),
            ),
            _sent(
                "the first dtype that is not that of the first segment",
                [A, _segment(30, 1, 2, dtype="float64")],
                [_segment(40, 1, 2, dtype="int8")],
                refusal=Refusal("TypeError", ("0", "float32", "float64")),
            ),
        ],
    ),
    *wire_bytes.GROUPS,
    *wire_reading.GROUPS,
)
