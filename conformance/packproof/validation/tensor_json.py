"""JSON Schema validation that knows tensors: nested arrays, taken in at one look, whose rows are of one length."""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend

__all__ = ["TensorValidator", "tensor_of"]

_plain_items = Draft202012Validator.VALIDATORS["items"]

_BOUNDS = {"bool": (0, 1), "uint8": (0, 2**8 - 1)} | {
    f"int{bits}": (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in (8, 16, 32, 64)
}


class _Block(NamedTuple):
    """Nested lists taken apart: the sizes of the axes, and the numbers in order."""

    shape: list[int]
    numbers: list[Any]


def tensor_of(block: list[Any], declared: Mapping[str, Any]) -> Any:
    """The `torch.Tensor` that nested lists are as `x-tensor` declares it, or None if they are none.

    They are one with its axes, rows of one length, its kind of number, and of the first dtype that holds them all.
    """
    taken = _taken_apart(block, declared)
    if taken is None or (dtype := _dtype_of(taken.numbers, declared["dtypes"])) is None:
        return None
    import torch  # takes a second or more, and most documents hold no tensor

    if not taken.numbers:  # an empty buffer is refused
        return torch.zeros(taken.shape, dtype=getattr(torch, dtype))
    wide = torch.frombuffer(array("q", taken.numbers), dtype=torch.int64)  # many times as fast as from a list
    return wide.to(getattr(torch, dtype)).reshape(taken.shape)


def _taken_apart(block: list[Any], declared: Mapping[str, Any]) -> _Block | None:
    """A block of even rows and the declared kind of number, or None."""
    shape, level = [len(block)], block
    for _ in declared["axes"][1:]:
        if not {list}.issuperset(map(type, level)) or len(set(map(len, level))) > 1:
            return None
        shape.append(len(level[0]) if level else 0)
        level = list(chain.from_iterable(level))
    wanted = bool if declared["dtypes"] == ["bool"] else int
    return _Block(shape, level) if {wanted}.issuperset(map(type, level)) else None


def _dtype_of(numbers: Sequence[int], dtypes: Sequence[str]) -> str | None:
    low, high = (min(numbers), max(numbers)) if numbers else (0, 0)
    return next((dtype for dtype in dtypes if _BOUNDS[dtype][0] <= low and high <= _BOUNDS[dtype][1]), None)


def _items(validator: Any, items: Any, instance: Any, schema: Mapping[str, Any]) -> Iterator[ValidationError]:
    """The keyword `items`, which of a tensor looks at single numbers only if something is wrong with it."""
    declared = schema.get("x-tensor")
    if declared and isinstance(instance, list):
        if (taken := _taken_apart(instance, declared)) is not None:
            if _dtype_of(taken.numbers, declared["dtypes"]) is None:
                yield _too_large(taken, declared["dtypes"])
            return
        if (uneven := _uneven(instance, declared["axes"])) is not None:
            yield uneven
            return
    yield from _plain_items(validator, items, instance, schema)


def _too_large(taken: _Block, dtypes: Sequence[str]) -> ValidationError:
    """The number furthest from 0 in a block that no dtype holds."""
    number = max(range(len(taken.numbers)), key=lambda place: abs(taken.numbers[place]))
    said = f"expected integers that {' or '.join(dtypes)} holds, got {taken.numbers[number]}"
    return ValidationError(said, validator="x-tensor", path=_place(number, taken.shape))


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
