"""The one way to write JSON data down, so that equal data gives equal bytes and a digest of it means something."""

import hashlib
import json
import math
import re
from collections.abc import Iterable
from typing import Any

__all__ = ["canonical_json", "identity_digest", "json_path"]

MAX_DEPTH = 100
"""Levels of lists and objects, the outermost one counted; a structure that contains itself has no end."""

MAX_DIGITS = 4300
"""Digits of an integer; JSON readers, Python's among them, refuse longer ones."""

_TOO_LARGE = 10**MAX_DIGITS


def canonical_json(value: Any, where: str = "") -> bytes:
    """The canonical bytes of plain JSON data: None, bool, int, float, str, list and dict, each of exactly that type.

    UTF-8, no white space, keys sorted by code point, nothing escaped that JSON lets stand, integers in full, floats
    as Python's repr. `1`, `1.0` and `true` are three different values. What JSON has no word for is refused, never
    converted: `ValueError` for NaN, infinities, lone surrogates, integers of more than 4300 digits and nesting
    deeper than 100 levels; `TypeError` for any other type, for subclasses (numpy scalars, enums, ordered dicts) and
    for keys that are no strings. The message names the path, which begins with `where`.
    """
    try:
        _expect_plain(value, MAX_DEPTH)
    except _NotPlain as found:
        raise found.error(f"{json_path(reversed(found.steps), where) or 'the value'}: {found}") from None
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))
    return text.encode("utf-8")


def identity_digest(value: Any, where: str = "") -> str:
    """SHA-256 over `canonical_json(value)`, as 64 lower-case hexadecimal digits; refuses what that refuses."""
    return hashlib.sha256(canonical_json(value, where)).hexdigest()


def json_path(steps: Iterable[str | int], where: str = "") -> str:
    """A place in a document, `vocab[3].text`, behind `where`; a key that is no plain name reads `["a b"]`."""
    for step in steps:
        plain = isinstance(step, str) and re.fullmatch(r"[\w-]+", step)
        where += f".{step}" if plain and where else str(step) if plain else f"[{json.dumps(step)}]"
    return where


class _NotPlain(Exception):
    """What is no plain JSON data; `steps` is its path, innermost first, filled in on the way out."""

    def __init__(self, error: type[Exception], message: str) -> None:
        super().__init__(message)
        self.error = error
        self.steps: list[str | int] = []


def _expect_plain(value: Any, depth: int) -> None:
    kind = type(value)
    if kind is str:
        _expect_text(value)
    elif kind is dict or kind is list:
        if depth == 0:
            raise _NotPlain(ValueError, f"nested deeper than {MAX_DEPTH} levels; does it contain itself?")
        step: Any = None
        try:
            if kind is dict:
                _expect_keys(value)
            for step, item in value.items() if kind is dict else enumerate(value):  # noqa: B007  read below
                _expect_plain(item, depth - 1)
        except _NotPlain as found:
            if step is not None:
                found.steps.append(step)
            raise
    elif kind is float:
        if not math.isfinite(value):
            raise _NotPlain(ValueError, f"{value!r} is not in JSON, expected a finite number")
    elif kind is int:
        if not -_TOO_LARGE < value < _TOO_LARGE:
            raise _NotPlain(ValueError, f"an integer of more than {MAX_DIGITS} digits")
    elif value is not None and kind is not bool:
        plain = "plain JSON data (None, bool, int, float, str, list or dict of exactly that type)"
        raise _NotPlain(TypeError, f"expected {plain}, got {_name(value)}; convert it first")


def _expect_keys(value: dict[Any, Any]) -> None:
    for key in value:
        if type(key) is not str:
            raise _NotPlain(TypeError, f"the key {key!r} is of type {_name(key)}, expected a plain string")
        _expect_text(key)


def _expect_text(text: str) -> None:
    if not text.isascii() and (found := re.search("[\ud800-\udfff]", text)):
        raise _NotPlain(ValueError, f"the lone surrogate {found[0]!a} in {ascii(text)[:60]} is no text")


def _name(value: object) -> str:
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
