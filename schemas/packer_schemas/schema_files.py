"""The JSON Schema files, found wherever the package is installed."""

import json
from pathlib import Path
from typing import Any

__all__ = ["load_schema", "schema_folder", "schema_id", "schema_names"]


def schema_folder() -> Path:
    """The folder of the JSON Schema files: inside the package in a wheel, beside it in a checkout."""
    package = Path(__file__).parent
    inside = package / "v1"
    return inside if inside.is_dir() else package.parent / "v1"


def schema_names() -> list[str]:
    """Names of the published schemas, sorted."""
    return sorted(path.stem for path in schema_folder().glob("*.json"))


def schema_id(name: str) -> str:
    """The `$id` of a published schema: an identifier, which nothing fetches."""
    return f"https://packproof.dev/schemas/v1/{name}.json"


def load_schema(name: str) -> dict[str, Any]:
    """The published schema of that name; `FileNotFoundError` when there is none."""
    return json.loads((schema_folder() / f"{name}.json").read_text(encoding="utf-8"))
