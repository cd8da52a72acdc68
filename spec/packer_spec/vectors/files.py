"""The vector files, as text."""

import json
from typing import Any

from packer_spec.vectors import authority, collation, dataflow, identity, masks, resume, routing, sharding, wire
from packer_spec.vectors.probe import vectors_of

__all__ = ["VECTORS_SPEC", "VECTOR_NAMES", "text_of"]

VECTORS_SPEC = "0.2"
"""The version of the specification that the vectors belong to."""

_TABLES = {
    "masks": masks,
    "authority": authority,
    "collation": collation,
    "identity": identity,
    "routing": routing,
    "sharding": sharding,
    "wire": wire,
    "dataflow": dataflow,
    "resume": resume,
}

VECTOR_NAMES = tuple(_TABLES)
"""The files: `NAME.json` each."""


def text_of(name: str) -> str:
    """The text of one file: JSON in ASCII, three lines a vector; `KeyError` when there is none of that name."""
    table = _TABLES[name]
    vectors = vectors_of(name, table.GROUPS, table.answer)
    head = {
        "$schema": f"https://packproof.dev/schemas/v1/vectors-{name}.json",
        "spec": VECTORS_SPEC,
        "description": table.DESCRIPTION,
    }
    lines = "".join(f"  {_json(key)}: {_json(value)},\n" for key, value in head.items())
    return "{\n" + lines + '  "vectors": [\n' + ",\n".join(map(_three_lines, vectors)) + "\n  ]\n}\n"


def _three_lines(vector: dict[str, Any]) -> str:
    """What it is, what goes in, and what comes out."""
    about = {name: vector[name] for name in ("id", "requirement", "note")}
    outcome = next(name for name in ("expected", "error") if name in vector)
    rest = [f"{_json(name)}: {_json(vector[name])}" for name in ("input", outcome)]
    return "    " + ",\n     ".join([_json(about)[:-1], *rest]) + "}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, allow_nan=False)
