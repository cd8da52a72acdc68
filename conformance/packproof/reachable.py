"""Which modules with weights hang off a packer, however deep."""

import gc
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from itertools import chain
from types import FrameType, FunctionType, MethodType, ModuleType, TracebackType
from typing import Any

from packproof.views import attributes_of

__all__ = ["modules_with_weights"]

_ATOMS = (str, bytes, int, float, complex, bool, type(None), type(Ellipsis), ModuleType, FrameType, TracebackType)
_OPAQUE = {"builtins", "itertools", "functools", "operator"}
_FOREIGN = {"builtins", "torch", "transformers", "pydantic", "abc", "typing"}
_MOST = 200_000


def modules_with_weights(root: object) -> list[str]:
    """Paths from `root` to every `torch.nn.Module` that holds a parameter or a buffer.

    Follows attributes (of the object and its classes), containers, what a function has bound, and what objects of
    Python's own types hold without showing it, such as iterators: `_MOST` objects at most. An object that raises when
    it is looked into, as a proxy of nothing does, is passed over.
    """
    found: list[str] = []
    seen: dict[int, object] = {}  # keeps what it saw alive, so that ids stay unique
    queue: list[tuple[str, object]] = [("packer", root)]
    while queue and len(seen) < _MOST:
        path, value = queue.pop()
        with suppress(Exception):
            if id(value) in seen or isinstance(value, _ATOMS):
                continue
            seen[id(value)] = value
            if _has_weights(value):
                found.append(f"{path} ({type(value).__name__})")
            else:
                queue.extend([(f"{path}{step}", part) for step, part in _parts(value)])
    return sorted(found)


def _has_weights(value: Any) -> bool:
    import torch

    return isinstance(value, torch.nn.Module) and any(True for _ in chain(value.parameters(), value.buffers()))


def _parts(value: Any) -> Iterator[tuple[str, object]]:
    """What hangs directly off a value, each with the step that leads there."""
    import numpy as np
    import torch

    if isinstance(value, torch.Tensor):
        return
    if isinstance(value, Mapping):
        yield from ((f"[{key!r}]", part) for key, part in value.items())
        yield from ((" key", key) for key in value if not isinstance(key, _ATOMS))
    elif isinstance(value, (list, tuple, set, frozenset, deque)):
        yield from ((f"[{index}]", part) for index, part in enumerate(value))
    elif isinstance(value, np.ndarray):
        yield from ((f".flat[{index}]", part) for index, part in enumerate(value.flat if value.dtype.hasobject else ()))
    elif isinstance(value, (MethodType, staticmethod, classmethod)):
        yield "", value.__func__
        yield ".__self__", getattr(value, "__self__", None)
    elif isinstance(value, property):
        yield from (("", function) for function in (value.fget, value.fset, value.fdel))
    elif isinstance(value, partial):
        yield from ((".func", value.func), (".args", value.args), (".keywords", value.keywords))
    elif isinstance(value, FunctionType):
        yield from _bound(value)
    elif type(value).__module__ in _OPAQUE and not isinstance(value, type):
        yield from ((f" in a {type(value).__name__}", part) for part in gc.get_referents(value))
    yield from _attributes(value)


def _bound(function: FunctionType) -> Iterator[tuple[str, object]]:
    """What a function closes over, and its default arguments."""
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            yield f" closing over {name}", cell.cell_contents
        except ValueError:
            continue  # a cell not filled yet holds nothing
    yield ".__defaults__", function.__defaults__
    yield ".__kwdefaults__", function.__kwdefaults__


def _attributes(value: Any) -> Iterator[tuple[str, object]]:
    """Attributes of the object and of its classes; of special ones only methods, which may have bound something."""
    for owner in value.__mro__ if isinstance(value, type) else type(value).__mro__:
        if owner.__module__.partition(".")[0] not in _FOREIGN:
            own = vars(owner).items()
            yield from ((f".{name}", p) for name, p in own if not name.startswith("__") or isinstance(p, FunctionType))
    yield from ((f".{name}", part) for name, part in attributes_of(value).items())
