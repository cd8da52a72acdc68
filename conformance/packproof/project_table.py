"""The `[tool.packproof]` table of a project's pyproject.toml: every option of the plugin, by the same name."""

import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Any

from packproof.sources.paths import absolute
from packproof.violation import UsageError

__all__ = ["KEYS", "PROVED", "project_folder", "read_table"]

KEYS: dict[str, type] = {
    "packer": list,
    "packer-model": list,
    "packer-trust-remote-code": bool,
    "packer-selection": str,
    "packer-gate": str,
    "packer-routing": str,
    "source": list,
    "source-kwargs": dict,
    "source-run": str,
    "rollout": list,
    "objective": list,
    "trainer": list,
    "packer-spec": str,
    "packer-level": list,
    "packer-select": list,
    "packer-effort": str,
    "packer-seed": int,
    "packer-replay": list,
    "packer-known": str,
    "packer-report": str,
    "packer-lock": str,
}
"""Type of the value of every option."""

PROVED = ("packer", "source", "source-run", "rollout", "objective", "trainer")
"""The options that name something to prove."""


def project_folder(folder: Path) -> Path:
    """The nearest folder, from `folder` up, whose pyproject.toml has the table; `folder` where none has."""
    for one in (folder, *folder.parents):
        with suppress(OSError):
            if _has_table((one / "pyproject.toml").read_bytes()):
                return one
    return folder


def _has_table(raw: bytes) -> bool:
    """Whether a pyproject.toml has the table; one that may and cannot be read has it: reading it says what is wrong."""
    try:
        return b"packproof" in raw and "packproof" in tomllib.loads(raw.decode()).get("tool", {})
    except ValueError:
        return True


def read_table(rootpath: Path, folder: Path) -> dict[str, Any]:
    """The `[tool.packproof]` table of the project's pyproject.toml, checked, its paths as seen from `folder`."""
    file = rootpath / "pyproject.toml"
    try:
        tool = tomllib.loads(file.read_text(encoding="utf-8")).get("tool", {})
    except OSError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{file}: not TOML: {error}.") from error
    table = tool.get("packproof", {}) if isinstance(tool, dict) else {}
    if not isinstance(table, dict):
        raise UsageError(f"{file}: [tool] packproof = {table!r}: expected a table, [tool.packproof].")
    checked: dict[str, Any] = {}
    for name, value in table.items():
        kind = KEYS.get(name)
        if kind is None:
            raise UsageError(f"{file}: [tool.packproof] has no key {name!r}; expected one of {', '.join(KEYS)}.")
        given = [value] if kind is list and isinstance(value, str) else value
        if type(given) is not kind or (kind is list and not all(isinstance(one, str) for one in given)):
            wanted = "a list of strings" if kind is list else kind.__name__
            raise UsageError(f"{file}: [tool.packproof] {name} = {value!r}: expected {wanted}.")
        checked[name] = given if rootpath == folder else _from_root(name, given, rootpath)
    return checked


def _from_root(name: str, value: Any, rootpath: Path) -> Any:
    """Paths in the table are relative to its file, also when pytest runs in another folder."""
    if name in ("packer-known", "packer-report", "packer-lock"):
        return str(rootpath / value)
    if name == "source-kwargs":
        return {key: absolute(one, rootpath) for key, one in value.items()}
    if name == "packer-replay":
        return [str(rootpath / path) for path in value]
    if name == "packer-model":
        return [str(rootpath / model) if (rootpath / model).is_dir() else model for model in value]
    return value
