"""JSON Schema validation that knows tensors: nested arrays, taken in at one look, whose rows are of one length."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend

__all__ = ["TensorValidator", "is_tensor_json"]

_plain_items = Draft202012Validator.VALIDATORS["items"]


def is_tensor_json(block: Any, declared: Mapping[str, Any]) -> bool:
    """Whether nested lists are a tensor as `x-tensor` declares it: its axes, rows of one length, its kind of number."""
    level = block
    for _ in declared["axes"][1:]:
        if not {list}.issuperset(map(type, level)) or len(set(map(len, level))) > 1:
            return False
        level = list(chain.from_iterable(level))
    return {bool if declared["dtypes"] == ["bool"] else int}.issuperset(map(type, level))


def _items(validator: Any, items: Any, instance: Any, schema: Mapping[str, Any]) -> Iterator[ValidationError]:
    """The keyword `items`, which of a tensor looks at single numbers only if something is wrong with it."""
    declared = schema.get("x-tensor")
    if declared and isinstance(instance, list):
        if is_tensor_json(instance, declared):
            return
        if (uneven := _uneven(instance, declared["axes"])) is not None:
            yield uneven
            return
    yield from _plain_items(validator, items, instance, schema)


def _uneven(block: list[Any], axes: Sequence[str]) -> ValidationError | None:
    """The first row that is not as long as the first one along its axis."""
    level, sizes = block, [len(block)]
    for axis in axes[1:]:
        if not {list}.issuperset(map(type, level)):
            return None
        for number, row in enumerate(level):
            if len(row) != len(level[0]):
                said = f"expected length {len(level[0])} along {axis}, as in the first row, got {len(row)}"
                return ValidationError(said, validator="x-tensor", path=_place(number, sizes))
        sizes.append(len(level[0]) if level else 0)
        level = list(chain.from_iterable(level))
    return None


def _place(number: int, sizes: Sequence[int]) -> list[int]:
    """The index, one number per axis, of the row that comes as `number` when all are counted through."""
    place = []
    for size in reversed(sizes):
        number, step = divmod(number, size)
        place.insert(0, step)
    return place


def _is_integer(_: object, value: object) -> bool:
    return type(value) is int


TensorValidator = extend(
    Draft202012Validator,
    {"items": _items},
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine("integer", _is_integer),
)
"""JSON Schema 2020-12, stricter in two points that a schema cannot express: tensors, and `1.0`, which is no integer."""
