"""Targets on the command line: `module:factory` and dotted paths, loaded with errors a user can act on."""

import difflib
import importlib
import importlib.util
import inspect
import sys
import sysconfig
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from packproof import limits
from packproof.capabilities import methods_of, satisfies
from packproof.violation import CaseTimeout, PackerExit, UsageError
from packproof.wording import printable

__all__ = ["describe", "import_from", "load_callable", "load_made", "load_object"]

_NAMED = {
    "--packer": "packers:make_packer",
    "--packer-gate": "gates:make_gate",
    "--source": "sources:make_source",
    "--source-run": "runs:make_run",
    "--rollout": "rollouts:make_rollout",
    "--objective": "objectives:make_objective",
    "--trainer": "trainers:make_trainer",
}
"""A factory of each kind, as an example."""

_LIBRARIES = ("<", str(Path(__file__).parent), sysconfig.get_path("stdlib"))


def load_object(path: str, option: str) -> Any:
    """The object at `pkg.mod:attr` or `pkg.mod.attr`, or the module `pkg.mod` itself.

    Raises `UsageError`, naming `option` and `path`, when there is none or when its module fails to import.
    """
    module_name, colon, attribute = path.partition(":")
    if not module_name or path.endswith(".") or (colon and not all(attribute.split("."))):
        example = _NAMED.get(option, "things:make_thing")
        raise UsageError(f"{option} {path!r}: expected module:factory, for example my_package.{example}")
    try:
        with limits.guarded(limits.SETUP_LIMIT_S, spare_imports=False):
            return _load(path, option, module_name, attribute)
    except CaseTimeout:
        raise UsageError(f"{option} {path!r}: importing it did not finish within {limits.SETUP_LIMIT_S:g} s.") from None
    except (PackerExit, SystemExit) as error:
        raise UsageError(f"{option} {path!r}: importing it tried to end the process (exit {error.code}).") from None
    except (UsageError, KeyboardInterrupt):
        raise
    except BaseException as error:  # from the module, or from the search for it in its package
        raise UsageError(f"{option} {path!r}: importing it failed: {describe(error)}") from error


def _load(path: str, option: str, module_name: str, attribute: str) -> Any:
    if ":" not in path and not _is_module(module_name):
        module_name, _, attribute = path.rpartition(".")
        if not _is_module(module_name):
            module_name, attribute = _inside_a_class(module_name, attribute)
    if not module_name or not _is_module(module_name):
        missing = module_name or path
        hint = _file_hint(path) or (
            " Run from the folder that holds it, or install it; packproof adds the current folder to the import path."
        )
        raise UsageError(f"{option} {path!r}: there is no module {missing!r}.{hint}")
    try:
        found: Any = importlib.import_module(module_name)
    except Exception as error:
        raise UsageError(f"{option} {path!r}: importing {module_name!r} failed: {describe(error)}") from error
    for name in filter(None, attribute.split(".")):
        if not hasattr(found, name):
            close = difflib.get_close_matches(name, dir(found), n=1)
            hint = _file_hint(path) or (f" Did you mean {close[0]!r}?" if close else "")
            raise UsageError(f"{option} {path!r}: {module_name!r} has no attribute {name!r}.{hint}")
        found = getattr(found, name)
    return found


def _file_hint(path: str) -> str:
    """What to write instead of the name of a file; an empty string where `path` begins with none."""
    file, colon, attribute = path.partition(":")
    if not (file.endswith(".py") or "/" in file):
        return ""
    return f" Name the module and not its file, {Path(file).stem + colon + attribute!r}, from the folder that holds it."


def import_from(*folders: Path) -> None:
    """Put folders on the import path, the last one in front; no command does, and packers usually live there."""
    for folder in map(str, folders):
        if folder not in sys.path:
            sys.path.insert(0, folder)


def _inside_a_class(owner: str, attribute: str) -> tuple[str, str]:
    """For `pkg.mod.Class` and `make`: `pkg.mod` and `Class.make`; as they are where nothing there has such a name."""
    names = owner.split(".")
    for split in range(len(names) - 1, 0, -1):
        module = ".".join(names[:split])
        if module in sys.modules:  # imported by the search for `owner`
            inside = hasattr(sys.modules[module], names[split])
            return (module, ".".join([*names[split:], attribute])) if inside else (owner, attribute)
    return owner, attribute


def load_callable(path: str, option: str) -> Callable[..., Any]:
    """As `load_object`, for something that can be called."""
    found = load_object(path, option)
    if not callable(found):
        factory = _NAMED.get(option, "things:make_thing").partition(":")[2]
        hint = f" Name the factory in it: {path}:{factory}, say." if inspect.ismodule(found) else ""
        raise UsageError(f"{option} {path!r}: expected a callable, got {type(found).__name__}.{hint}")
    return found


def load_made(given: Any, option: str, protocol: Any, noun: str) -> Any:
    """An object of `protocol`, as it is or from a factory's name; `UsageError`, which calls it `noun`, for others."""
    found = given
    if isinstance(given, str):
        factory = load_callable(given, option)
        try:
            found = factory()
        except Exception as error:
            raise UsageError(f"{option} {given!r}: it raised {describe(error)}, expected {noun}.") from error
    if isinstance(found, type) or not satisfies(found, protocol):
        wanted = f"an object with {', '.join(methods_of(protocol))}"
        raise UsageError(f"{option} {given!r}: expected a factory of {noun}, {wanted}.")
    return found


def describe(error: BaseException) -> str:
    """An exception in one line, with the last frame of the user's code: `KeyError: 'x' (packers.py:12 in setup)`.

    Where there is none, the last frame of a library; one inside Python's own import system tells nobody anything.
    """
    text = printable(f"{type(error).__name__}: {_message(error)}".strip().replace("\n", " "))
    text = text if len(text) <= 300 else text[:297] + "..."
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return text
    own = (frame for frame in reversed(frames) if not _is_library(frame.filename))
    last = next(own, frames[-1])
    if last.filename.startswith("<frozen "):
        return text
    return f"{text} ({last.filename.rpartition('/')[2]}:{last.lineno} in {last.name})"


def _message(error: BaseException) -> str:
    """What an exception says; that its `__str__` is broken, where it is."""
    try:
        return str(error)
    except Exception as broken:
        return f"(its text cannot be read: {type(broken).__name__})"


def _is_library(filename: str) -> bool:
    return filename.startswith(_LIBRARIES) or "site-packages" in filename


def _is_module(name: str) -> bool:
    """Whether a module of this name can be found, without running it."""
    parts = name.split(".")
    if not all(part.isidentifier() for part in parts):
        return False
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError as error:  # of the name itself, or of something its parent package imports
        return error.name is not None and not f"{name}.".startswith(f"{error.name}.")
    except (ImportError, AttributeError, ValueError):
        return True  # the parent package exists and is broken: importing it says how
    except Exception:
        return True
