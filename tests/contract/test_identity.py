"""Canonical JSON and the identities that stand on it: one byte string for one value, and nothing guessed."""

import collections
import enum
import hashlib
import json
from typing import Any

import numpy as np
import pytest
from case_strategies import json_objects, json_values
from hypothesis import given
from hypothesis import strategies as st
from published_strategies import PINNED
from pydantic import ValidationError

from packer_schemas import IdentityDocument, canonical_json, identity_digest
from packer_schemas.canonical import json_path


class Colour(enum.IntEnum):
    """An enum whose members pass for integers."""

    RED = 1


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        ([True, 1, 1.0, -0.0], "[true,1,1.0,-0.0]"),
        ([10**30, 1e16, 1e-7, 0.1], f"[{10**30},1e+16,1e-07,0.1]"),
        ({"b": {}, "a": [], "B": ""}, '{"B":"","a":[],"b":{}}'),
        ({"\uffff": 1, "\U0001f600": 2}, '{"\uffff":1,"\U0001f600":2}'),
        ('é\u2028\x7f"\\/\n\x01', '"é\u2028\x7f\\"\\\\/\\n\\u0001"'),
    ],
)
def test_canonical_json_is_one_text_for_one_value(value: Any, text: str) -> None:
    """No white space, keys by code point, nothing escaped needlessly, integers in full, floats as repr."""
    assert canonical_json(value) == text.encode("utf-8")


@PINNED
@given(json_values)
def test_canonical_json_reads_back_as_the_same_value(value: Any) -> None:
    """It is JSON, it reads back equal, and writing that down gives the same bytes."""
    text = canonical_json(value)
    assert json.loads(text) == value
    assert canonical_json(json.loads(text)) == text


@PINNED
@given(json_objects, st.randoms(use_true_random=False))
def test_the_order_of_keys_does_not_matter(value: dict[str, Any], random: Any) -> None:
    """An object whose keys come in another order has the same digest."""
    keys = list(value)
    random.shuffle(keys)
    assert identity_digest({key: value[key] for key in keys}) == identity_digest(value)


def test_one_and_true_and_a_fraction_are_three_values() -> None:
    """`1`, `1.0`, `true` and `"1"` have four digests."""
    assert len({identity_digest(value) for value in (1, 1.0, True, "1")}) == 4


@pytest.mark.parametrize(
    ("value", "error", "said"),
    [
        (float("nan"), ValueError, "nan is not in JSON, expected a finite number"),
        (float("-inf"), ValueError, "-inf is not in JSON"),
        ("a\ud800", ValueError, r"the lone surrogate '\\ud800' in 'a\\ud800' is no text"),
        ({"\udfff": 1}, ValueError, "lone surrogate"),
        pytest.param(10**4300, ValueError, "an integer of more than 4300 digits", id="long"),
        ({1: 2}, TypeError, "the key 1 is of type int, expected a plain string"),
        ({Colour.RED: 2}, TypeError, "the key <Colour.RED: 1> is of type test_identity.Colour"),
        ((1,), TypeError, "got tuple; convert it first"),
        ({1}, TypeError, "got set"),
        (b"x", TypeError, "got bytes"),
        (np.int64(1), TypeError, "got numpy.int64"),
        (np.float64(1), TypeError, "got numpy.float64"),
        (np.str_("a"), TypeError, "got numpy.str_"),
        (np.zeros(2), TypeError, "got numpy.ndarray"),
        (Colour.RED, TypeError, "got test_identity.Colour"),
        (collections.OrderedDict(a=1), TypeError, "got collections.OrderedDict"),
    ],
)
def test_what_is_no_plain_json_is_refused_at_its_place(value: Any, error: type[Exception], said: str) -> None:
    """Anything but plain JSON data is refused, never converted, and the message begins with its path."""
    with pytest.raises(error, match=rf"^parts\.tokenizer\.vocab\[3\]: .*{said}"):
        canonical_json({"vocab": [1, "b", None, value]}, "parts.tokenizer")
    with pytest.raises(error, match=rf"^the value: .*{said}"):
        canonical_json(value)


def test_what_contains_itself_is_refused() -> None:
    """A structure without an end, or one of more than 100 levels, is an error and no crash."""
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(ValueError, match=r"nested deeper than 100 levels; does it contain itself\?"):
        canonical_json(endless)
    deep: Any = 1
    for _ in range(99):
        deep = {"a": deep}
    document = IdentityDocument.make("a.B", {"semantics": deep})
    assert IdentityDocument.model_validate_json(document.model_dump_json()) == document


def test_a_path_reads_like_code() -> None:
    """Plain keys are joined with dots, indices and odd keys stand in brackets."""
    assert json_path(["parts", 0, "a b", "x-1", ""]) == 'parts[0]["a b"].x-1[""]'
    assert json_path([3, "a"]) == "[3].a"
    assert json_path([]) == ""


def test_digests_can_be_made_elsewhere() -> None:
    """The digests of a document follow from its text alone, as its schema tells."""
    document = IdentityDocument.make("my.Packer", {"semantics": {"text": "é"}, "processor": {"id": 2}})
    text = '{"text":"é"}'.encode()
    assert document.parts["semantics"].sha256 == hashlib.sha256(text).hexdigest()
    whole = json.dumps(
        {name: document.parts[name].sha256 for name in ("processor", "semantics")}, separators=(",", ":")
    )
    assert document.sha256 == hashlib.sha256(whole.encode()).hexdigest()
    assert document.schema_version == 1


def test_the_class_is_outside_every_digest() -> None:
    """Another class with the same parts has the same identity; other parts or other names have another one."""
    one, other = (IdentityDocument.make(packer, {"semantics": {"x": 1}}) for packer in ("my.Packer", "your.Packer"))
    assert one.sha256 == other.sha256
    assert IdentityDocument.make("my.Packer", {"processor": {"x": 1}}).sha256 != one.sha256
    assert IdentityDocument.make("my.Packer", {"semantics": {"x": 1.0}}).sha256 != one.sha256


def test_making_an_identity_names_what_cannot_be_in_it() -> None:
    """A part that is no plain JSON is refused by its path, a part that is no object and no part at all as well."""
    with pytest.raises(TypeError, match=r"^semantics\.vocab\[0\]: .*got tuple"):
        IdentityDocument.make("my.Packer", {"semantics": {"vocab": [("a", 1)]}})
    with pytest.raises(ValidationError, match=r"parts.semantics.value\n.*valid dictionary"):
        IdentityDocument.make("my.Packer", {"semantics": ["a"]})  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValidationError, match="at least 1 item"):
        IdentityDocument.make("my.Packer", {})
    with pytest.raises(ValidationError, match="at least 1 item"):
        IdentityDocument.make("my.Packer", {"semantics": {}})
    with pytest.raises(ValidationError, match="'semantics' or 'processor'"):
        IdentityDocument.make("my.Packer", {"tokenizer": {"x": 1}})
    with pytest.raises(ValidationError, match="expected at most 65536 bytes of canonical JSON, got 65545"):
        IdentityDocument.make("my.Packer", {"semantics": {"text": "x" * 65_534}})


def test_a_later_change_of_what_was_handed_in_changes_nothing() -> None:
    """The document holds its own copy of the values."""
    value = {"ids": [1]}
    document = IdentityDocument.make("my.Packer", {"semantics": value})
    value["ids"].append(2)
    assert document.parts["semantics"].value == {"ids": [1]}


@pytest.mark.parametrize(
    ("edit", "place", "said"),
    [
        (
            lambda d: d["parts"]["semantics"]["value"].update(x=2),
            ("parts", "semantics"),
            "over the canonical JSON of value",
        ),
        (
            lambda d: d["parts"]["semantics"]["value"].update(x=1.0),
            ("parts", "semantics"),
            "was a value edited by hand?",
        ),
        (lambda d: d["parts"].update(processor=d["parts"].pop("semantics")), (), "over the parts' digests by name"),
        (lambda d: d.update(sha256="0" * 64), (), f"got {'0' * 64}"),
        (lambda d: d.update(sha256=d["sha256"].upper()), ("sha256",), "pattern"),
        (lambda d: d.update(schema_version=2), ("schema_version",), "1"),
        (lambda d: d.update(schema_version=True), ("schema_version",), "expected the integer 1, got True"),
    ],
)
def test_an_edited_document_is_refused(edit: Any, place: tuple[str, ...], said: str) -> None:
    """A value, a name or a digest that was changed by hand no longer fits, and the place is told."""
    document = IdentityDocument.make("my.Packer", {"semantics": {"x": 1}}).model_dump()
    edit(document)
    with pytest.raises(ValidationError) as caught:
        IdentityDocument.model_validate(document)
    assert [(error["loc"], said in error["msg"]) for error in caught.value.errors()] == [(place, True)]


def test_values_of_other_types_are_refused_by_the_model_too() -> None:
    """A tuple, or a number that is no plain one, is a validation error when a document is built by hand."""
    rest = {"schema_version": 1, "packer": "p", "sha256": "0" * 64}
    for value in ({"a": (1,)}, {"a": np.float64(1)}, {"a": float("nan")}):
        with pytest.raises(ValidationError):
            IdentityDocument.model_validate({**rest, "parts": {"semantics": {"value": value, "sha256": "0" * 64}}})
