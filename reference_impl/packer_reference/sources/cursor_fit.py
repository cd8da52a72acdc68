"""Whether a saved cursor is one of this run's loader: a document of this version, source and topology."""

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from packer_schemas import DataloaderState, canonical_json
from packer_schemas.canonical import json_path

__all__ = ["misfits"]

_PLACE = {"batches", "next_worker", "workers"}
"""Fields of a document that follow the place, and differ between two documents of one loader."""


def misfits(document: Any, own: Mapping[str, Any]) -> list[str]:
    """Why the loader whose document is `own`, at any place, cannot go on from `document`; empty where it can.

    One text for each field: its name, what the document has, and what the loader has. A document that is not complete
    and consistent is compared no further. Values are compared as canonical JSON. Raises `ValueError` when `own` itself
    is no document. Spec: resume, RESUME-10 to RESUME-12.
    """
    mine = DataloaderState.model_validate(own)
    if not isinstance(document, dict):
        return [f"expected the document of a loader, got {document!r}"]
    version = document.get("schema_version")
    if type(version) is not int or version != 1:
        return [f"schema_version: {version!r} in the cursor, 1 is read here"]
    try:
        saved = DataloaderState.model_validate(document, strict=True)
    except ValidationError as error:
        return [_fault(one, document) for one in error.errors()]
    theirs, ours = (dict(_fields(_without_place(one.model_dump()), ())) for one in (saved, mine))
    return [
        f"{name}: {_shown(theirs, name)} in the cursor, {_shown(ours, name)} here"
        for name in dict.fromkeys([*theirs, *ours])
        if theirs.get(name) != ours.get(name)
    ]


def _without_place(document: dict[str, Any]) -> dict[str, Any]:
    left = {name: value for name, value in document.items() if name not in _PLACE}
    if loaders := left.get("loaders"):
        left["loaders"] = {name: _without_place(one) for name, one in loaders.items() if name != "global_id"}
    return left


def _fields(value: Any, steps: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    """Every single value of a document, by its path."""
    if not isinstance(value, dict):
        yield json_path(steps), canonical_json(value)
        return
    for key, one in value.items():
        yield from _fields(one, (*steps, key))


def _shown(fields: Mapping[str, bytes], name: str) -> str:
    return fields[name].decode("utf-8") if name in fields else "nothing"


def _fault(error: Mapping[str, Any], document: Any) -> str:
    """What is wrong with a document, with the field; pydantic names the members of a union as if they were fields."""
    steps: list[str | int] = []
    for step in error["loc"]:
        if (isinstance(document, dict) and step in document) or (isinstance(document, list) and isinstance(step, int)):
            document = document[step]
            steps.append(step)
    if error["type"] == "missing":
        return f"{json_path([*steps, error['loc'][-1]])}: is missing"
    found = "" if isinstance(document, dict) else f", got {document!r}"
    said = error["msg"].removeprefix("Value error, ")
    return f"{json_path(steps)}: {said}{found}" if steps else said
