"""Typed values as JSON that no parser can spoil: numbers, lists and maps carry a tag.

Many parsers read `1` and `1.0` as the same number, round integers beyond 2**53, drop all but one of two equal keys, or
refuse a text with a lone surrogate. So: strings, `true`, `false` and `null` stand for themselves, and

    {"int": "1"}   {"float": "0.1"}   {"list": [value, ...]}   {"map": [[key, value], ...]}   {"utf16": "d83dde00"}

stand for an integer in decimal digits, a float (also `"NaN"`, `"Infinity"`, `"-Infinity"`), a list, a map in the order
in which it was written, and a string given by its UTF-16 code units in hex.
"""

import re
from typing import Any

__all__ = ["value_of"]


def value_of(tree: Any) -> Any:
    """The Python value of a tagged tree; `ValueError` for a map that names a key twice."""
    if tree is None or isinstance(tree, (bool, str)):
        return tree
    ((tag, content),) = tree.items()
    if tag == "int":
        return int(content)
    if tag == "float":
        return float(content)
    if tag == "list":
        return [value_of(item) for item in content]
    if tag == "utf16":
        return _from_code_units(content)
    if tag != "map":
        raise KeyError(f"no tag is named {tag!r}")
    pairs = [(value_of(key), value_of(value)) for key, value in content]
    keys = [key for key, _ in pairs]
    for key in keys:
        if keys.count(key) > 1:
            raise ValueError(f"the key {key!r} is there {keys.count(key)} times")
    return dict(pairs)


def _from_code_units(units: str) -> str:
    """The string of these code units; those that form no pair become lone surrogates."""
    data = b"".join(bytes.fromhex(unit) for unit in re.findall("....", units))
    return data.decode("utf-16-be", "surrogatepass")
