"""Chapter identity: the document of a packer's declarations, made and read."""

from collections.abc import Mapping
from typing import Any

from packer_spec.oracle.identity import canonical, sha256

__all__ = ["make", "read"]

_PARTS = ("semantics", "processor")
_FIELDS = {"schema_version": int, "packer": str, "parts": dict, "sha256": str}
_PART_FIELDS = {"value": dict, "sha256": str}
_BYTES = 65536


def make(packer: str, parts: Mapping[str, Any]) -> dict[str, Any]:
    """The identity document: every part with its digest, and one over the map from part name to part digest (IDENT-5).

    `packer` is information only and outside of every digest. `ValueError` for no parts, and for a part that is neither
    `semantics` nor `processor`; `ValueError` or `TypeError` for a part that is no declaration (IDENT-3).
    """
    _expect_names(parts)
    for name, value in parts.items():
        _expect_declaration(name, value)
    digests = {name: sha256(value) for name, value in parts.items()}
    return {
        "schema_version": 1,
        "packer": packer,
        "parts": {name: {"value": value, "sha256": digests[name]} for name, value in parts.items()},
        "sha256": sha256(digests),
    }


def read(document: Any) -> dict[str, Any]:
    """The document, if it is one: exactly the fields of the chapter, and every digest as it is computed anew (IDENT-5).

    `ValueError` that names the field otherwise.
    """
    _expect_fields("the document", document, _FIELDS)
    if document["schema_version"] != 1:
        raise ValueError(f"schema_version is {document['schema_version']}, expected 1")
    _expect_names(document["parts"])
    for name, part in document["parts"].items():
        _expect_fields(f"parts.{name}", part, _PART_FIELDS)
        try:
            _expect_declaration(f"parts.{name}.value", part["value"])
        except TypeError as error:
            raise ValueError(str(error)) from error
    again = make(document["packer"], {name: part["value"] for name, part in document["parts"].items()})
    for name, part in document["parts"].items():
        _expect_digest(f"parts.{name}.sha256", part["sha256"], again["parts"][name]["sha256"])
    _expect_digest("sha256", document["sha256"], again["sha256"])
    return document


def _expect_names(parts: Mapping[Any, Any]) -> None:
    if not parts or set(parts) - set(_PARTS):
        raise ValueError(f"the parts are {list(parts)}, expected one or both of {list(_PARTS)}")


def _expect_declaration(where: str, value: Any) -> None:
    """A map with an entry or more, of at most 65,536 bytes in canonical form (IDENT-3)."""
    if type(value) is not dict:
        raise TypeError(f"{where} is a {type(value).__name__}, expected a map")
    if not value:
        raise ValueError(f"{where} is an empty map")
    try:
        size = len(canonical(value).encode())
    except (ValueError, TypeError) as error:
        raise type(error)(f"{where}: {error}") from error
    if size > _BYTES:
        raise ValueError(f"{where} has {size} bytes in canonical form, expected at most {_BYTES}")


def _expect_fields(where: str, given: Any, fields: Mapping[str, type]) -> None:
    if type(given) is not dict or set(given) != set(fields):
        found = list(given) if type(given) is dict else type(given).__name__
        raise ValueError(f"{where} is {found}, expected the fields {', '.join(fields)}")
    for name, kind in fields.items():
        if type(given[name]) is not kind:
            raise ValueError(f"{name} in {where} is a {type(given[name]).__name__}, expected {kind.__name__}")


def _expect_digest(field: str, given: str, fits: str) -> None:
    if given != fits:
        raise ValueError(f"{field} is {given}, and its value has the digest {fits}")
