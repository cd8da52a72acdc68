"""`packproof validate` on data made to slip through, to break it, or to write on the terminal."""

import json
from pathlib import Path
from typing import Any

import pytest

from packproof.validation.schema_check import OwnSchema
from packproof.validation.showing import Problem
from packproof.vectors import vectors_folder


def said(name: str, value: Any) -> list[str]:
    """What one of our schemas says of a document."""
    return [f"{one.path}  {one.said}" for one in OwnSchema(name).problems(value, json.dumps(value).encode())]


@pytest.mark.parametrize("rows", [0, 1, 9])
def test_a_record_with_another_number_of_rows_is_refused(rows: int) -> None:
    """What a model knows of a tensor and its neighbours together is checked: `forward_routing` has L-1 rows."""
    value = {"input_ids": [1, 2, 3], "logprob_masks": [0, 1, 0], "mm_ranges": {"image": [[[0, 1]]]}}
    assert said("policy-input", {**value, "forward_routing": [[[0]]] * 2}) == []
    assert said("policy-input", {**value, "forward_routing": [[[0]]] * rows}) == [
        f"  expected 2 rows of forward_routing, one for each of the input_ids but the last, got {rows}"
    ]


def test_a_record_without_rows_is_one() -> None:
    """Of one id there is no prediction: a record without rows fits it, and it has all its axes."""
    assert said("policy-input", {"input_ids": [1], "logprob_masks": [0], "forward_routing": []}) == []


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        (
            "routing-record",
            [[[0, 2**63]]],
            "[0][0][1]  expected integers that int8 or int16 or int32 or int64 or uint8",
        ),
        ("policy-batch", {"input_ids": [[2**64]], "logprob_masks": [[True]]}, "input_ids[0][0]  expected integers"),
    ],
)
def test_a_number_that_no_dtype_holds_is_refused(name: str, value: Any, problem: str) -> None:
    """A tensor's numbers fit one of its declared dtypes, or the one furthest away is named."""
    assert said(name, value)[0].startswith(problem)
    assert said("routing-record", [[[-1, 2**63 - 1]]]) == said("routing-record", [[[255]]]) == []


TOML = {
    "[" * 100_000: "(document)  expected at most 200 levels of nesting, got more",
    "1\n" + ".".join("a" * 3000) + " = 1": "(document)  expected at most 200 levels of nesting, got more",
    "9" * 5000: "(document)  expected integers of at most 4300 digits, got a longer one",
    "[{b = nan}]": "known[0].b  expected a JSON value, got NaN, which is not JSON",
    "[1, -inf]": "known[1]  expected a JSON value, got -Infinity, which is not JSON",
    "1e999": "known  expected a JSON value, got Infinity, which is not JSON",
}
"""Values of the key `known` that TOML, or its reader, may not mind, and what is said of them."""


@pytest.mark.parametrize(("value", "problem"), TOML.items(), ids=range(len(TOML)))
def test_toml_that_json_has_no_place_for_is_a_problem(validate, value: str, problem: str) -> None:
    """Endless nesting and digits, NaN and infinities in TOML are told in one line, with exit code 1."""
    Path("k.toml").write_text(f"known = {value}", encoding="utf-8")
    assert validate("k.toml")[:2] == (1, [f"k.toml  {problem}", "k.toml: invalid"])


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_called_by_its_name(validate, encoding: str) -> None:
    """A file in UTF-16, with a byte order mark or without, is recognised, TOML as well as JSON."""
    for name in ("k.toml", "k.json", "k.jsonl"):
        Path(name).write_bytes("{}".encode(encoding))
        said = "(document)  expected UTF-8, got what looks like UTF-16: it begins with the bytes"
        assert validate("--schema", "known-failures", name)[1][0].startswith(f"{name}:1  {said}")


def test_no_text_of_the_data_reaches_the_terminal_raw(validate) -> None:
    """Control characters in keys, values and what a model says of them are escaped, and a problem stays one line."""
    source = {"kind": "mixture", "parts": [{"name": "b\n\x1b[31m\u202e", "weight": -1, "n\ny\u200b": 1}]}
    Path("d.json").write_text(json.dumps({"source": source, "\x1b]0;x\x07": 1}), encoding="utf-8")
    Path("t.jsonl").write_text('{"a\x07": 1}\n{"\\u202e": \x1b}', encoding="utf-8")
    code, shown, error = validate("--schema", "dataloader-state", "d.json", "t.jsonl")
    assert code == 1
    assert error == ""
    assert all(line.isprintable() for line in shown)
    assert all(line.startswith(("d.json", "t.jsonl")) for line in shown)
    assert "b\\n" in str(Problem("", "b\n"))


def test_a_problem_is_cut_to_what_can_be_read(validate) -> None:
    """A long key, a deep place and a long text are cut; behind its file, a problem has at most 400 characters."""
    Path("s.json").write_text(json.dumps({"additionalProperties": {"pattern": "x" * 9000}}), encoding="utf-8")
    Path("d.json").write_text(json.dumps({"k" * 5000: "v" * 5000}), encoding="utf-8")
    shown = validate("--schema", "s.json", "d.json")[1][0]
    assert shown.startswith(f'd.json  ["{"k" * 57}..."]  expected a value that matches xxx')
    assert shown.endswith("xxx ...")
    assert len(shown) == len("d.json  ") + 400
    path = str(Problem(".".join(["key"] * 99), "expected an integer, got 1"))
    assert path.startswith("key.key.key")
    assert path.endswith("key.key  expected an integer, got 1")
    assert len(path) < 250


def test_a_deep_document_is_a_problem_of_its_line(validate) -> None:
    """What a sound schema that refers to itself cannot be applied to is the fault of its line; the others are read."""
    node = {"anyOf": [{"type": "null"}, {"allOf": [{"$ref": "#/$defs/list"}]}]}
    schema = {"$defs": {"node": node, "list": {"type": "array", "items": {"$ref": "#/$defs/node"}}}, **node}
    Path("s.json").write_text(json.dumps(schema), encoding="utf-8")
    Path("d.jsonl").write_text(f"[[]]\n{'[' * 190}{']' * 190}\n3\n[null]\n", encoding="utf-8")
    code, shown, error = validate("--schema", "s.json", "d.jsonl")
    assert (code, error) == (1, "")
    assert shown == [
        "d.jsonl:2  (document)  expected a document that this schema can be applied to, got one nested too deep",
        "d.jsonl:3  (document)  expected null or a value, got 3",
        "d.jsonl: 2 of 4 lines invalid against s.json",
    ]


def test_a_number_too_large_to_divide_is_a_problem_of_its_line(validate) -> None:
    """An integer that no float holds, under a schema that wants a multiple of a float, does not stop the others."""
    Path("s.json").write_text('{"multipleOf": 0.1}', encoding="utf-8")
    Path("d.jsonl").write_text(f"1E400\n1{'0' * 400}\n3\n", encoding="utf-8")
    assert validate("--schema", "s.json", "d.jsonl")[1] == [
        "d.jsonl:1  (document)  expected a number below 1.8e308, which is what others read, got 1E400",
        "d.jsonl:2  (document)  expected numbers that this schema can be applied to, got one too large to divide",
        "d.jsonl: 2 of 3 lines invalid against s.json",
    ]


def test_a_deep_value_under_our_own_schema_has_its_place() -> None:
    """Where a schema of ours cannot be applied any deeper, the model behind it names the place, once."""
    document = json.loads((vectors_folder() / "identity.json").read_text(encoding="utf-8"))
    value: Any = {"int": 5}
    for _ in range(95):
        value = {"list": [value]}
    document["vectors"][0]["input"] = {"value": value}
    (problem,) = OwnSchema("vectors-identity").problems(document, json.dumps(document).encode())
    assert problem.path == "vectors[0].input.value" + ".list[0]" * 95 + ".int"
    assert problem.said.startswith("expected ")
