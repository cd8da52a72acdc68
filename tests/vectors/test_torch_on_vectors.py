"""Torch on the bytes of the wire: it knows every dtype that the wire has, and lays it down by itself."""

import sys
from typing import Any

import pytest
import torch

from packer_spec.oracle.typed_values import value_of
from packproof.vectors import vectors

BYTES = [one for one in vectors("wire") if one.input.kind == "bytes"]
INTEGERS = {2: torch.int16, 4: torch.int32, 8: torch.int64}


def element(tree: Any, dtype: torch.dtype) -> torch.Tensor:
    """One element as a tensor: of a float given by its bits, those bits."""
    plain = tree.model_dump(by_alias=True) if hasattr(tree, "model_dump") else tree
    if not isinstance(plain, dict) or "bits" not in plain:
        return torch.tensor(value_of(plain), dtype=dtype)
    bits, width = int(plain["bits"], 16), 4 * len(plain["bits"])
    assert width == 8 * dtype.itemsize
    return torch.tensor(bits - (bits >> (width - 1) << width), dtype=INTEGERS[dtype.itemsize]).view(dtype)


def segment(given: Any) -> torch.Tensor:
    """A segment of the vector."""
    dtype = getattr(torch, given.dtype)
    values = [element(tree, dtype) for tree in given.values]
    return (torch.stack(values) if values else torch.empty(0, dtype=dtype)).reshape(given.shape)


@pytest.mark.skipif(sys.byteorder == "big", reason="memory is compared with the wire, which is little-endian")
@pytest.mark.parametrize("vector", BYTES, ids=lambda vector: vector.id)
def test_bytes(vector: Any) -> None:
    """The flattened segments of all rows lie in memory as the vector says, and are cut where it says."""
    rows = [[segment(one).reshape(-1) for one in row] for row in vector.input.rows]
    flat = torch.cat([one for row in rows for one in row])
    offsets = [0]
    for row in rows:
        offsets.append(offsets[-1] + sum(one.numel() for one in row))
    assert str(flat.dtype) == f"torch.{vector.expected.dtype}"
    assert bytes(flat.view(torch.uint8).tolist()).hex() == vector.expected.bytes
    assert offsets == vector.expected.offsets


def test_every_dtype_has_bytes() -> None:
    """Each of the ten dtypes of the wire has vectors of its bytes."""
    assert {one.expected.dtype for one in BYTES} == {
        *("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64")
    }
