"""`packproof validate`: how data say which schema holds, and what becomes of data that do not."""

import json
from pathlib import Path
from typing import Any

import pytest
from data_to_check import BAD, GOOD, document, lines

from packer_schemas import schema_id
from packproof.vectors import vectors_folder

HOW = "name it with --schema NAME, or in the data by a key"


@pytest.mark.parametrize("name", ["trajectory", schema_id("trajectory")])
def test_a_first_line_names_the_schema_of_all(validate, name: str) -> None:
    """An object with nothing but `$schema` in the first line is no document; line numbers count it."""
    code, shown, _ = validate(lines("t.jsonl", {"$schema": name}, GOOD, BAD))
    assert (code, shown[0]) == (1, "t.jsonl:3  completion[1]  expected an integer >= 0, got -2")
    assert shown[1] == "t.jsonl: 1 of 2 lines invalid against trajectory"


def test_each_line_may_name_its_own_schema(validate) -> None:
    """Lines that name their schemas are each held to their own, and the key is no part of the document."""
    observation = {"$schema": "observation", "representations": {"prompt": "hi"}}
    good = lines("m.jsonl", {"$schema": "trajectory", **GOOD}, observation)
    assert validate(good)[:2] == (0, ["m.jsonl: 2 lines valid against trajectory and observation"])
    mixed = lines("m.jsonl", observation, {"$schema": "trajectory", **BAD}, {"$schema": "nope"}, {"a": 1})
    assert validate(mixed)[1] == [
        "m.jsonl:2  completion[1]  expected an integer >= 0, got -2",
        'm.jsonl:3  $schema  expected the name of a schema (`packproof schema` lists them), got "nope"',
        "m.jsonl:4  $schema  expected the name of a schema, got nothing",
        "m.jsonl: 3 of 4 lines invalid against observation and trajectory",
    ]


def test_a_document_names_its_schema(validate) -> None:
    """A JSON document names its schema by `$schema`, as an identifier or as a short name."""
    for name in ("observation", schema_id("observation")):
        value = {"$schema": name, "representations": {"prompt": "hi"}}
        assert validate(document("o.json", value))[:2] == (0, ["o.json: valid against observation"])


def test_a_document_to_which_the_key_belongs_keeps_it(validate) -> None:
    """A file of vectors names its schema as one of its own fields, and is checked whole."""
    path = vectors_folder() / "masks.json"
    assert validate(str(path))[:2] == (0, [f"{path}: valid against vectors-masks"])


def test_the_option_outranks_what_the_data_names(validate) -> None:
    """With `--schema`, what a document or a first line names is left out of the check and of no account."""
    value = {"$schema": "lock", "representations": {"prompt": "hi"}}
    assert validate("--schema", "observation", document("o.json", value))[0] == 0
    assert validate("--schema", "trajectory", lines("t.jsonl", {"$schema": "nope"}, GOOD))[0] == 0


@pytest.mark.parametrize("value", [{"representations": {"prompt": "hi"}}, [{"role": "user", "content": "hi"}]])
def test_data_that_names_no_schema_is_a_mistake_to_repair(validate, value: Any) -> None:
    """Where nothing says which schema holds, one message says how to name it, with exit code 2."""
    for name in (document("o.json", value), lines("o.jsonl", value)):
        code, shown, error = validate(name)
        assert (code, shown) == (2, [])
        assert error.startswith(f"packproof: {name}: nothing says which schema it is to keep: {HOW}")
        assert len(error.splitlines()) == 1


def test_a_name_that_no_schema_has_gets_a_hint(validate) -> None:
    """An unknown name in the option is exit code 2, with the close ones."""
    code, shown, error = validate("--schema", "trajectori", lines("t.jsonl", GOOD))
    assert (code, shown) == (2, [])
    hint = "unknown schema 'trajectori'. Did you mean trajectory? `packproof schema` lists them."
    assert error == f"packproof: --schema: {hint} There is no file of that name either.\n"


def test_an_unknown_name_in_the_data_is_a_problem_of_its_line(validate) -> None:
    """A document, or a first line, that names no schema there is loses nothing of the others."""
    hint = '$schema  expected the name of a schema (did you mean trajectory?), got "trajectori"'
    assert validate(document("t.json", {"$schema": "trajectori"}))[:2] == (1, [f"t.json  {hint}", "t.json: invalid"])
    assert validate(document("t.json", {"$schema": 3}))[1][0].endswith("(`packproof schema` lists them), got 3")
    for first in ({"$schema": "trajectori"}, {"$schema": "trajectori", **GOOD}):
        name = lines("t.jsonl", first, {"$schema": "trajectory", **BAD}, {"$schema": "trajectory", **GOOD}, GOOD)
        assert validate(name)[:2] == (
            1,
            [
                f"t.jsonl:1  {hint}",
                "t.jsonl:2  completion[1]  expected an integer >= 0, got -2",
                "t.jsonl:4  $schema  expected the name of a schema, got nothing",
                "t.jsonl: 3 of 4 lines invalid against trajectory",
            ],
        )


def test_lines_before_the_first_name_are_problems_of_their_own(validate) -> None:
    """Where a later line names its schema, the lines before it that name none are told, and in their order."""
    text = "".join(json.dumps(one) + "\n" for one in (GOOD, GOOD, {"$schema": "trajectory", **BAD}))
    Path("t.jsonl").write_text(text.replace("\n", "\n\n", 1), encoding="utf-8")
    nothing = "$schema  expected the name of a schema, got nothing"
    assert validate("t.jsonl")[:2] == (
        1,
        [
            f"t.jsonl:1  {nothing}",
            f"t.jsonl:3  {nothing}",
            "t.jsonl:4  completion[1]  expected an integer >= 0, got -2",
            "t.jsonl: 3 of 3 lines invalid against trajectory (1 blank line skipped)",
        ],
    )


def test_files_that_name_no_schema_hide_no_others(validate) -> None:
    """Files in which nothing names a schema are told in one message at the end, when the others have been checked."""
    nameless = [lines("a.jsonl", *[GOOD] * 9), document("b.json", GOOD)]
    code, shown, error = validate(*nameless, lines("c.jsonl", {"$schema": "trajectory"}, BAD))
    assert code == 2
    assert shown == [
        "c.jsonl:2  completion[1]  expected an integer >= 0, got -2",
        "c.jsonl: 1 of 1 line invalid against trajectory",
    ]
    assert error.startswith(f"packproof: a.jsonl, b.json: nothing says which schema it is to keep: {HOW}")
