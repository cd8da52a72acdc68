"""Which modules with weights hang off a packer, however deep."""

from collections.abc import Iterator, Mapping
from inspect import getmro
from itertools import chain
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

__all__ = ["modules_with_weights"]

_ATOMS = (str, bytes, int, float, complex, bool, type(None), ModuleType, BuiltinFunctionType)
_MOST = 200_000


def modules_with_weights(root: object) -> list[str]:
    """Paths from `root` to every `torch.nn.Module` that holds a parameter or a buffer.

    Follows attributes (of the object and its classes), containers, closures and bound methods; `_MOST` objects at most.
    """
    import torch

    found: list[str] = []
    seen: dict[int, object] = {}  # keeps what it saw alive, so that ids stay unique
    queue: list[tuple[str, object]] = [("packer", root)]
    while queue and len(seen) < _MOST:
        path, value = queue.pop()
        if id(value) in seen or isinstance(value, _ATOMS):
            continue
        seen[id(value)] = value
        if isinstance(value, torch.nn.Module) and any(True for _ in chain(value.parameters(), value.buffers())):
            found.append(f"{path} ({type(value).__name__})")
            continue
        if isinstance(value, torch.Tensor):
            continue
        queue.extend((f"{path}{step}", part) for step, part in _parts(value))
    return sorted(found)


def _parts(value: Any) -> Iterator[tuple[str, object]]:
    if isinstance(value, Mapping):
        yield from ((f"[{key!r}]", part) for key, part in value.items())
    elif isinstance(value, (list, tuple, set, frozenset)):
        yield from ((f"[{index}]", part) for index, part in enumerate(value))
    if isinstance(value, MethodType):
        yield ".__self__", value.__self__
        value = value.__func__
    if isinstance(value, FunctionType):
        names = value.__code__.co_freevars
        for name, cell in zip(names, value.__closure__ or (), strict=True):
            try:
                yield f" closing over {name}", cell.cell_contents
            except ValueError:
                continue  # a cell not filled yet holds nothing
        return
    owners = value.__mro__ if isinstance(value, type) else type(value).__mro__
    for owner in owners:
        if owner.__module__.partition(".")[0] not in {"builtins", "torch", "transformers", "pydantic", "abc", "typing"}:
            yield from ((f".{name}", part) for name, part in vars(owner).items() if not name.startswith("__"))
    yield from ((f".{name}", part) for name, part in getattr(value, "__dict__", {}).items())
    for name in (slot for owner in getmro(type(value)) for slot in _slots(owner)):
        if hasattr(value, name):
            yield f".{name}", getattr(value, name)


def _slots(owner: type) -> list[str]:
    slots = vars(owner).get("__slots__", ())
    return [slots] if isinstance(slots, str) else [name for name in slots if not name.startswith("__")]
