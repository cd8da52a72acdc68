"""How the documents of a file name their schema: by the option, a `$schema` of their own, or the file's first line."""

import json
from dataclasses import replace

from packproof.validation.data_files import DataFile, Document
from packproof.validation.foreign_schema import ForeignSchema
from packproof.validation.schema_check import OwnSchema
from packproof.validation.schema_choice import named_schema, unknown_schema
from packproof.validation.showing import Problem, show
from packproof.violation import UsageError

__all__ = ["Naming"]

_KEY = "$schema"
_HOW = (
    f'name it with --schema NAME, or in the data by a key "{_KEY}": in a JSON document, in each line of a JSON Lines '
    f'file, or alone in its first line: {{"{_KEY}": "trajectory"}}. `packproof schema` lists the names.'
)


class Naming:
    """Finds the schema of each document of one file; a schema that the user gave holds for all."""

    def __init__(self, file: DataFile, given: OwnSchema | ForeignSchema | None) -> None:
        self._file = file
        self._given = given
        self._common = named_schema("known-failures") if file.is_toml else None
        self._first = True

    def is_header(self, document: Document) -> bool:
        """Whether this is the first line of a JSON Lines file and only names the schema; that is then noted."""
        value, first = document.value, self._first and self._file.in_lines
        if not first or not isinstance(value, dict) or set(value) != {_KEY}:
            return False
        self._first = False
        if self._given is None:
            self._common = self._named(document)
        return True

    def schema_of(self, document: Document) -> tuple[OwnSchema | ForeignSchema, Document] | Problem:
        """The schema of a document and the document without the key that names it; or what is wrong with the name.

        `UsageError` when the first document of a file leaves the schema open, for then all of them do.
        """
        first, self._first = self._first, False
        value = document.value
        if isinstance(self._given, ForeignSchema):
            return self._given, document
        names_own = isinstance(value, dict) and _KEY in value
        try:
            schema = self._given or (self._named(document) if names_own else self._common)
            if schema is None:
                raise UsageError(f"{self._file.name}: nothing says which schema it is to keep: {_HOW}")
        except UsageError:
            if first or not self._file.in_lines:
                raise
            got = show(value[_KEY]) if names_own else "nothing"
            return Problem(_KEY, f"expected the name of a schema, got {got}")
        if names_own and not schema.has_schema_key:
            rest = {key: item for key, item in value.items() if key != _KEY}
            document = replace(document, value=rest, raw=json.dumps(rest).encode())
        return schema, document

    def _named(self, document: Document) -> OwnSchema:
        name = document.value[_KEY]
        schema = named_schema(name) if isinstance(name, str) else None
        if schema is None:
            raise UsageError(f"{self._file.name}: {unknown_schema(name)}")
        return schema
