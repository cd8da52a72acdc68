"""What a policy input holds of the caller's own objects: the same object, or the same memory."""

from collections.abc import Iterator, Mapping
from typing import Any

from packproof.views import fields_of

__all__ = ["shared"]


def shared(answer: Any, *given: Any) -> list[str]:
    """Where a policy input holds something mutable that `given` holds too, to any depth of lists and mappings."""
    theirs = [part for one in given for _, part in _mutable("", one)]
    own = [found for name, field in fields_of(answer).items() for found in _mutable(name, field)]
    return [name for name, part in own if any(part is one or _overlap(part, one) for one in theirs)]


def _mutable(name: str, value: Any, within: tuple[int, ...] = ()) -> Iterator[tuple[str, Any]]:
    """The value and its parts, by name, less what cannot be changed; `within` are those around it, by `id`."""
    import numpy as np
    import torch
    from pydantic import BaseModel

    if isinstance(value, Mapping):
        parts = [(f"{name}[{key!r}]", part) for key, part in value.items()]
    elif isinstance(value, (list, tuple)):
        parts = [(f"{name}[{index}]", part) for index, part in enumerate(value)]
    elif isinstance(value, BaseModel):
        parts = [(f"{name}.{field}", part) for field, part in fields_of(value).items()]
    else:
        parts = []
    if isinstance(value, (dict, list, BaseModel, np.ndarray, torch.Tensor)):
        yield name, value
    for step, part in parts:
        if id(part) not in within:
            yield from _mutable(step, part, (*within, id(value)))


def _overlap(first: Any, second: Any) -> bool:
    """Whether two arrays or tensors lie in the same memory."""
    import numpy as np

    arrays = [array for array in map(_array, (first, second)) if array is not None]
    return len(arrays) == 2 and np.shares_memory(*arrays)


def _array(value: Any) -> Any:
    """An array over the same memory, or None where NumPy can see none: a list, a sparse tensor, another device."""
    import numpy as np
    import torch

    if isinstance(value, torch.Tensor):
        try:
            return value.detach().numpy()
        except (TypeError, RuntimeError):
            return None
    return value if isinstance(value, np.ndarray) else None
