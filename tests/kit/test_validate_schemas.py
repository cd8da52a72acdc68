"""`packproof schema`, JSON Schema files of somebody else's, and how what they say reads."""

import json
import socket
from pathlib import Path
from typing import Any

import pytest

from packer_schemas import load_schema, schema_id, schema_names
from packproof.cli import main
from packproof.validation.schema_check import OwnSchema

TURN = {"role": "user", "content": "hi"}
DRAFT_3 = "http://json-schema.org/draft-03/schema#"
NOT = '{"not": '


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def held(capsys, schema: Any, value: Any) -> tuple[int, list[str], str]:
    """Validate a document against a schema file: exit code, what is said of the document, standard error."""
    Path("s.json").write_text(schema if isinstance(schema, str) else json.dumps(schema), encoding="utf-8")
    Path("d.json").write_text(json.dumps(value), encoding="utf-8")
    code = main(["validate", "--schema", "s.json", "d.json"])
    shown = capsys.readouterr()
    return code, [line.removeprefix("d.json  ") for line in shown.out.splitlines()[:-1]], shown.err


def said(name: str, value: Any) -> list[str]:
    """What one of our schemas says of a document."""
    return [f"{one.path}  {one.said}" for one in OwnSchema(name).problems(value, json.dumps(value).encode())]


def test_schema_prints_a_file(capsys) -> None:
    """`packproof schema NAME` prints the schema, as JSON; its `$id` is a name as well."""
    for name in ("trajectory", schema_id("trajectory")):
        assert main(["schema", name]) == 0
        assert json.loads(capsys.readouterr().out) == load_schema("trajectory")


def test_schema_alone_lists_them(capsys) -> None:
    """Without a name there is one line for each schema: its name and what it is of."""
    assert main(["schema"]) == 0
    listed = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in listed] == schema_names()
    assert ["trajectory", "One rollout of one sample."] in [line.split(maxsplit=1) for line in listed]


def test_an_unknown_schema_gets_a_hint(capsys) -> None:
    """A name that no schema has is exit code 2, with the close ones, or all where none is close."""
    assert main(["schema", "trajectories"]) == 2
    assert capsys.readouterr().err == (
        "packproof: unknown schema 'trajectories'. Did you mean trajectory? `packproof schema` lists them.\n"
    )
    assert main(["schema", "x"]) == 2
    assert "They are build-spec, case-file," in capsys.readouterr().err


def test_a_file_of_any_draft_is_a_schema(capsys) -> None:
    """A schema of an older draft holds by its own rules; a document is checked whole, `$schema` included."""
    draft = {"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"A": {"minimum": 1}}}
    schema = draft | {"properties": {"a": {"$ref": "#/definitions/A"}}, "additionalProperties": False}
    assert held(capsys, schema, {"a": 1})[0] == 0
    assert held(capsys, schema, {"a": 0, "$schema": "x"})[:2] == (
        1,
        ["a  expected a value >= 1, got 0", '["$schema"]  expected no such key (known are a), got "x"'],
    )
    assert held(capsys, True, 1)[0] == 0
    assert held(capsys, False, 1)[1] == ["(document)  expected nothing here, got 1"]


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ("{", "not a JSON Schema: line 1: expected JSON, got text that breaks off at column 2"),
        ([1], "not a JSON Schema: expected an object, got an array of 1 item."),
        ({"a": 1}, "not a JSON Schema: none of its keys is a keyword, so all would be valid."),
        ({"type": "objekt"}, "not a JSON Schema: type: 'objekt' is not valid under any of the given schemas."),
        ('{"minimum": NaN}', "not a JSON Schema: minimum: expected a JSON value, got NaN, which is not JSON."),
        ('{"type": "null", "type": "array"}', "not a JSON Schema: type: expected the key once, got it 2 times."),
        ({"$schema": []}, "not a JSON Schema: $schema: expected https://json-schema.org/draft/2020-12/schema, "),
        ({"$schema": "http://foo"}, "not a JSON Schema: $schema: expected https://json-schema.org/draft/2020-12/"),
        (
            {"pattern": r"^\p{L}+$"},
            'not a JSON Schema: pattern: Python\'s `re` cannot read the pattern "^\\\\p{L}+$" (',
        ),
        ({"$ref": "#/foo", "foo": "bar"}, "not a JSON Schema: something that it refers to is none (AttributeError: "),
        ({"$ref": "#/foo", "foo": 3}, "not a JSON Schema: something that it refers to is none (TypeError: "),
        ({"$ref": "#/foo", "foo": {"pattern": "("}}, "not a JSON Schema: something that it refers to is none ("),
        (NOT * 190 + "{}" + "}" * 190, "not a JSON Schema: nested too deep to be checked."),
        (NOT * 5000 + "{}" + "}" * 5000, "not a JSON Schema: expected at most 200 levels of nesting, got more."),
        ({"$ref": "#"}, "refers to itself without an end."),
        ({"properties": {"a": {"$ref": "#/$defs/b"}}, "$defs": {"b": {"$ref": "#/$defs/b"}}}, "refers to itself"),
        ({"$ref": "#nope"}, "refers to '#nope', which is not in the file."),
        ({"$ref": "#/nope"}, "refers to '#/nope', which is not in the file."),
        ({"$ref": "other.json"}, "refers to 'other.json', which is not in the file."),
        ({"$ref": "https://example.org/s.json"}, "refers to 'https://example.org/s.json', which is not in the file."),
    ],
)
def test_what_is_no_schema_is_a_mistake(capsys, monkeypatch: pytest.MonkeyPatch, schema: Any, why: str) -> None:
    """A file that is no schema, or refers to what is not in it, is exit code 2; nothing is fetched."""
    monkeypatch.delattr(socket, "create_connection")
    code, shown, error = held(capsys, schema, {"a": 1})
    assert (code, shown) == (2, [])
    assert len(error.splitlines()) == 1
    assert error.startswith(f"packproof: --schema s.json: {why}")


@pytest.mark.parametrize(
    ("schema", "value", "problem"),
    [
        ({"type": "integer", "minimum": 0, "maximum": 9}, -1, "(document)  expected an integer >= 0 and <= 9, got -1"),
        ({"type": ["string", "null"]}, 1.5, "(document)  expected a string or null, got 1.5"),
        ({"enum": [1, "b", None]}, True, '(document)  expected one of 1, "b", null, got true'),
        ({"const": {"a": 1}}, [], "(document)  expected an object with a, got an empty array"),
        ({"maxItems": 1}, [1, 2], "(document)  expected a value of at most 1 item, got an array of 2 items"),
        ({"type": "string", "minLength": 2}, "é", '(document)  expected a string of at least 2 characters, got "é"'),
        ({"propertyNames": {"pattern": "^x"}}, {"y": 1}, 'y  expected a key: a value that matches ^x, got "y"'),
        ({"not": {"type": "null"}}, None, '(document)  expected not: {"type": "null"}, got null'),
        ({"properties": {"a b": {"items": {"type": "null"}}}}, {"a b": [0]}, '["a b"][0]  expected null, got 0'),
        ({"anyOf": [{"type": "null"}, False]}, 1, "(document)  expected null or a value, got 1"),
        (
            {"$schema": DRAFT_3, "properties": {"a": {"required": True}}},
            {},
            "a  expected required: true, got an empty object",
        ),
        ({"required": ["it's"]}, {}, '["it\'s"]  expected a value, got nothing'),
    ],
)
def test_keywords_read_as_plain_words(capsys, schema: Any, value: Any, problem: str) -> None:
    """A problem says in words what the keyword asks for, with the limits beside it, and shows what is there."""
    assert held(capsys, schema, value)[1] == [problem]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (3, "[0].content  expected a string or an array, got 3"),
        ([{"type": "text"}], "[0].content[0].text  expected a string, got nothing"),
        ([{"text": "a"}], '[0].content[0].type  expected one of "text", "image", "video", "video_frames", got nothing'),
        ([{"type": "video", "video": "v", "fps": 0}], "[0].content[0].fps  expected a number > 0, got 0"),
        (
            [{"type": "text", "txt": "a", "text": ""}],
            '[0].content[0].txt  expected no such key (did you mean text?), got "a"',
        ),
        (["a"], '[0].content[0]  expected an object, got "a"'),
    ],
)
def test_of_a_union_the_member_that_was_meant_speaks(content: Any, problem: str) -> None:
    """Not every alternative is listed: the one that a value's type or tag points at says what is wrong with it."""
    assert said("conversation", [{**TURN, "content": content}]) == [problem]


def test_long_values_are_cut() -> None:
    """A long text, a large object and a long array do not fill the terminal."""
    assert said("observation", {"representations": {"prompt": {f"k{i}": i for i in range(9)}}})[0].endswith(
        "got an object with k0, k1, k2, k3, k4 ..."
    )
    shown = said("conversation", [{"role": 5, "content": "x"}, {"role": "user", "content": [{"type": "x" * 99}]}])
    assert shown[1].endswith(f'got "{"x" * 60}..." (99 characters)')
    assert said("conversation", "\x1b[31m\u202e")[0].endswith('got "\\u001b[31m\\u202e"')


def test_an_integer_is_written_as_one() -> None:
    """With our own schemas `1.0` and `true` are no integers, though JSON Schema lets the first pass."""
    value = {"obs": {"representations": {"prompt": ""}}, "completion": [1.0, True]}
    assert said("trajectory", value) == [
        "completion[0]  expected an integer >= 0, got 1.0",
        "completion[1]  expected an integer >= 0, got true",
    ]


def test_a_tensor_has_rows_of_one_length() -> None:
    """A ragged array, which a schema lets pass, is no tensor; the first row that differs is named."""
    batch = {"input_ids": [[1, 2], [3]], "logprob_masks": [[True, False], [True, 1]]}
    assert said("policy-batch", batch) == [
        "input_ids[1]  expected length 2 along L, as in the first row, got 1",
        "logprob_masks[1][1]  expected true or false, got 1",
    ]
    assert said("routing-record", [[[1]], [[2], [3]]])[0].startswith("[1]  expected length 1 along layers")
    assert said("routing-record", []) == []
