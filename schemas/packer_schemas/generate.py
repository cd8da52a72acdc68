"""Writes the JSON Schema files from the models: `python -m packer_schemas.generate`, from a checkout."""

import json
import re
from typing import Any

from pydantic import TypeAdapter

from packer_schemas.published import PUBLISHED
from packer_schemas.schema_files import schema_folder, schema_id

__all__ = ["schema_document", "schema_text"]

_FIRST, _LAST = ("$schema", "$id", "title", "description"), ("$defs",)


def schema_text(name: str) -> str:
    """The content of a schema file, whatever the version of pydantic from 2.9 on."""
    return json.dumps(schema_document(name), indent=2, ensure_ascii=False) + "\n"


def schema_document(name: str) -> dict[str, Any]:
    """The JSON Schema 2020-12 document of one published type: fields in the model's order, keywords sorted."""
    made = _settled(TypeAdapter(PUBLISHED[name]).json_schema(mode="validation"))
    _require_tags(made, made.get("$defs", {}))
    made["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    made["$id"] = schema_id(name)
    made.setdefault("title", name.replace("-", " ").capitalize())
    between = sorted(set(made) - {*_FIRST, *_LAST})
    return {key: made[key] for key in (*_FIRST, *between, *_LAST) if key in made}


def _settled(schema: Any) -> Any:
    """The schema without what pydantic's versions word differently or only repeat."""
    if isinstance(schema, list):
        return [_settled(item) for item in schema]
    if isinstance(schema, float) and schema.is_integer():
        return int(schema)  # 2.9 writes 0.0, later versions 0
    if not isinstance(schema, dict):
        return schema
    settled = {key: _settled(value) for key, value in schema.items()}
    if "const" in settled:
        settled.pop("enum", None)  # 2.9 says it twice
    if settled.get("additionalProperties") is True:
        del settled["additionalProperties"]  # the same as its absence, which 2.9 writes
    if isinstance(description := settled.get("description"), str):
        settled["description"] = re.sub(r"(?<!\n)\n(?!\n)", " ", description)  # keep paragraphs, join their lines
    if isinstance(fields := settled.get("properties"), dict):
        for field in fields.values():
            field.pop("title", None)  # only the field's name in other words
    return settled


def _require_tags(schema: Any, definitions: dict[str, Any]) -> None:
    """Make the key that tells the members of a union apart required in each: no model reads a union without it."""
    for item in schema.values() if isinstance(schema, dict) else schema:
        if isinstance(item, dict | list):
            _require_tags(item, definitions)
    if isinstance(schema, dict) and isinstance(union := schema.get("discriminator"), dict):
        for target in union["mapping"].values():
            member = definitions[target.rpartition("/")[2]]
            member["required"] = list(dict.fromkeys([union["propertyName"], *member.get("required", ())]))


def main() -> None:
    """Write every file of the checkout's `schemas/v1/` anew."""
    folder = schema_folder()
    folder.mkdir(exist_ok=True)
    for path in folder.glob("*.json"):
        if path.stem not in PUBLISHED:
            path.unlink()
    for name in PUBLISHED:
        (folder / f"{name}.json").write_text(schema_text(name), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
