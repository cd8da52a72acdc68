"""Chapter wire: a packed field as one flat value with row borders, and a tag per sample that says how to undo it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from packer_spec.oracle.arrays import Array
from packer_spec.oracle.identity import canonical

__all__ = ["DTYPES", "PACKED_FIELDS", "Jagged", "Packed", "decode", "encode", "row_shapes_key"]

PACKED_FIELDS = (
    *("pixel_values", "pixel_values_videos", "image_grid_thw", "video_grid_thw", "second_per_grid_ts"),
    *("video_second_per_grid", "input_features", "feature_attention_mask", "image_sizes", "imgs_sizes", "num_frames"),
)
"""The names under which packed fields travel."""

DTYPES = (
    *("bool", "uint8", "int8", "int16", "int32", "int64"),
    *("float16", "bfloat16", "float32", "float64"),
)
"""The types that the wire can hold."""

_MODES = (None, "pad_to_max_shape", "patchify")
_KEYS = ("shapes", "preprocess_mode", "preprocess_kwargs")


@dataclass(frozen=True)
class Packed:
    """A packed field: the segments of each logical row, and how they are preprocessed to become a model input."""

    rows: tuple[tuple[Array, ...], ...]
    preprocess_mode: str | None = None
    preprocess_kwargs: Mapping[str, Any] = field(default_factory=dict)
    dim_to_pack: int = 0


@dataclass(frozen=True)
class Jagged:
    """The payload: row i is `values[offsets[i]:offsets[i + 1]]`, so there is one more offset than rows."""

    dtype: str
    values: tuple[int | float, ...]
    offsets: tuple[int, ...]


def row_shapes_key(field: str) -> str:
    """The name of the tag beside a packed field (WIRE-12)."""
    return f"{field}__row_shapes"


def encode(field: str, packed: Packed, sample_count: int) -> tuple[Jagged | None, list[dict[str, Any]] | None]:
    """The payload and one tag per sample (WIRE-2, WIRE-12, WIRE-13); None and None for no segment (WIRE-5).

    Each row becomes the join of its flattened segments, at their true shapes: nothing is padded or patchified (WIRE-3).
    `KeyError` for a name that is none of `PACKED_FIELDS` (WIRE-10), `NotImplementedError` for another dimension than 0,
    `TypeError` for two dtypes or one that is none of `DTYPES` (WIRE-6), `ValueError` where there are not as many rows
    as samples (WIRE-13).
    """
    if field not in PACKED_FIELDS:
        raise KeyError(f"{field} is not the name of a packed field")
    if packed.dim_to_pack != 0:
        raise NotImplementedError(f"{field}: dim_to_pack is {packed.dim_to_pack}, the wire takes 0 alone")
    placed = [(at, segment) for at, row in enumerate(packed.rows) for segment in row]
    if not placed:
        return None, None
    dtype = placed[0][1].dtype
    for at, segment in placed:
        if segment.dtype not in DTYPES:
            raise TypeError(f"{field}, row {at}: {segment.dtype} is none of {', '.join(DTYPES)}")
    for at, segment in placed:
        if segment.dtype != dtype:
            raise TypeError(f"{field}, row {at}: {segment.dtype} beside {dtype}")
    if len(packed.rows) != sample_count:
        raise ValueError(f"{field} has {len(packed.rows)} logical rows, and the batch has {sample_count} samples")
    values: list[int | float] = []
    offsets = [0]
    for row in packed.rows:
        for segment in row:
            values += segment.values
        offsets.append(len(values))
    return Jagged(dtype, tuple(values), tuple(offsets)), [_tag(field, row, packed) for row in packed.rows]


def decode(field: str, jagged: Jagged, tags: Sequence[Mapping[str, Any]] | None) -> Packed:
    """What `encode` was given: every row cut into its segments, at their true shapes, with its settings (WIRE-7).

    There is one row at least; they may be a selection, with the tags of the same samples (WIRE-16). `TypeError` for a
    dtype that is none of `DTYPES`, `ValueError` for offsets that do not begin with 0, go down or do not end with the
    number of values, and where the shapes of a row do not take up its length exactly (WIRE-8); `ValueError` for tags
    that are missing, malformed or in disagreement, compared as canonical JSON (WIRE-15).
    """
    _expect_payload(field, jagged)
    count = len(jagged.offsets) - 1
    if len(tags or ()) != count:
        raise ValueError(f"{field} has {count} rows, and there are {len(tags or ())} tags")
    own = [_own_tag(field, at, tag) for at, tag in enumerate(tags or ())]
    rows = []
    for at in range(count):
        row = jagged.values[jagged.offsets[at] : jagged.offsets[at + 1]]
        rows.append(_cut(f"{field}, row {at}", jagged.dtype, row, own[at]["shapes"]))
        if canonical(list(_settings(own[at]))) != canonical(list(_settings(own[0]))):
            raise ValueError(f"{field}, row {at}: the settings {_settings(own[at])} are not those of row 0")
    return Packed(tuple(rows), *_settings(own[0]))


def _tag(field: str, row: Sequence[Array], packed: Packed) -> dict[str, Any]:
    content = [list(segment.shape) for segment in row], packed.preprocess_mode, dict(packed.preprocess_kwargs)
    return {row_shapes_key(field): dict(zip(_KEYS, content, strict=True))}


def _own_tag(field: str, at: int, tag: Mapping[str, Any]) -> Mapping[str, Any]:
    key = row_shapes_key(field)
    if key not in tag:
        raise ValueError(f"{field}, row {at}: there is no tag {key}")
    own = tag[key]
    if type(own) is not dict or set(own) != set(_KEYS):
        found = sorted(own) if type(own) is dict else own
        raise ValueError(f"{field}, row {at}: the tag has {found}, expected the keys {', '.join(_KEYS)}")
    if not _are_shapes(own["shapes"]):
        raise ValueError(f"{field}, row {at}: the shapes are {own['shapes']}, expected lists of sizes from 0")
    if not _are_settings(*_settings(own)):
        raise ValueError(f"{field}, row {at}: the settings are {_settings(own)}")
    return own


def _are_shapes(given: Any) -> bool:
    lists = type(given) is list and all(type(shape) is list for shape in given)
    return lists and all(type(size) is int and size >= 0 for shape in given for size in shape)


def _are_settings(mode: Any, kwargs: Any) -> bool:
    """Whether a container can be made with these settings (MEDIA-2)."""
    if mode not in _MODES or type(kwargs) is not dict or set(kwargs) - {"patch_dim"}:
        return False
    size = kwargs.get("patch_dim", 0 if mode == "patchify" else 1)
    return type(size) is int and size >= 1


def _expect_payload(field: str, jagged: Jagged) -> None:
    if jagged.dtype not in DTYPES:
        raise TypeError(f"{field}: the dtype {jagged.dtype} is none of {', '.join(DTYPES)}")
    offsets, count = jagged.offsets, len(jagged.values)
    if offsets[0] != 0 or offsets[-1] != count or list(offsets) != sorted(offsets):
        raise ValueError(f"{field}: the offsets are {list(offsets)}, expected to rise from 0 to {count}")


def _settings(tag: Mapping[str, Any]) -> tuple[str | None, Mapping[str, Any]]:
    return tag["preprocess_mode"], tag["preprocess_kwargs"]


def _cut(where: str, dtype: str, row: Sequence[int | float], shapes: Sequence[Sequence[int]]) -> tuple[Array, ...]:
    wanted = sum(math.prod(shape) for shape in shapes)
    if wanted != len(row):
        raise ValueError(f"{where}: {wanted} elements expected of its shapes, {len(row)} found")
    segments, start = [], 0
    for shape in shapes:
        end = start + math.prod(shape)
        segments.append(Array(dtype, tuple(shape), tuple(row[start:end])))
        start = end
    return tuple(segments)
