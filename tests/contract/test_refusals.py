"""What is required is required: without it, or with something else in its place, schema and model both refuse."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, FormatChecker
from published_strategies import DATA, PINNED, TENSORS, as_json, read
from pydantic import ValidationError

from packer_schemas import load_schema
from packer_schemas.canonical import json_path
from packproof.validation.schema_check import OwnSchema

Place = tuple[str | int, ...]

OTHERS: list[Any] = [None, True, 7, 1.5, "text", [], {}]
"""One value of every type of JSON."""

TAGS = {"kind", "type"}
"""Keys that tell the members of a union apart; without one, a model names only the place of the union."""


def required_places(schema: Any, document: Any, root: dict[str, Any], place: Place = ()) -> Iterator[tuple[Place, Any]]:
    """The place of every required key in a valid document, and the schema of its value."""
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
    union = schema.get("anyOf") or schema.get("oneOf") or ()
    meant = next((one for one in union if Draft202012Validator(root | one).is_valid(document)), None)
    if meant is not None:
        yield from required_places(meant, document, root, place)
    if isinstance(document, list):
        for index, item in enumerate(document):
            yield from required_places(schema.get("items", {}), item, root, (*place, index))
    elif isinstance(document, dict):
        fields = schema.get("properties", {})
        for key in schema.get("required", ()) if "type" in schema else ():  # else a condition
            yield (*place, key), fields[key]
        for key, item in document.items():
            others = schema.get("additionalProperties") or next(iter(schema.get("patternProperties", {}).values()), {})
            yield from required_places(fields.get(key, others), item, root, (*place, key))


def spoiled(document: Any, place: Place, schema: Any, root: dict[str, Any], data: st.DataObject) -> Any:
    """The document without what stands at `place`, or with something of another type there."""
    *way, key = place
    holder = document
    for step in way:
        holder = holder[step]
    others = [other for other in OTHERS if type(other) is not type(holder[key])]
    wrong = [other for other in others if not Draft202012Validator(root | schema).is_valid(other)]
    if wrong and data.draw(st.booleans(), label="replace"):
        holder[key] = data.draw(st.sampled_from(wrong), label="by")
    else:
        del holder[key]
    return document


@pytest.mark.parametrize("name", [*DATA, *(f"{name} with tensors" for name in TENSORS if name != "routing-record")])
def test_what_is_required_is_missed_at_its_place(name: str) -> None:
    """A document that lacks a required value, or has another type there, is refused, and the place is named."""
    instances = TENSORS[name.split(maxsplit=1)[0]] if "tensors" in name else DATA[name]
    name = name.split(maxsplit=1)[0]
    schema, own = load_schema(name), OwnSchema(name)
    inner = {key: value for key, value in schema.items() if key in ("$defs", "$schema")}
    validator = Draft202012Validator(schema, format_checker=FormatChecker())

    @PINNED
    @given(instances, st.data())
    def run(instance: Any, data: st.DataObject) -> None:
        document = json.loads(as_json(name, instance))
        places = list(required_places(schema, document, inner))
        if not places:
            return  # such as a known-failures file without entries
        place, field = data.draw(st.sampled_from(places), label="place")
        document = spoiled(document, place, field, inner, data)
        assert not validator.is_valid(document)
        told = [problem.path for problem in own.problems(document, json.dumps(document).encode())]
        untagged = name.startswith("vectors-")  # some unions in there have members that differ in a key or two
        within = f"{json_path(place)}."  # an empty object lacks what an object there would have to hold
        assert any(one == json_path(place) or one.startswith(within) for one in told) or (
            untagged and any(one.startswith(json_path(place[:-1])) for one in told)
        )
        with pytest.raises(ValidationError) as caught:
            read(name, json.dumps(document))
        named = place[:-1] if place[-1] in TAGS else place
        assert any(_in_order(named, error["loc"]) for error in caught.value.errors())

    run()


def _in_order(place: Place, loc: Place) -> bool:
    """Whether the steps of a place all come, in order, in a pydantic location, which also names members of unions."""
    left = iter(loc)
    return all(step in left for step in place)


def test_a_routing_record_is_three_axes_deep() -> None:
    """A record with an axis too few, a ragged one and one of fractions are refused by place."""
    own = OwnSchema("routing-record")
    for record, path in [([[1, 2]], "[0][0]"), ([[[1, 2], [3]]], "[0][1]"), ([[[1, 2.0]]], "[0][0][1]")]:
        assert own.problems(record, b"")[0].path == path, record
