"""Typed values as JSON that no parser can spoil: numbers, lists and maps carry a tag.

Many parsers read `1` and `1.0` as the same number, round integers beyond 2**53, drop all but one of two equal keys, or
refuse a text with a lone surrogate. So: strings, `true`, `false` and `null` stand for themselves, and

    {"int": "1"}   {"float": "0.1"}   {"list": [value, ...]}   {"map": [[key, value], ...]}   {"utf16": "d83dde00"}

stand for an integer in decimal digits, a float (also `"NaN"`, `"Infinity"`, `"-Infinity"`), a list, a map in the order
in which it was written, and a string given by its UTF-16 code units in hex. What is too long to be written out is
described:

    {"repeat": ["x", 3]}   {"nines": 3}   {"nest": 3}

stand for the string `xxx`, the integer 999, and the list `[[[]]]`.
"""

import re
from collections.abc import Callable
from typing import Any

from packer_spec.oracle.json_text import map_of

__all__ = ["value_of"]


def value_of(tree: Any) -> Any:
    """The Python value of a tagged tree; `ValueError` for a map that names a key twice."""
    if tree is None or isinstance(tree, (bool, str)):
        return tree
    ((tag, content),) = tree.items()
    if tag == "list":
        return [value_of(item) for item in content]
    if tag in _PLAIN:
        return _PLAIN[tag](content)
    if tag == "map":
        return map_of([(value_of(key), value_of(value)) for key, value in content])
    raise KeyError(f"no tag is named {tag!r}")


def _from_code_units(units: str) -> str:
    """The string of these code units; those that form no pair become lone surrogates."""
    data = b"".join(bytes.fromhex(unit) for unit in re.findall("....", units))
    return data.decode("utf-16-be", "surrogatepass")


def _nested(levels: int) -> list[Any]:
    """An empty list in as many lists as make so many levels, the empty one counted."""
    value: list[Any] = []
    for _ in range(levels - 1):
        value = [value]
    return value


_PLAIN: dict[str, Callable[[Any], Any]] = {
    "int": int,
    "float": float,
    "utf16": _from_code_units,
    "repeat": lambda content: content[0] * content[1],
    "nines": lambda count: 10**count - 1,
    "nest": _nested,
}
