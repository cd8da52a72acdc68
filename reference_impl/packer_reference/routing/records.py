"""Records of routed experts: read by value, held to their ids, and written in the smallest type."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from packer_schemas import MISSING_EXPERT, ROUTING_DTYPES
from packer_schemas.tensor import is_tensor

__all__ = [
    "all_or_none",
    "as_record",
    "expect_experts",
    "expect_layout",
    "expect_rows",
    "read_record",
    "sample_rows",
    "smallest_dtype",
]

_READ = (*ROUTING_DTYPES, "uint8", "uint16", "uint32")
_SHAPE = "[input ids - 1, layers, top_k]"


def read_record(where: str, record: Any) -> np.ndarray:
    """The record as an array of three axes, in its own type and memory; `where` begins every message.

    `TypeError` for anything but a NumPy array or tensor of int8, int16, int32, int64, uint8, uint16 or uint32,
    `ValueError` for one on another device than the CPU or with other than three axes. Spec: routing, ROUTE-2.
    """
    if is_tensor(record):
        dtype = str(record.dtype).removeprefix("torch.")
        if record.device.type != "cpu":
            raise ValueError(f"{where} lies on {record.device}, expected the CPU; move it there first")
        if str(record.layout) != "torch.strided":
            raise TypeError(f"{where} is a {record.layout} tensor, expected a dense one {_SHAPE}")
        if dtype in _READ:
            record = record.numpy()
    elif isinstance(record, np.ndarray):
        dtype = record.dtype.name
    else:
        got = f"{type(record).__module__}.{type(record).__qualname__}".removeprefix("builtins.")
        raise TypeError(f"{where} is a {got}, expected a NumPy array or tensor {_SHAPE} of {', '.join(_READ)}")
    if dtype not in _READ or not isinstance(record, np.ndarray):
        raise TypeError(f"{where} is a {dtype} {type(record).__name__}, expected {_SHAPE} of {', '.join(_READ)}")
    if record.ndim != 3:
        raise ValueError(f"{where} has shape {list(record.shape)}, expected {_SHAPE}")
    return record


def expect_rows(where: str, rows: np.ndarray, expected: int, of: str) -> None:
    """`ValueError` with both numbers for another number of rows; `of` says what asks for them. Spec: ROUTE-3."""
    if len(rows) != expected:
        raise ValueError(f"{where} has {len(rows)} row{'' if len(rows) == 1 else 's'}, expected {expected}: {of}")


def expect_layout(where: str, rows: np.ndarray, first: str, of_first: np.ndarray) -> None:
    """`ValueError` with both layouts unless layers and top_k are those of the first record. Spec: ROUTE-9."""
    if rows.shape[1:] != of_first.shape[1:]:
        raise ValueError(
            f"{where} has [layers, top_k] = {list(rows.shape[1:])}, {first} has {list(of_first.shape[1:])}; "
            "records that go together have one layout"
        )


def expect_experts(where: str, rows: np.ndarray, experts: int | None = None) -> int:
    """The largest expert id, -1 where there is none; `ValueError` for another number than ids and -1. Spec: ROUTE-4."""
    if not rows.size:
        return MISSING_EXPERT
    lowest, largest = int(rows.min()), int(rows.max())
    if lowest < MISSING_EXPERT:
        raise ValueError(f"{where} holds {lowest}, expected expert ids, or {MISSING_EXPERT} where none was recorded")
    if experts is not None and largest >= experts:
        raise ValueError(
            f"{where} holds expert {largest}, and the model has {experts} experts, 0 to {experts - 1}; "
            "was it recorded with another model?"
        )
    return largest


def sample_rows(where: str, policy_input: Any) -> np.ndarray:
    """The rows of a policy input's record: one per input id but the last, of expert ids and -1. Spec: ROUTE-2 to 4."""
    rows, length = read_record(where, policy_input.forward_routing), len(policy_input.input_ids)
    expect_rows(where, rows, length - 1, f"one per input id but the last, for {length} input_ids")
    expect_experts(where, rows)
    return rows


def all_or_none(where: str, records: Sequence[Any]) -> bool:
    """Whether there are records: True for all, False for none; `ValueError` for a mixture. Spec: ROUTE-8."""
    missing = [at for at, record in enumerate(records) if record is None]
    if missing and len(missing) < len(records):
        raise ValueError(
            f"{where}: sample {missing[0]} carries no forward_routing, and {len(records) - len(missing)} of "
            f"{len(records)} samples do; replay needs it on all of them or none"
        )
    return not missing and bool(records)


def smallest_dtype(largest: int) -> str:
    """The smallest signed type that holds this expert id. Spec: ROUTE-10."""
    return next(name for name in ROUTING_DTYPES if largest <= np.iinfo(name).max)


def as_record(parts: Sequence[np.ndarray]) -> Any:
    """A record of these rows in turn: a tensor of its own, in the smallest type; `parts` hold ids and -1, and are at
    least one. Spec: ROUTE-12."""
    import torch  # here, so that importing the package stays cheap

    largest = max(int(part.max(initial=0)) for part in parts)
    rows = np.empty((sum(map(len, parts)), *parts[0].shape[1:]), smallest_dtype(largest))
    np.concatenate(parts, out=rows, casting="unsafe")
    return torch.from_numpy(rows)
