"""Chapter wire: a packed field as one flat value with row borders, and a tag per sample that says how to undo it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from packer_spec.oracle.arrays import Array

__all__ = ["Jagged", "Packed", "decode", "encode", "row_shapes_key"]


@dataclass(frozen=True)
class Packed:
    """A packed field: the segments of each logical row, and how they are preprocessed to become a model input."""

    rows: tuple[tuple[Array, ...], ...]
    preprocess_mode: str | None
    preprocess_kwargs: Mapping[str, Any]


@dataclass(frozen=True)
class Jagged:
    """The payload on the wire: row i is `values[offsets[i]:offsets[i + 1]]`, so there is one more offset than rows."""

    dtype: str
    values: tuple[int | float, ...]
    offsets: tuple[int, ...]


def row_shapes_key(field: str) -> str:
    """The name of the tag beside a packed field."""
    return f"{field}__row_shapes"


def encode(field: str, packed: Packed, sample_count: int) -> tuple[Jagged | None, list[dict[str, Any]] | None]:
    """The payload and one tag per sample; None and None where no row has a segment.

    Each row becomes the join of its flattened segments, at their true shapes: nothing is padded or patchified. A row
    without segments has length 0 and an empty list of shapes. `ValueError` where there are not as many rows as samples,
    and `TypeError` for segments of more than one dtype.
    """
    segments = [segment for row in packed.rows for segment in row]
    if not segments:
        return None, None
    if len(packed.rows) != sample_count:
        raise ValueError(f"{field} has {len(packed.rows)} logical rows, and the batch has {sample_count} samples")
    dtypes = sorted({segment.dtype for segment in segments})
    if len(dtypes) > 1:
        raise TypeError(f"{field} has segments of {' and '.join(dtypes)}, expected one dtype")
    values: list[int | float] = []
    offsets = [0]
    for row in packed.rows:
        for segment in row:
            values += segment.values
        offsets.append(len(values))
    tags = [_tag(field, row, packed) for row in packed.rows]
    return Jagged(dtypes[0], tuple(values), tuple(offsets)), tags


def decode(field: str, jagged: Jagged, tags: Sequence[Mapping[str, Any]] | None) -> Packed:
    """What `encode` was given: every row cut into its segments, at their true shapes, with its settings.

    `ValueError` where no sample has a tag of the field, where there are not as many tags as rows, and where the shapes
    of a row do not take up its length exactly. A sample without the tag has no segments.
    """
    key = row_shapes_key(field)
    own = [tag[key] for tag in tags or () if key in tag]
    if not own:
        raise ValueError(f"{field} has no {key} in any of {len(tags or ())} tags")
    assert tags is not None
    count = len(jagged.offsets) - 1
    if len(tags) != count:
        raise ValueError(f"{field} has {count} rows, and there are {len(tags)} tags")
    rows = []
    for at in range(count):
        row = jagged.values[jagged.offsets[at] : jagged.offsets[at + 1]]
        shapes = tags[at][key]["shapes"] if key in tags[at] else []
        rows.append(_cut(f"{field}, row {at}", jagged.dtype, row, shapes))
    return Packed(tuple(rows), own[0]["preprocess_mode"], own[0]["preprocess_kwargs"])


def _tag(field: str, row: Sequence[Array], packed: Packed) -> dict[str, Any]:
    return {
        row_shapes_key(field): {
            "shapes": [list(segment.shape) for segment in row],
            "preprocess_mode": packed.preprocess_mode,
            "preprocess_kwargs": dict(packed.preprocess_kwargs),
        }
    }


def _cut(where: str, dtype: str, row: Sequence[int | float], shapes: Sequence[Sequence[int]]) -> tuple[Array, ...]:
    wanted = sum(math.prod(shape) for shape in shapes)
    if wanted != len(row):
        raise ValueError(f"{where} has {len(row)} values, and its shapes describe {wanted}")
    segments, start = [], 0
    for shape in shapes:
        end = start + math.prod(shape)
        segments.append(Array(dtype, tuple(shape), tuple(row[start:end])))
        start = end
    return tuple(segments)
