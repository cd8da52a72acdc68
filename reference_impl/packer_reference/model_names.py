"""Model ids and folders, checked before transformers sees them."""

import os
from pathlib import Path
from typing import Any

__all__ = ["model_name", "refuse_missing_folder"]


def model_name(name_or_path: Any, where: str) -> str:
    """`name_or_path` as a string; `ValueError` when it is empty, `TypeError` when it is no name at all."""
    if isinstance(name_or_path, os.PathLike):
        name_or_path = os.fspath(name_or_path)
    if name_or_path is None or (isinstance(name_or_path, str) and not name_or_path.strip()):
        raise ValueError(
            f"{where}: empty name_or_path {name_or_path!r}; "
            "pass the model id or folder that the model and the engine are built from"
        )
    if not isinstance(name_or_path, str):
        raise TypeError(f"{where}: name_or_path is {name_or_path!r}, expected a model id or the path of a folder")
    return name_or_path


def refuse_missing_folder(name: str, where: str) -> None:
    """Raise `FileNotFoundError` for a name that can only mean a folder, when there is no such folder."""
    # transformers would take it for a hub id; but those have at most one slash and start with a name.
    if Path(name).is_dir() or not (Path(name).is_absolute() or name.startswith((".", "~")) or name.count("/") > 1):
        return
    raise FileNotFoundError(f"{where}: there is no folder {name!r}; pass a model id or the path of a model folder")
