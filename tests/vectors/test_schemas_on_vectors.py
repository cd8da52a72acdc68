"""The library's own canonical JSON, identity documents and wire tags on the vectors."""

import json
from typing import Any

import pytest
from outcomes import of, raised_by

from packer_schemas import IdentityDocument, WireGeometry, canonical_json, identity_digest
from packer_spec.oracle.typed_values import value_of
from packproof.vectors import vectors


def of_input(field: str) -> Any:
    """Parametrises a test over the identity vectors whose input has a field."""
    chosen = [one for one in vectors("identity") if hasattr(one.input, field)]
    return pytest.mark.parametrize("vector", chosen, ids=lambda vector: vector.id)


def plain(tree: Any) -> Any:
    """The value of a tagged tree."""
    return value_of(tree.model_dump(by_alias=True) if hasattr(tree, "model_dump") else tree)


@of_input("value")
def test_canonical_json(vector: Any) -> None:
    """`canonical_json` gives the bytes of the vector and `identity_digest` its SHA-256, or both refuse the value."""
    if vector.error is not None:
        for of_value in (canonical_json, identity_digest):
            with pytest.raises(raised_by(vector)):
                of_value(plain(vector.input.value))
        return
    value = plain(vector.input.value)
    assert canonical_json(value).hex() == vector.expected.hex
    assert canonical_json(value).decode() == vector.expected.canonical
    assert identity_digest(value) == vector.expected.sha256


@of_input("parts")
def test_identity_documents(vector: Any) -> None:
    """`IdentityDocument.make` gives the digests of the vector, or refuses its parts."""
    packer = vector.input.packer
    if vector.error is not None:
        with pytest.raises(raised_by(vector)):
            IdentityDocument.make(packer, {name: plain(tree) for name, tree in vector.input.parts.items()})
        return
    document = IdentityDocument.make(packer, {name: plain(tree) for name, tree in vector.input.parts.items()})
    assert {name: part.sha256 for name, part in document.parts.items()} == vector.expected.parts
    assert document.sha256 == vector.expected.sha256


@of("wire", "WIRE-2", "WIRE-3", "WIRE-4", "WIRE-13")
def test_tags_of_the_wire(vector: Any) -> None:
    """Every tag that a vector expects is a valid geometry, and nothing but plain JSON."""
    for tag in getattr(vector.expected, "tags", None) or ():
        written = {name: shapes.model_dump() for name, shapes in tag.items()}
        assert WireGeometry.model_validate(written).model_dump() == json.loads(json.dumps(written)) == written
