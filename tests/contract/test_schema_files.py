"""The JSON Schema files: fresh, valid by their own standard, complete in words, and found wherever they lie."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from packer_schemas import load_schema, schema_files, schema_folder, schema_id, schema_names
from packer_schemas.generate import schema_text
from packer_schemas.published import PUBLISHED

EVERY = sorted(PUBLISHED)


def test_there_is_a_file_for_every_published_type_and_no_other() -> None:
    """The files in `schemas/v1` and the published types have the same names."""
    assert schema_names() == EVERY


@pytest.mark.parametrize("name", EVERY)
def test_a_file_is_what_its_model_makes_today(name: str) -> None:
    """Made anew, a file is the same byte for byte; if not: `python -m packer_schemas.generate`."""
    assert (schema_folder() / f"{name}.json").read_bytes().decode("utf-8") == schema_text(name)


def test_the_files_do_not_depend_on_the_process_that_writes_them() -> None:
    """Another process, with another hash seed, makes the same text."""
    code = "from packer_schemas.generate import schema_text; print(schema_text('report'), end='')"
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONHASHSEED": "7"}, capture_output=True, check=True, timeout=60
    )
    assert done.stdout.decode("utf-8") == schema_text("report")


@pytest.mark.parametrize("name", EVERY)
def test_a_file_is_a_json_schema_of_2020_12(name: str) -> None:
    """Each validates against the meta-schema it names, and carries its identifier."""
    schema = load_schema(name)
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == Draft202012Validator.META_SCHEMA["$id"]
    assert schema["$id"] == schema_id(name) == f"https://packproof.dev/schemas/v1/{name}.json"


@pytest.mark.parametrize("name", EVERY)
def test_a_file_says_what_every_property_holds(name: str) -> None:
    """The schema has a title and a description, and every property a description."""
    schema = load_schema(name)
    assert schema["title"]
    assert schema["description"].endswith(".")
    bare = [place for place, sub in _properties(schema) if not sub.get("description", "").strip()]
    assert not bare


def _properties(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every property of a schema and its definitions."""
    for kind, definition in {"": schema, **schema.get("$defs", {})}.items():
        for field, sub in definition.get("properties", {}).items():
            yield f"{kind}.{field}", sub


@pytest.mark.parametrize("name", ["policy-batch", "routing-record"])
def test_tensors_say_dtype_axes_and_device(name: str) -> None:
    """A tensor is a nested array with its declaration under `x-tensor`."""
    schema = load_schema(name)
    tensors = [sub for sub in (schema, *schema.get("properties", {}).values()) if "x-tensor" in sub]
    assert len(tensors) == (4 if name == "policy-batch" else 1)
    for tensor in tensors:
        assert tensor["x-tensor"].keys() == {"axes", "device", "dtypes"}
        assert json.dumps(tensor["items"]).count("array") == len(tensor["x-tensor"]["axes"]) - 1


def test_members_of_a_union_name_themselves() -> None:
    """The key that tells cases and parts apart is required in each: no model reads a union without it."""
    definitions = load_schema("case-file")["$defs"]
    assert "kind" in definitions["PolicyCase"]["required"]
    assert "type" in definitions["TextPart"]["required"]


@pytest.mark.parametrize("inside", [True, False])
def test_the_folder_is_found_in_a_wheel_and_in_a_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inside: bool
) -> None:
    """The files lie inside the package once it is installed, and beside it in a checkout."""
    package = tmp_path / "packer_schemas"
    folder = (package if inside else tmp_path) / "v1"
    folder.mkdir(parents=True)
    monkeypatch.setattr(schema_files, "__file__", str(package / "schema_files.py"))
    assert schema_folder() == folder
