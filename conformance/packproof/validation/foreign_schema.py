"""Holds documents to a JSON Schema file of somebody else's, in which anything may be broken."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import jsonschema
from jsonschema.protocols import Validator
from referencing import Registry
from referencing.exceptions import Unresolvable

from packproof.validation.data_files import read_document
from packproof.validation.schema_words import problems_of
from packproof.validation.showing import Problem, place_of, show
from packproof.violation import UsageError
from packproof.wording import one_line

__all__ = ["ForeignSchema"]

_DRAFTS: dict[str, type[Validator]] = {
    "https://json-schema.org/draft/2020-12/schema": jsonschema.Draft202012Validator,
    "https://json-schema.org/draft/2019-09/schema": jsonschema.Draft201909Validator,
    "http://json-schema.org/draft-07/schema": jsonschema.Draft7Validator,
    "http://json-schema.org/draft-06/schema": jsonschema.Draft6Validator,
    "http://json-schema.org/draft-04/schema": jsonschema.Draft4Validator,
    "http://json-schema.org/draft-03/schema": jsonschema.Draft3Validator,
}
"""The drafts by the name that `$schema` gives them; the first holds where nothing is said."""

_FLAT: tuple[Any, ...] = (None, True, 0, 0.5, "", [], {})
"""Values that no sound schema can find too deep or too large."""

_SHALLOW = 10
"""Levels that every sound schema gets through; jsonschema takes some ten calls for each, and Python allows 1,000."""


class ForeignSchema:
    """A JSON Schema file; what it refers to has to be in the file, for nothing is fetched.

    `UsageError` for a file that cannot be read, and for what is no JSON Schema or refers to what is none.
    """

    def __init__(self, path: Path) -> None:
        self.name = one_line(str(path))
        self._schema = self._read(path)
        kind = self._kind()
        try:
            kind.check_schema(self._schema)
        except jsonschema.SchemaError as error:
            raise self._refusal(_why(error)) from error
        except RecursionError as error:
            raise self._refusal("nested too deep to be checked") from error
        self._validator: Validator = kind(self._schema, registry=Registry())
        for value in _FLAT:
            self._expect_end(value)

    def problems(self, document: Any, raw: bytes) -> list[Problem]:  # noqa: ARG002  as `OwnSchema.problems`
        """What is wrong with a document; nothing, when it keeps the schema."""
        try:
            return self._applied(document)
        except RecursionError:
            self._expect_end(_shallow(document, _SHALLOW))
            return [Problem("", "expected a document that this schema can be applied to, got one nested too deep")]
        except OverflowError:
            return [Problem("", "expected numbers that this schema can be applied to, got one too large to divide")]

    def _applied(self, document: Any) -> list[Problem]:
        try:
            errors = self._validator.iter_errors(document)
            return [problem for error in errors for problem in problems_of(error, self._schema)]
        except Unresolvable as error:
            said = f"--schema {self.name}: refers to {_reference(error)}, which is not in the file."
            raise UsageError(said) from error
        except (RecursionError, OverflowError):
            raise
        except Exception as error:  # only what no keyword holds, such as the target of a reference, is unchecked yet
            why = one_line(str(error).partition("\n")[0])[:100]
            raise self._refusal(f"something that it refers to is none ({type(error).__name__}: {why})") from error

    def _expect_end(self, value: Any) -> None:
        """`UsageError` where the schema comes to no end, though there is little to apply it to."""
        try:
            with suppress(OverflowError):
                self._applied(value)
        except RecursionError as error:
            raise UsageError(f"--schema {self.name}: refers to itself without an end.") from error

    def _read(self, path: Path) -> Any:
        try:
            document = read_document(path.read_bytes())
        except OSError as error:
            raise UsageError(f"--schema {self.name}: cannot be read: {error.strerror}.") from error
        for problem in document.problems:
            where = problem.path or (f"line {problem.line}" if problem.line else "")
            raise self._refusal(f"{where}: {problem.said}" if where else problem.said)
        if not isinstance(document.value, dict | bool):
            raise self._refusal(f"expected an object, got {show(document.value)}")
        return document.value

    def _kind(self) -> type[Validator]:
        """The validator for the draft that the schema is written in."""
        newest = next(iter(_DRAFTS))
        if not isinstance(self._schema, dict):
            return _DRAFTS[newest]
        named = self._schema.get("$schema", newest)
        kind = _DRAFTS.get(named.removesuffix("#")) if isinstance(named, str) else None
        if kind is None:
            raise self._refusal(f"$schema: expected {', '.join(_DRAFTS)} or no such key, got {show(named)}")
        if not set(self._schema) & {"$ref", *kind.VALIDATORS}:
            raise self._refusal("none of its keys is a keyword, so all would be valid")
        return kind

    def _refusal(self, why: str) -> UsageError:
        return UsageError(f"--schema {self.name}: not a JSON Schema: {why}.")


def _why(error: jsonschema.SchemaError) -> str:
    """What a draft has against a schema."""
    where = place_of(error.absolute_path) or "the schema"
    if error.validator == "format" and error.validator_value == "regex":
        return f"{where}: Python's `re` cannot read the pattern {show(error.instance)} ({error.cause})"
    return f"{where}: {one_line(error.message)[:200]}"


def _reference(error: Unresolvable) -> str:
    """A reference as it stands in the schema."""
    anchor = getattr(error, "anchor", None)
    ref = f"{error.ref}#{anchor}" if anchor is not None else error.ref
    return repr(f"#{ref}" if ref.startswith("/") else ref)


def _shallow(document: Any, levels: int) -> Any:
    """The document without what lies deeper in it than so many levels."""
    if not isinstance(document, dict | list):
        return document
    if levels == 0:
        return None
    if isinstance(document, dict):
        return {key: _shallow(item, levels - 1) for key, item in document.items()}
    return [_shallow(item, levels - 1) for item in document]
