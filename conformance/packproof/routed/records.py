"""Records of routed experts: from the plain data of a case to what a packer is handed, and back."""

from collections.abc import Sequence
from typing import Any

from packer_schemas.plain_array import Array as CaseArray
from packer_schemas.routing_cases import RecordContainer, RoutedSample
from packer_schemas.tensor import is_tensor
from packer_spec.oracle.arrays import Array

__all__ = [
    "RECORDED",
    "array_of",
    "handed",
    "length_of",
    "plain",
    "rows_of",
    "same_values",
    "shown",
    "signed_limit",
]

RECORDED = ("int8", "int16", "int32", "int64", "uint8")
"""Types that every packer takes; unsigned ones of 16 and 32 bits are free to be refused (ROUTE-2)."""


def length_of(sample: RoutedSample) -> int:
    """L, the number of its ids."""
    return len(sample.prompt_ids) + len(sample.completion)


def array_of(record: CaseArray) -> Array:
    """A record of a case, with its numbers as numbers."""
    values = tuple(int(value) if isinstance(value, str) else value for value in record.values)
    return Array(record.dtype, tuple(record.shape), values)


def handed(record: CaseArray | None, container: RecordContainer = "tensor") -> Any:
    """A record as it is handed over, in memory of its own; None where there is none."""
    import numpy as np
    import torch

    if record is None:
        return None
    if container == "meta tensor":
        return torch.empty(record.shape, dtype=getattr(torch, record.dtype), device="meta")
    made = np.array(array_of(record).values, record.dtype).reshape(record.shape)
    if container == "list":
        return made.tolist()
    return torch.from_numpy(made) if container == "tensor" else made


def plain(found: Any) -> Array | None:
    """A dense array or CPU tensor as plain data; None for anything else."""
    import numpy as np
    import torch

    if is_tensor(found):
        if found.device.type != "cpu" or found.layout != torch.strided or found.is_nested:
            return None
        dtype, values = str(found.dtype).removeprefix("torch."), found.detach().flatten().tolist()
    elif isinstance(found, np.ndarray):
        dtype, values = found.dtype.name, found.flatten().tolist()
    else:
        return None
    return Array(dtype, tuple(found.shape), tuple(values))


def rows_of(array: Array) -> list[tuple[int | float, ...]]:
    """The values of each row, that is of each entry on the first axis."""
    count = array.shape[0]
    size = len(array.values) // count if count else 0
    return [array.values[at * size : (at + 1) * size] for at in range(count)]


def signed_limit(dtype: str) -> int:
    """The largest number of a signed type by its name, and -1 for a type that is none."""
    bits = dtype.removeprefix("int")
    return 2 ** (int(bits) - 1) - 1 if dtype.startswith("int") and bits.isdigit() else -1


def same_values(one: Array | None, other: Array | None) -> bool:
    """Whether both hold the same numbers in the same shape, whatever their types; None is nothing but None."""
    if one is None or other is None:
        return one is other
    return one.shape == other.shape and one.values == other.values


def shown(array: Array | None) -> str:
    """A record on one line."""
    if array is None:
        return "None"
    values: Sequence[Any] = array.values
    text = ", ".join(map(str, values[:24])) + (", ..." if len(values) > 24 else "")
    return f"{array.dtype} {list(array.shape)}: {text or 'no values'}"
