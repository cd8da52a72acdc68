"""What a packer's call gave, as plain JSON data: types, dtypes, shapes and values, and nothing of the process."""

import hashlib
import math
from collections.abc import Mapping
from typing import Any

from packproof.views import attributes_of, fields_of

__all__ = ["described"]

_WRITTEN_OUT = 256
"""Entries of an array up to which its values stand in the description; a larger one enters by a digest."""


def described(value: Any) -> Any:
    """Plain JSON data that is equal exactly where two values are equal in type and content.

    Keys of mappings are sorted, for their order shapes nothing. Of an object count its attributes and not its class,
    which may move. What has neither attributes nor a plain form, such as a function, enters by the name of its type.
    """
    return _described(value, ())


def _described(value: Any, within: tuple[int, ...]) -> Any:
    if id(value) in within:
        return {"again": len(within) - within.index(id(value))}
    within = (*within, id(value))
    kind = type(value)
    if value is None or kind in (bool, int):
        return value
    if kind is str:
        return _text(value)
    if kind is float:
        return value if math.isfinite(value) else {"float": repr(value)}
    if kind is list:
        return [_described(one, within) for one in value]
    if isinstance(value, (list, tuple, set, frozenset)):
        parts = [_described(one, within) for one in value]
        return {kind.__name__: sorted(parts, key=repr) if isinstance(value, (set, frozenset)) else parts}
    if isinstance(value, Mapping):
        return {"mapping": {repr(key): _described(one, within) for key, one in value.items()}}
    if isinstance(value, (bytes, bytearray)):
        return {kind.__name__: hashlib.sha256(value).hexdigest()}
    return _array(value) or _object(value, within)


def _text(text: str) -> Any:
    """A text as it is, a lone surrogate in it by its escape."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return {"text": ascii(text)}
    return text


def _array(value: Any) -> dict[str, Any] | None:
    """A tensor, an array or a scalar of NumPy; None for anything else."""
    import numpy as np
    import torch

    if isinstance(value, torch.Tensor):
        if value.is_nested or value.layout != torch.strided or value.is_meta:
            return {"tensor": str(value.dtype), "layout": str(value.layout), "shape": str(value.shape)}
        plain = value.detach().cpu().contiguous()
        found, data = {"tensor": str(value.dtype), "device": value.device.type}, plain.view(-1).view(torch.uint8)
        small, raw = plain.numel() <= _WRITTEN_OUT, data.numpy().tobytes()
        whole = not (plain.is_floating_point() or plain.is_complex())
        shape = list(plain.shape)
    elif isinstance(value, (np.ndarray, np.generic)):
        plain = np.ascontiguousarray(value)
        found, raw, shape = {type(value).__name__: str(plain.dtype)}, plain.tobytes(), list(np.shape(value))
        small, whole = plain.size <= _WRITTEN_OUT, plain.dtype.kind in "biu"
    else:
        return None
    values = plain.reshape(-1).tolist() if small and whole else hashlib.sha256(raw).hexdigest()
    return {**found, "shape": shape, "values": values}


def _object(value: Any, within: tuple[int, ...]) -> dict[str, Any]:
    held = {} if isinstance(value, type) or callable(value) else attributes_of(value)
    if not held:
        return {"a": type(value).__name__}
    fields = {name: _described(one, within) for name, one in fields_of(value).items() if not name.startswith("__")}
    return {"fields": fields}
