"""What differs between two identities is told field by field, in lines that a person can read."""

import unicodedata
from typing import Any

import pytest
from case_strategies import json_values
from hypothesis import given
from hypothesis import strategies as st
from published_strategies import PINNED, identities

from packer_schemas import Difference, IdentityDocument, identity_differences


def document(value: dict[str, Any], part: str = "semantics", **more: dict[str, Any]) -> IdentityDocument:
    """The document of one declaration, or of several by name."""
    return IdentityDocument.make("my.Packer", {part: value, **more})


def lines(old: Any, new: Any) -> list[str]:
    """The differences of two declarations as text; None where nothing is declared."""
    before, after = (None if one is None else document(one) for one in (old, new))
    return [str(one) for one in identity_differences(before, after)]


def test_a_difference_reads_as_in_the_specification() -> None:
    """The line of IDENT-16, and the one of its smallest break."""
    old, new = (document({"video_processor": {"fps": fps, "type": "ToyVideos"}}, "processor") for fps in (2.0, 4.0))
    assert identity_differences(old, new) == [Difference("processor.video_processor.fps", "2.0", "4.0")]
    assert str(identity_differences(old, new)[0]) == "processor.video_processor.fps: 2.0 -> 4.0"
    without = document({"video_processor": None}, "processor")
    assert [str(one) for one in identity_differences(without, old)] == [
        'processor.video_processor: null -> {"fps":2.0,"type":"ToyVideos"}'
    ]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ({"a": 1}, {"a": 1.0}, ["semantics.a: 1 -> 1.0"]),
        ({"a": 1}, {"a": True}, ["semantics.a: 1 -> true"]),
        ({"a": 0}, {"a": False}, ["semantics.a: 0 -> false"]),
        ({"a": 0.0}, {"a": -0.0}, ["semantics.a: 0.0 -> -0.0"]),
        ({"a": None}, {"b": None}, ["semantics.a: null -> absent", "semantics.b: absent -> null"]),
        ({"a": "absent"}, {"b": 1}, ['semantics.a: "absent" -> absent', "semantics.b: absent -> 1"]),
        ({"a": {}}, {"a": []}, ["semantics.a: {} -> []"]),
        ({"a": [1, 2, {"b": 3}]}, {"a": [1, 4, {"b": 5}]}, ["semantics.a[1]: 2 -> 4", "semantics.a[2].b: 3 -> 5"]),
        ({"a": [1]}, {"a": [1, [], 2]}, ["semantics.a[1]: absent -> []", "semantics.a[2]: absent -> 2"]),
        ({"a": {"b": 1}}, {"a": 1}, ['semantics.a: {"b":1} -> 1']),
        ({"a.b": 1, "$c": 1, "é": 1}, {"a.b": 2, "$c": 2, "é": 2}, None),
        ({"z": 1, "B": 1, "a": 1}, {"a": 2, "z": 2, "B": 2}, None),
        ({"a": "x"}, None, ['semantics: {"a":"x"} -> absent']),
        (None, {"a": "x"}, ['semantics: absent -> {"a":"x"}']),
        (None, None, []),
        ({"a": [True, {"b": 1.0}]}, {"a": [True, {"b": 1.0}]}, []),
    ],
)
def test_every_field_that_differs_is_named(old: Any, new: Any, told: list[str] | None) -> None:
    """Numbers keep their kind, lists go by index, a side that lacks a field is absent, and a null is there."""
    if told is None:
        paths = ['["$c"]', '["a.b"]', ".é"] if "é" in old else [".B", ".a", ".z"]
        told = [f"semantics{path}: 1 -> 2" for path in paths]
    assert lines(old, new) == told


def test_a_part_that_one_side_lacks_is_one_difference() -> None:
    """A second declaration that was added is told as such, and the class that declares is not compared."""
    one = document({"a": 1})
    both = IdentityDocument.make("other.Packer", {"semantics": {"a": 1}, "processor": {"b": 2}})
    assert [str(each) for each in identity_differences(one, both)] == ['processor: absent -> {"b":2}']
    assert identity_differences(one, IdentityDocument.make("other.Packer", {"semantics": {"a": 1}})) == []


@pytest.mark.parametrize("at", [0, 1, 39, 40, 300, 960, 961, 999])
def test_of_a_long_text_what_is_around_the_first_difference_is_shown(at: int) -> None:
    """Of texts longer than 80 characters both sides show 80, the one that differs among them at the same place."""
    old = "".join(chr(ord("a") + place % 26) for place in range(1000))
    new = old[:at] + "#" + old[at + 1 :]
    (found,) = identity_differences(document({"t": old}), document({"t": new}))
    shown = [text.removeprefix("...").removesuffix("...") for text in (found.old, found.new)]
    assert [len(text) for text in shown] == [80, 80]
    place = shown[1].index("#")
    assert shown[0][:place] + "#" + shown[0][place + 1 :] == shown[1]
    assert found.new.startswith('"' if at < 40 else "...")
    assert found.new.endswith('"' if at > 960 else "...")


def test_each_side_is_cut_by_its_own_length() -> None:
    """A short text stays whole beside a long one, whose beginning is shown where it is longer and no more."""
    long = "x" * 200
    assert lines({"t": long}, {"t": "x"}) == [f'semantics.t: "{"x" * 79}... -> "x"']
    assert lines({"t": "y" * 78}, {"t": None}) == [f'semantics.t: "{"y" * 78}" -> null']
    assert lines({"a": 1}, {"a": 1, "t": long}) == [f'semantics.t: absent -> "{"x" * 79}...']


@pytest.mark.parametrize("odd", ["\n", "\x1b[31m", "\x7f", "\x9b", "\u200b", "\u202e", "\u2028", "\xa0", "\U000e0001"])
def test_what_does_not_print_is_escaped(odd: str) -> None:
    """A difference is one printable line of text, in the values and in the path, whatever a declaration holds."""
    (line,) = lines({"a": {f"k{odd}": f"x{odd}"}}, {"a": {f"k{odd}": "x"}})
    assert line.isprintable()
    assert odd not in line


def test_texts_that_look_alike_look_different() -> None:
    """An accent that joins the letter before it is escaped, so that the two sides are not the same to the eye."""
    assert lines({"a": "é"}, {"a": unicodedata.normalize("NFD", "é")}) == ['semantics.a: "é" -> "e\\u0301"']


@PINNED
@given(identities, identities)
def test_there_is_a_difference_exactly_where_the_digests_differ(one: IdentityDocument, other: IdentityDocument) -> None:
    """No difference means equal identities and the other way round; both directions tell of the same fields."""
    found = identity_differences(one, other)
    assert (not found) == (one.sha256 == other.sha256)
    assert identity_differences(one, one.model_copy(deep=True)) == []
    assert [(each.path, each.new, each.old) for each in identity_differences(other, one)] == [
        (each.path, each.old, each.new) for each in found
    ]
    assert [each.path for each in identity_differences(None, one)] == sorted(one.parts)


@PINNED
@given(json_values, json_values, st.sampled_from(["semantics", "processor"]))
def test_two_values_in_one_field_differ_at_or_below_it(old: Any, new: Any, part: str) -> None:
    """Every difference of one field begins with the path of that field, and its two sides are not the same."""
    for found in identity_differences(document({"a b": old}, part), document({"a b": new}, part)):
        assert found.path.startswith(f'{part}["a b"]')
        assert found.old != found.new
