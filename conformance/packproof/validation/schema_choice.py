"""Which schema is meant: by name, by `$id`, or by the path of a file."""

import difflib
from functools import lru_cache
from pathlib import Path
from typing import Any

from packer_schemas.schema_files import load_schema, schema_folder, schema_id, schema_names
from packproof.validation.foreign_schema import ForeignSchema
from packproof.validation.schema_check import OwnSchema
from packproof.violation import UsageError

__all__ = ["chosen_schema", "named_schema", "show_schemas", "unknown_schema"]


def show_schemas(name: str | None) -> str:
    """The text of one schema file, or, without a name, a line about each; `UsageError` for an unknown name."""
    if name is None:
        width = max(map(len, schema_names()))
        lines = (f"{one:<{width}}  {load_schema(one)['description'].partition(chr(10))[0]}" for one in schema_names())
        return "\n".join(lines)
    if name not in schema_names():
        raise UsageError(unknown_schema(name))
    return (schema_folder() / f"{name}.json").read_text(encoding="utf-8").rstrip("\n")


def chosen_schema(given: str) -> OwnSchema | ForeignSchema:
    """The schema that `--schema` names: one of ours, or a file; `UsageError` when it is neither."""
    if (own := named_schema(given)) is not None:
        return own
    path = Path(given)
    if not path.exists():
        raise UsageError(f"--schema: {unknown_schema(given)} There is no file of that name either.")
    return ForeignSchema(path)


@lru_cache
def named_schema(given: str) -> OwnSchema | None:
    """The published schema of that name or `$id`, or None."""
    return next((OwnSchema(name) for name in schema_names() if given in (name, schema_id(name))), None)


def unknown_schema(given: Any) -> str:
    """What to say of a name that no schema has."""
    names = schema_names()
    close = difflib.get_close_matches(str(given).rpartition("/")[2].removesuffix(".json"), names, n=2)
    hint = f"Did you mean {' or '.join(close)}?" if close else f"They are {', '.join(names)}."
    return f"unknown schema {given!r}. {hint} `packproof schema` lists them."
