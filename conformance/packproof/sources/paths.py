"""Paths among the keyword arguments of a source, which mean the same file in every process."""

from pathlib import Path
from typing import Any

__all__ = ["absolute"]


def absolute(value: Any, folder: Path) -> Any:
    """Paths of files below `folder`, absolute, also those in a list; anything else as it is.

    The name of a folder counts only with a slash in it: `train` is more often a split.
    """
    if isinstance(value, list):
        return [absolute(one, folder) for one in value]
    if isinstance(value, str | Path) and str(value) and _is_there(folder / value, "/" in str(value)):
        return type(value)(folder / value)
    return value


def _is_there(path: Path, folders: bool) -> bool:
    try:
        return path.is_file() or (folders and path.is_dir())
    except (OSError, ValueError):  # a name that no file can have
        return False
