"""What a JSON Schema has against a document, in the words "expected ..., got ..." and with its place."""

import difflib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from packproof.validation.showing import Problem, place_of, show
from packproof.wording import plural

__all__ = ["problems_of", "resolved"]

Schema = Mapping[str, Any] | bool

_KINDS = {
    "array": "an array",
    "boolean": "true or false",
    "integer": "an integer",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "a string",
}
_SIZES = {"array": ("Items", "item"), "string": ("Length", "character"), "object": ("Properties", "key")}
_BOUNDS = {"minimum": ">=", "exclusiveMinimum": ">", "maximum": "<=", "exclusiveMaximum": "<"}
_DESCRIBED = {"type", "const", "enum", "pattern", "format", *_BOUNDS} | {
    f"{side}{size}" for side in ("min", "max") for size, _ in _SIZES.values()
}


def problems_of(error: Any, root: Schema) -> Iterator[Problem]:
    """The problems behind one jsonschema error under the schema `root`; of a union, those of the member meant."""
    path, given, keyword = list(error.absolute_path), error.instance, error.validator
    if keyword == "required" and isinstance(error.validator_value, list):  # in draft 3 it is `true`
        key = next(key for key in error.validator_value if error.message.startswith(repr(key)))
        wanted = error.schema.get("properties", {}).get(key, True)
        yield Problem(place_of([*path, key]), f"expected {_described(wanted, root)}, got nothing")
    elif keyword == "additionalProperties" and error.validator_value is False:
        yield from _unknown_keys(path, given, error.schema)
    elif keyword in ("anyOf", "oneOf") and error.context:
        yield from _of_union(error, root)
    elif keyword in _DESCRIBED:
        of_key = "propertyNames" in list(error.relative_schema_path)[-2:-1]
        place, what = ([*path, given], "a key: ") if of_key else (path, "")
        yield Problem(place_of(place), f"expected {what}{_described(error.schema, root)}, got {show(given)}")
    elif keyword == "x-tensor":
        yield Problem(place_of(path), error.message)
    else:
        rule = f"{keyword}: {json.dumps(error.validator_value)}"[:80] if keyword else "nothing here"
        yield Problem(place_of(path), f"expected {rule}, got {show(given)}")


def _unknown_keys(path: list[str | int], given: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[Problem]:
    known, patterns = list(schema.get("properties", ())), list(schema.get("patternProperties", ()))
    for key in given:
        if key not in known and not any(re.search(pattern, key) for pattern in patterns):
            close = difflib.get_close_matches(key[:60], known, n=1)
            hint = f"did you mean {close[0]}?" if close else f"known are {', '.join([*known, *patterns]) or 'none'}"
            yield Problem(place_of([*path, key]), f"expected no such key ({hint}), got {show(given[key])}")


def _of_union(error: Any, root: Schema) -> Iterator[Problem]:
    """Problems of the member of the union that the value was meant for; else what the members are, in words.

    A tag tells which one that is; without one, of the members of the value's own type the one with least against it.
    """
    path, given, members = list(error.absolute_path), error.instance, error.validator_value
    union = error.schema.get("discriminator")
    tag = union.get("propertyName") if isinstance(union, dict) else None
    errors: dict[Any, list[Any]] = {}
    for one in error.context or ():
        if one.relative_schema_path:  # the member `false` leaves none
            errors.setdefault(one.relative_schema_path[0], []).append(one)
    if tag is not None and isinstance(given, dict):
        told = {place: _tag(members[place], tag, root) for place in errors}
        meant = [place for place, value in told.items() if tag in given and value == given[tag]]
        if not meant:
            got = show(given[tag]) if tag in given else "nothing"
            yield Problem(place_of([*path, tag]), f"expected {_one_of(told.values())}, got {got}")
            return
    else:
        meant = [place for place, found in errors.items() if not any(_of_another_kind(one, given) for one in found)]
    if meant:
        for one in errors[min(meant, key=lambda place: len(errors[place]))]:
            yield from problems_of(one, root)
    else:
        wanted = " or ".join(dict.fromkeys(_described(member, root) for member in members))
        yield Problem(place_of(path), f"expected {wanted}, got {show(given)}")


def _tag(member: Schema, tag: str, root: Schema) -> Any:
    return resolved(resolved(member, root).get("properties", {}).get(tag, {}), root).get("const")


def _of_another_kind(error: Any, given: Any) -> bool:
    """Whether a member of a union refuses the value itself for what it is, rather than something inside it."""
    return error.instance is given and error.validator in ("type", "const", "enum")


def _described(schema: Schema, root: Schema) -> str:
    """The values that a schema takes, in a few words."""
    own = resolved(schema, root)
    if "const" in own:
        return show(own["const"])
    if "enum" in own:
        return _one_of(own["enum"])
    members = own.get("anyOf") or own.get("oneOf")
    if members and "type" not in own:
        return " or ".join(dict.fromkeys(_described(member, root) for member in members))
    if "x-tensor" in own:
        return f"an array [{', '.join(own['x-tensor']['axes'])}]"
    kinds = own.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if not kinds:
        limits = dict.fromkeys(limit for kind in _KINDS for limit in _limits(own, kind))
        return " ".join(["a value", *limits])
    return " or ".join(
        " ".join([_KINDS[kind], *_limits(own, kind)]) if kind in _KINDS else "a value" for kind in map(str, kinds)
    )


def _limits(schema: Mapping[str, Any], kind: str) -> Iterator[str]:
    """The limits that a schema puts on values of a kind: `>= 0`, `of at least 1 item`."""
    if kind in ("integer", "number") and (bounds := [key for key in _BOUNDS if key in schema]):
        yield " and ".join(f"{_BOUNDS[key]} {show(schema[key])}" for key in bounds)
    if kind in _SIZES:
        size, unit = _SIZES[kind]
        for side, words in (("min", "of at least"), ("max", "of at most")):
            if (count := schema.get(side + size)) is not None:
                yield f"{words} {count} {plural(count, unit)}"
    if kind == "string" and "pattern" in schema:
        yield f"that matches {schema['pattern']}"
    if kind == "string" and "format" in schema:
        yield f"that is a {schema['format']}{' such as 2030-01-31' * (schema['format'] == 'date')}"


def _one_of(values: Iterable[Any]) -> str:
    shown = [show(value) for value in values]
    return shown[0] if len(shown) == 1 else f"one of {', '.join(shown)}"


def resolved(schema: Schema, root: Schema) -> Mapping[str, Any]:
    """The schema itself, behind references within its own document."""
    for _ in range(9):  # a chain of references may run in a circle
        if not isinstance(schema, Mapping) or not str(schema.get("$ref", "")).startswith("#/$defs/"):
            break
        definitions = root["$defs"] if isinstance(root, Mapping) else {}
        schema = definitions.get(schema["$ref"].removeprefix("#/$defs/"), True)
    return schema if isinstance(schema, Mapping) else {}
