"""Callables named by a path, loaded with errors a user can act on."""

import difflib
import importlib
from collections.abc import Callable
from types import ModuleType
from typing import Any

__all__ = ["CallableImportError", "load_callable"]


class CallableImportError(ImportError, ValueError):
    """A configured path that leads to nothing; a `ValueError` too, because the path is somebody's setting."""


def load_callable(path: str) -> Callable[..., Any]:
    """The callable at `pkg.mod:attr` or `pkg.mod.attr`; `attr` may be dotted.

    Raises `CallableImportError` when the module is not there, fails to import, or lacks the attribute, and `TypeError`
    when the object found cannot be called. Every message holds `path`. Spec: selection, SEL-8.
    """
    if not isinstance(path, str):
        raise TypeError(f"load_callable: got {path!r}, expected a path such as 'my_package.packers:make_packer'")
    head, colon, tail = path.partition(":")
    names = [*head.split("."), *(tail.split(".") if colon else [])]
    if len(names) < 2 or not all(name.isidentifier() for name in names):
        raise CallableImportError(f"{path!r} is no path of a callable; expected 'package.module:name'")
    if colon:
        module, attributes = _import(head, path), tail.split(".")
    else:
        module, attributes = _longest_module(names, path)
    found: Any = module
    for name in attributes:
        if not hasattr(found, name):
            close = difflib.get_close_matches(name, dir(found), n=1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            owner = getattr(found, "__name__", type(found).__name__)
            raise CallableImportError(f"{path!r}: {owner!r} has no attribute {name!r}{hint}")
        found = getattr(found, name)
    if not callable(found):
        raise TypeError(f"{path!r} is a {type(found).__name__} and cannot be called")
    return found


def _longest_module(names: list[str], path: str) -> tuple[ModuleType, list[str]]:
    """The module that most of the dotted path names, and what is left of the path."""
    for split in range(len(names) - 1, 1, -1):
        try:
            return _import(".".join(names[:split]), path), names[split:]
        except _NotThereError:
            continue
    return _import(names[0], path), names[1:]


class _NotThereError(CallableImportError):
    """The module itself does not exist, as opposed to one that it imports."""


def _import(module: str, path: str) -> ModuleType:
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name and f"{module}.".startswith(f"{error.name}."):
            raise _NotThereError(
                f"{path!r}: there is no module {error.name!r}; install it, or add its folder to PYTHONPATH, "
                "on every node alike"
            ) from error
        raise CallableImportError(f"{path!r}: importing {module!r} failed: {error}") from error
    except Exception as error:
        raise CallableImportError(f"{path!r}: importing {module!r} failed: {type(error).__name__}: {error}") from error
