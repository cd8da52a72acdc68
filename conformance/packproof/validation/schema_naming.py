"""How the documents of a file name their schema: by the option, a `$schema` of their own, or the file's first line."""

import json
from dataclasses import replace
from typing import Any

from packproof.validation.data_files import DataFile, Document
from packproof.validation.foreign_schema import ForeignSchema
from packproof.validation.schema_check import OwnSchema
from packproof.validation.schema_choice import close_names, named_schema
from packproof.validation.showing import Problem, show

__all__ = ["HOW_TO_NAME", "UNNAMED", "Naming"]

_KEY = "$schema"

HOW_TO_NAME = (
    f'name it with --schema NAME, or in the data by a key "{_KEY}": in a JSON document, in each line of a JSON Lines '
    f'file, or alone in its first line: {{"{_KEY}": "trajectory"}}. `packproof schema` lists the names.'
)

UNNAMED = Problem(_KEY, "expected the name of a schema, got nothing")
"""What is wrong with a document for which nothing names a schema."""


class Naming:
    """Finds the schema of each document of one file; a schema that the user gave holds for all."""

    def __init__(self, file: DataFile, given: OwnSchema | ForeignSchema | None) -> None:
        self._given = given
        self._common = named_schema("known-failures") if file.is_toml else None
        self._headed = file.in_lines
        self.silent = True
        """Whether no document has named a schema yet, known or not; what names none is then perhaps no data's fault."""

    def header(self, document: Document) -> list[Problem] | None:
        """What is wrong with a first line that only names the schema of the others; None for any other document."""
        headed, self._headed = self._headed, self._headed and not document.raw
        if not headed or not isinstance(document.value, dict) or set(document.value) != {_KEY}:
            return None
        if self._given is not None:
            return []
        named = self._named(document.value[_KEY])
        if isinstance(named, Problem):
            return [named]
        self._common = named
        return []

    def schema_of(self, document: Document) -> tuple[OwnSchema | ForeignSchema, Document] | Problem:
        """The schema of a document and the document without the key that names it; or what is wrong with the name.

        That is `UNNAMED` where nothing names one.
        """
        value = document.value
        if isinstance(self._given, ForeignSchema):
            return self._given, document
        names_own = isinstance(value, dict) and _KEY in value
        schema = self._given or (self._named(value[_KEY]) if names_own else self._common)
        if schema is None:
            return UNNAMED
        if isinstance(schema, Problem):
            return schema
        if names_own and not schema.has_schema_key:
            rest = {key: item for key, item in value.items() if key != _KEY}
            document = replace(document, value=rest, raw=json.dumps(rest).encode())
        return schema, document

    def _named(self, name: Any) -> OwnSchema | Problem:
        self.silent = False
        if isinstance(name, str) and (schema := named_schema(name)) is not None:
            return schema
        close = close_names(name) if isinstance(name, str) else []
        hint = f"did you mean {' or '.join(close)}?" if close else "`packproof schema` lists them"
        return Problem(_KEY, f"expected the name of a schema ({hint}), got {show(name)}")
