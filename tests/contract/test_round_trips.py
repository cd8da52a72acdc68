"""Models and schemas agree: what a model writes, the schema takes and the model reads back."""

import json
from typing import Any

import pytest
from case_strategies import json_values
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, FormatChecker
from published_strategies import DATA, PINNED, TENSORS, as_json, read

from packer_schemas import load_schema
from packer_schemas.published import PUBLISHED
from packproof.validation.schema_check import OwnSchema


def validator(name: str) -> Draft202012Validator:
    """What another language has: the file and a plain validator."""
    return Draft202012Validator(load_schema(name), format_checker=FormatChecker())


def exactly(document: Any) -> str:
    """The text of a document, which tells 1 from 1.0 and true, as `==` does not."""
    return json.dumps(document, sort_keys=True)


def test_every_published_type_is_tried() -> None:
    """No published type is left out below."""
    assert DATA.keys() | TENSORS.keys() == PUBLISHED.keys()


@pytest.mark.parametrize("name", DATA)
def test_what_a_model_writes_the_schema_takes_and_the_model_reads_back(name: str) -> None:
    """An instance, written as JSON, keeps the schema file and reads back as an equal instance."""
    schema, own = validator(name), OwnSchema(name)

    @PINNED
    @given(DATA[name])
    def run(instance: Any) -> None:
        text = as_json(name, instance)
        document = json.loads(text)
        schema.validate(document)
        assert read(name, text) == instance
        assert exactly(json.loads(as_json(name, read(name, text)))) == exactly(document)
        assert own.problems(document, text) == []

    run()


@pytest.mark.parametrize("name", TENSORS)
def test_tensors_are_nested_lists_to_the_schema(name: str) -> None:
    """An instance with tensors, written as JSON, keeps the schema file; no model reads its tensors back."""
    schema, own = validator(name), OwnSchema(name)

    @PINNED
    @given(TENSORS[name])
    def run(instance: Any) -> None:
        text = as_json(name, instance)
        schema.validate(json.loads(text))
        assert own.problems(json.loads(text), text) == []

    run()


@pytest.mark.parametrize("name", DATA)
def test_what_a_model_takes_the_schema_takes(name: str) -> None:
    """A document changed anywhere in any way, which the model still takes, still keeps the schema file.

    `packproof validate` relies on it: it asks the schema only about what the model refuses.
    """
    schema, own = validator(name), OwnSchema(name)

    @PINNED
    @given(DATA[name], st.data())
    def run(instance: Any, data: st.DataObject) -> None:
        document = _changed(json.loads(as_json(name, instance)), data)
        if not own.problems(document, json.dumps(document).encode()):
            schema.validate(document)

    run()


def _changed(document: Any, data: st.DataObject) -> Any:
    """The document with one value replaced, one key removed or one added, at a place that is drawn."""
    nodes = [document]
    for node in nodes:
        nodes += [item for item in (node.values() if isinstance(node, dict) else node) if isinstance(item, dict | list)]
    node = data.draw(st.sampled_from(nodes), label="node")
    if isinstance(node, list):
        node.insert(data.draw(st.integers(0, len(node))), data.draw(json_values))
    elif node and data.draw(st.booleans(), label="existing key"):
        key = data.draw(st.sampled_from(sorted(node)))
        if data.draw(st.booleans(), label="remove"):
            del node[key]
        else:
            node[key] = data.draw(json_values | st.just(True) | st.sampled_from([0, 1, -1, 1.0, "1", "0"]))
    else:
        node[data.draw(st.text(max_size=8))] = data.draw(json_values)
    return document
