"""Which schema is meant: by name, by `$id`, or by the path of a file."""

import difflib
from functools import lru_cache
from pathlib import Path

from packer_schemas.schema_files import load_schema, schema_folder, schema_id, schema_names
from packproof.validation.foreign_schema import ForeignSchema
from packproof.validation.schema_check import OwnSchema
from packproof.violation import UsageError

__all__ = ["chosen_schema", "close_names", "named_schema", "show_schemas"]


def show_schemas(name: str | None) -> str:
    """The text of the schema of that name or `$id`; without one, a line about each. `UsageError` for an unknown one."""
    if name is None:
        width = max(map(len, schema_names()))
        lines = (f"{one:<{width}}  {load_schema(one)['description'].partition(chr(10))[0]}" for one in schema_names())
        return "\n".join(lines)
    own = _name_of(name)
    if own is None:
        raise UsageError(_unknown(name))
    return (schema_folder() / f"{own}.json").read_text(encoding="utf-8").rstrip("\n")


def chosen_schema(given: str) -> OwnSchema | ForeignSchema:
    """The schema that `--schema` names: one of ours, or a file; `UsageError` when it is neither."""
    if (own := named_schema(given)) is not None:
        return own
    if not given:
        raise UsageError("--schema '': expected the name of a schema or the path of a file, got nothing.")
    path = Path(given)
    try:
        path.stat()
    except OSError as error:
        raise UsageError(f"--schema: {_unknown(given)} There is no file of that name either.") from error
    return ForeignSchema(path)


@lru_cache
def named_schema(given: str) -> OwnSchema | None:
    """The published schema of that name or `$id`, or None."""
    name = _name_of(given)
    return OwnSchema(name) if name is not None else None


def close_names(given: str) -> list[str]:
    """Names of schemas that are close to one that no schema has."""
    return difflib.get_close_matches(given[-90:].rpartition("/")[2].removesuffix(".json"), schema_names(), n=2)


def _name_of(given: str) -> str | None:
    return next((name for name in schema_names() if given in (name, schema_id(name))), None)


def _unknown(given: str) -> str:
    """What to say of a name that no schema has."""
    close = close_names(given)
    hint = f"Did you mean {' or '.join(close)}?" if close else f"They are {', '.join(schema_names())}."
    shown = repr(given) if len(given) <= 60 else f"{given[:57] + '...'!r}"
    return f"unknown schema {shown}. {hint} `packproof schema` lists them."
