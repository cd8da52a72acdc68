"""Holds a document to a schema of ours, and to the model behind it."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from jsonschema import FormatChecker
from pydantic import TypeAdapter, ValidationError

from packer_schemas.published import PUBLISHED
from packer_schemas.schema_files import load_schema
from packproof.validation.schema_words import problems_of, resolved
from packproof.validation.showing import Problem, place_of, show
from packproof.validation.tensor_json import TensorValidator, tensor_of

__all__ = ["OwnSchema"]

_TOO_DEEP = "expected a document that its schema can be applied to, got one nested too deep"

Place = tuple[str | int, ...]


class OwnSchema:
    """A published schema. The model behind it is asked first: it is fast, and knows what no schema can say.

    The model reads no tensors from JSON: where all else is right, it is asked again with tensors made from the lists.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._schema = load_schema(name)
        self.has_schema_key = "$schema" in self._schema.get("properties", {})
        """Whether `$schema` belongs to the document itself, as in a file of vectors."""
        self._model = TypeAdapter(PUBLISHED[name])
        holds_tensors = "x-tensor" in json.dumps(self._schema)
        self._tensors = dict(_tensor_places(self._schema, self._schema)) if holds_tensors else {}
        self._validator = TensorValidator(self._schema, format_checker=FormatChecker(["date"]))

    def problems(self, document: Any, raw: bytes) -> list[Problem]:
        """What is wrong with a document, whose JSON text is `raw`; nothing, when it keeps schema and model."""
        tensors: dict[Place, Any] = {}
        for way, declared in self._tensors.items():
            tensors.update((place, tensor_of(block, declared)) for place, block in _found(way, document))
        refused = self._refusals(document, raw, tensors)
        if not refused and all(tensor is not None for tensor in tensors.values()):
            refused = self._refusals_whole(document, tensors) if tensors else []
            if not refused:
                return []
        try:
            errors = self._validator.iter_errors(document)
            found = [one for error in errors for one in problems_of(error, self._schema)]
        except RecursionError:  # the model gets further; it tells of every member of a union, down to the one meant
            told = [_problem_of(error, document) for error in refused]
            return [max(told, key=lambda problem: len(problem.path))] if told else [Problem("", _TOO_DEEP)]
        return found or [_problem_of(error, document) for error in refused]

    def _refusals(self, document: Any, raw: bytes, tensors: Mapping[Place, Any]) -> list[Any]:
        """What the model has against a document apart from its tensors, which it takes for lists."""
        if () in tensors or (tensors and not self._refusals_of(_without(document, tensors), tensors)):
            return []  # which takes a fraction of the time, for tensors are large
        return self._refusals_of(raw, tensors)

    def _refusals_of(self, raw: bytes, tensors: Mapping[Place, Any]) -> list[Any]:
        try:
            self._model.validate_json(raw, strict=True)
        except ValidationError as refused:
            return [error for error in _errors(refused) if error["loc"] not in tensors]
        return []

    def _refusals_whole(self, document: Any, tensors: Mapping[Place, Any]) -> list[Any]:
        """What the model has against a document with its tensors, where every field by itself is right.

        Python data are read less strictly, for there a list is no tuple; the JSON text has been read before.
        """
        for place, tensor in tensors.items():
            document = _with(document, tensor, *place)
        try:
            self._model.validate_python(document)
        except ValidationError as refused:
            return _errors(refused)
        return []


def _tensor_places(schema: Any, root: Any, way: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Way to and declaration of every tensor in a schema of ours; `*` is every item of an array."""
    schema = resolved(schema, root)
    if "x-tensor" in schema:
        yield way, schema["x-tensor"]
        return
    for member in schema.get("anyOf", ()):
        yield from _tensor_places(member, root, way)
    for key, field in schema.get("properties", {}).items():
        yield from _tensor_places(field, root, (*way, key))
    if "items" in schema:
        yield from _tensor_places(schema["items"], root, (*way, "*"))


def _found(way: Sequence[str], document: Any, place: Place = ()) -> Iterator[tuple[Place, list[Any]]]:
    """Every array on the way, with its place."""
    if not way:
        if isinstance(document, list):
            yield place, document
    elif way[0] == "*":
        for index, item in enumerate(document) if isinstance(document, list) else ():
            yield from _found(way[1:], item, (*place, index))
    elif isinstance(document, dict) and way[0] in document:
        yield from _found(way[1:], document[way[0]], (*place, way[0]))


def _with(document: Any, new: Any, *steps: str | int) -> Any:
    """A copy of the document, as deep as needed, with something new at the end of the steps."""
    if not steps:
        return new
    copy = document.copy()
    copy[steps[0]] = _with(document[steps[0]], new, *steps[1:])
    return copy


def _without(document: Any, tensors: Iterable[Place]) -> bytes:
    """The JSON text of a document in which every tensor is null."""
    for place in tensors:
        document = _with(document, None, *place)
    return json.dumps(document).encode()


def _errors(refused: ValidationError) -> list[Any]:
    return refused.errors(include_url=False, include_context=False, include_input=False)


def _problem_of(error: Mapping[str, Any], document: Any) -> Problem:
    """What a model says, at its place in the document: `loc` also names the members of unions, which are no keys."""
    path: list[str | int] = []
    for step in error["loc"]:
        held = document if isinstance(document, dict) else range(len(document)) if isinstance(document, list) else ()
        if step in held:
            path.append(step)
            document = document[step]
    said = error["msg"].removeprefix("Value error, ")
    if said.startswith("Input should be "):
        said = f"expected {said.removeprefix('Input should be ')}, got {show(document)}"
    elif not said.startswith("expected"):
        said = f"expected what the model takes, got {show(document)}: {said}"
    return Problem(place_of(path), said)
