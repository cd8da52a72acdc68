"""The library's own canonical JSON, identity documents and wire tags on the vectors."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from outcomes import expect_refusal, of, raised_by
from pydantic import TypeAdapter

from packer_schemas import DataloaderState, IdentityDocument, WireGeometry, canonical_json, identity_digest
from packer_spec.oracle.json_text import value_of_text
from packer_spec.oracle.typed_values import value_of
from packproof.vectors import vectors

MALFORMED = {
    *("shapes that are nothing", "a shape in the place of a list of shapes", "shapes a level too deep"),
    *("a size that is true", "a size that is a text", "a size with a fraction", "a negative size"),
    *(
        "a tag that is a list",
        "a tag that is nothing",
        "kwargs in a list",
        "a mode that is a number",
        "an unknown mode",
    ),
    *("patches of no size", "patches of the size 0", "patches of a negative size", "patches of a size that is a text"),
    *("patches of a size that is true", "a tag with a key too many"),
}
"""Notes of the wire vectors that one tag alone is the fault of, as far as its model knows."""


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
    expect_canonical(vector, plain(vector.input.value))


@of_input("text")
def test_canonical_json_of_a_text(vector: Any) -> None:
    """What a text stands for has the bytes and the digest of the vector, or the text is refused."""
    if vector.error is not None:
        with pytest.raises(raised_by(vector)):
            canonical_json(value_of_text(plain(vector.input.text)))
        return
    expect_canonical(vector, value_of_text(plain(vector.input.text)))


def expect_canonical(vector: Any, value: Any) -> None:
    """The value has the bytes and the digest of the vector."""
    assert canonical_json(value).hex() == vector.expected.hex
    assert canonical_json(value).decode() == vector.expected.canonical
    assert identity_digest(value) == vector.expected.sha256


@of_input("parts")
def test_documents_that_are_made(vector: Any) -> None:
    """`IdentityDocument.make` gives the digests of the vector, or refuses its parts and names them."""
    expect_document(
        vector,
        lambda: IdentityDocument.make(
            vector.input.packer, {name: plain(tree) for name, tree in vector.input.parts.items()}
        ),
    )


@of_input("document")
def test_documents_that_are_read(vector: Any) -> None:
    """The model reads the document of the vector, or refuses it and names the field."""
    expect_document(vector, lambda: IdentityDocument.model_validate(plain(vector.input.document)))


def expect_document(vector: Any, run: Callable[[], IdentityDocument]) -> None:
    """The document has the digests of the vector, or is refused in its words."""
    if vector.error is not None:
        expect_refusal(vector, run)
        return
    document = run()
    assert {name: part.sha256 for name, part in document.parts.items()} == vector.expected.parts
    assert document.sha256 == vector.expected.sha256


@pytest.mark.parametrize(
    "vector", [one for one in vectors("wire") if one.input.kind == "encode"], ids=lambda one: one.id
)
def test_tags_of_the_wire(vector: Any) -> None:
    """Every tag that a vector expects is a valid geometry, and nothing but plain JSON."""
    for tag in getattr(vector.expected, "tags", None) or ():
        written = {name: shapes.model_dump() for name, shapes in tag.items()}
        assert WireGeometry.model_validate(written).model_dump() == json.loads(json.dumps(written)) == written


@pytest.mark.parametrize(
    "vector", [one for one in vectors("wire") if one.input.kind == "decode"], ids=lambda one: one.id
)
def test_tags_that_are_malformed(vector: Any) -> None:
    """The geometry model takes the tags of every vector that is read, and none that is refused for one tag alone."""
    tags = TypeAdapter(list[WireGeometry])
    if vector.error is None:
        tags.validate_python(vector.input.tags)
    elif vector.note in MALFORMED:
        with pytest.raises(ValueError, match="row_shapes"):
            tags.validate_python(vector.input.tags)


@of("resume")
def test_saved_places(vector: Any) -> None:
    """The model of a loader's state takes the document of every vector that goes on, and refuses the others."""
    if vector.error is None:
        state = DataloaderState.model_validate(vector.input.document)
        assert state.model_dump(mode="json") == vector.input.document
    else:
        expect_refusal(vector, lambda: DataloaderState.model_validate(vector.input.document))
