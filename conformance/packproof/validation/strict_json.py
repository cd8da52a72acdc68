"""JSON as other languages read it: no NaN, no key twice, no text that is no text, and every refusal with its place."""

import json
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from pydantic_core import from_json

from packproof.validation.showing import Problem, place_of, show

__all__ = ["MAX_DIGITS", "TOO_DEEP", "NotJson", "StrictReader", "decoded"]

_MAX_LEVELS = 200
"""Levels of nesting; pydantic's reader, and many in other languages, read no more."""

MAX_DIGITS = 4300
"""Digits of an integer; Python, and others, read no more unless they are told to."""

TOO_DEEP = f"expected at most {_MAX_LEVELS} levels of nesting, got more"
_PLAIN = frozenset({bool, int, str, type(None)})
_SCALARS = _PLAIN | {float}
_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


class NotJson(Exception):
    """The bytes are no JSON document; `problems` says where and why."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__(problems[0].said)
        self.problems = problems


@dataclass(frozen=True)
class _Odd:
    """Stands in a parsed document where the text is no JSON."""

    said: str


class StrictReader:
    """Reads JSON documents, one after the other."""

    def __init__(self) -> None:
        self._odd = False
        hooks: dict[str, Any] = {"object_pairs_hook": self._object, "parse_constant": self._constant}
        self._decoder = json.JSONDecoder(**hooks)
        self._number_by_number = json.JSONDecoder(parse_float=self._float, parse_int=self._integer, **hooks)

    def read(self, raw: bytes) -> Any:
        """The document in `raw`; `NotJson` for what is none, such as NaN, 1e999, a key given twice, lone surrogates."""
        sound, value = _quickly(raw)
        return value if sound else self._carefully(raw)

    def _carefully(self, raw: bytes) -> Any:
        """Python's own reader, several times slower, which lets us see every key and every literal."""
        text = decoded(raw).rstrip(" \t\r\n")
        try:
            value = self._decoded(self._decoder, text)
            finite = _survey(value)[1]
        except ValueError:  # an integer of more digits than Python reads
            value, finite = None, False
        if not finite:
            value = self._decoded(self._number_by_number, text)
        if _is_deep(value):
            raise NotJson(Problem("", TOO_DEEP))
        if self._odd:
            raise NotJson(*(Problem(place_of(path), odd.said) for path, odd in _nodes(value) if isinstance(odd, _Odd)))
        if b"\\u" in raw and _SURROGATE.search(raw) and (problem := _lone_surrogate(value)):
            raise NotJson(problem)
        return value

    def _decoded(self, decoder: json.JSONDecoder, text: str) -> Any:
        """What the text holds; `_Odd` stands where it is odd."""
        self._odd = False
        try:
            return decoder.decode(text)
        except json.JSONDecodeError as error:
            raise NotJson(Problem("", _syntax(text, error), error.lineno)) from error
        except RecursionError as error:
            raise NotJson(Problem("", TOO_DEEP)) from error

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            self._odd = True
            keys = [key for key, _ in pairs]
            for key in made:
                if (times := keys.count(key)) > 1:
                    made[key] = _Odd(f"expected the key once, got it {times} times")
        return made

    def _constant(self, name: str) -> _Odd:
        self._odd = True
        return _Odd(f"expected a JSON value, got {name}, which is not JSON")

    def _float(self, text: str) -> Any:
        if math.isfinite(value := float(text)):
            return value
        self._odd = True
        return _Odd(f"expected a number below 1.8e308, which is what others read, got {text[:60]}")

    def _integer(self, text: str) -> Any:
        if len(text) <= MAX_DIGITS:
            return int(text)
        self._odd = True
        return _Odd(f"expected an integer of at most {MAX_DIGITS} digits, got one of {len(text.lstrip('-'))}")


def decoded(raw: bytes) -> str:
    """The text of UTF-8 bytes; `NotJson` says where they are none, or that they look like UTF-16."""
    if raw[:2] in _UTF_16_MARKS or b"\0" in raw[:2]:
        begins = f"it begins with the bytes {raw[:2].hex(' ').upper()}"
        raise NotJson(Problem("", f"expected UTF-8, got what looks like UTF-16: {begins}", 1))
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        before = raw[: error.start]
        column = error.start - before.rfind(b"\n")
        said = f"expected UTF-8, got the byte 0x{raw[error.start]:02x} at byte {column} of the line"
        raise NotJson(Problem("", said, before.count(b"\n") + 1)) from error


def _quickly(raw: bytes) -> tuple[bool, Any]:
    """What a fast reader makes of `raw`, and whether that is surely all: of two equal keys it takes the last.

    The text has a colon for each key, so that a value with as many keys as there are colons lost none. Where texts
    hold colons, those behind a quote do as well if no white space stands before any; in `\\":` the quote is text.
    """
    try:
        value = from_json(raw, allow_inf_nan=False)
    except ValueError:
        return False, None
    keys, finite = _survey(value)
    if not finite:
        return False, None
    if raw.count(b":") == keys:
        return True, value
    if b'\\\\"' in raw or any(gap in raw for gap in (b" :", b"\t:", b"\n:", b"\r:")):
        return False, None
    return raw.count(b'":') - raw.count(b'\\":') == keys, value


def _survey(value: Any) -> tuple[int, bool]:
    """The number of keys in a document, at all depths, and whether all its floats are finite."""
    count, finite, left = 0, True, [[value]]
    while left:
        node: Any = left.pop()
        if type(node) is dict:
            count += len(node)
            node = node.values()
        elif type(node) is not list:
            continue
        if _PLAIN.issuperset(map(type, node)):
            continue
        kinds = set(map(type, node))
        if float in kinds:
            finite = finite and ((kinds == {float} and math.isfinite(sum(node))) or _all_finite(node))
        if not kinds <= _SCALARS:
            left += node
    return count, finite


def _all_finite(values: Iterable[Any]) -> bool:
    """Whether all floats are finite; their sum, which is faster, may be infinite nevertheless."""
    return all(math.isfinite(value) for value in values if type(value) is float)


def _is_deep(value: Any) -> bool:
    """Whether lists and objects lie deeper in one another than is read."""
    level = [value]
    for _ in range(_MAX_LEVELS):
        inside = [node.values() if type(node) is dict else node for node in level if type(node) in (dict, list)]
        level = [item for node in inside if not _SCALARS.issuperset(map(type, node)) for item in node]
    return any(type(node) in (dict, list) for node in level)


def _syntax(text: str, error: json.JSONDecodeError) -> str:
    if not text:
        return "expected a JSON document, got nothing"
    if error.msg == "Extra data":
        more = "; several documents, one a line, are a .jsonl file" if "\n" in text else ""
        return f"expected one JSON document, got more text behind it at column {error.colno}{more}"
    if error.pos >= len(text):
        return f"expected JSON, got text that breaks off at column {error.colno} ({error.msg})"
    return f"expected JSON, got {show(text[error.pos : error.pos + 20])} at column {error.colno} ({error.msg})"


def _nodes(document: Any) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Every value and every key of a document, in order, with the place of the value, or of what holds the key."""
    left: list[tuple[tuple[str | int, ...], Any]] = [((), document)]
    while left:
        path, value = left.pop()
        yield path, value
        if isinstance(value, dict):
            yield from ((path, key) for key in value)
            left += [((*path, key), item) for key, item in reversed(value.items())]
        elif isinstance(value, list):
            left += [((*path, index), item) for index, item in reversed(list(enumerate(value)))]


def _lone_surrogate(document: Any) -> Problem | None:
    """The first text of a document that cannot be written as UTF-8."""
    for path, text in _nodes(document):
        if isinstance(text, str) and (found := re.search("[\ud800-\udfff]", text)):
            return Problem(place_of(path), f"expected text, got the lone surrogate {found[0]!a} in {show(text)}")
    return None
