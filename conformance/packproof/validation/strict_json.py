"""JSON as other languages read it: no NaN, no key twice, no text that is no text, and every refusal with its place."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pydantic_core import from_json

from packer_schemas.canonical import json_path

__all__ = ["NotJson", "Problem", "StrictReader", "show", "undecodable"]

MAX_LEVELS = 200
"""Levels of nesting; pydantic's reader, and many in other languages, read no more."""

_TOO_DEEP = f"expected at most {MAX_LEVELS} levels of nesting, got more"
_SCALARS = frozenset({bool, float, int, str, type(None)})
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


@dataclass(frozen=True)
class Problem:
    """One fault of a document: its place, in words what was expected and what is there, and the line if that is known.

    The place is a path of keys and indices; it is empty for the document as a whole.
    """

    path: str
    said: str
    line: int | None = None


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
        self._decoder = json.JSONDecoder(object_pairs_hook=self._object, parse_constant=self._constant)

    def read(self, raw: bytes) -> Any:
        """The document in `raw`; `NotJson` for what is none, such as NaN, a key given twice or a lone surrogate."""
        sound, value = _quickly(raw)
        return value if sound else self._carefully(raw)

    def _carefully(self, raw: bytes) -> Any:
        """Python's own reader, several times slower, which lets us see every key and every literal."""
        try:
            text = raw.decode("utf-8").rstrip(" \t\r\n")
        except UnicodeDecodeError as error:
            raise NotJson(undecodable(raw, error)) from error
        self._odd = False
        try:
            value = self._decoder.decode(text)
        except json.JSONDecodeError as error:
            raise NotJson(Problem("", _syntax(text, error), error.lineno)) from error
        except RecursionError as error:
            raise NotJson(Problem("", _TOO_DEEP)) from error
        except ValueError as error:  # an integer of more digits than Python reads
            raise NotJson(Problem("", f"expected JSON, got {error}")) from error
        if _is_deep(value):
            raise NotJson(Problem("", _TOO_DEEP))
        if self._odd:
            raise NotJson(*(Problem(json_path(path), odd.said) for path, odd in _nodes(value) if isinstance(odd, _Odd)))
        if b"\\u" in raw and _SURROGATE.search(raw) and (problem := _lone_surrogate(value)):
            raise NotJson(problem)
        return value

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


def undecodable(raw: bytes, error: UnicodeDecodeError) -> Problem:
    """Where bytes are no UTF-8."""
    before = raw[: error.start]
    newline = before.rfind(b"\n")
    said = f"expected UTF-8, got the byte 0x{raw[error.start]:02x} at byte {error.start - newline} of the line"
    return Problem("", said, before.count(b"\n") + 1)


def show(value: Any) -> str:
    """A value of a document in a few words or at most about 60 characters, fit for one line of a terminal."""
    if isinstance(value, dict):
        keys = [json_path([key]) for key in list(value)[:5]]
        return f"an object with {', '.join(keys)}{' ...' if len(value) > 5 else ''}" if value else "an empty object"
    if isinstance(value, list):
        return f"an array of {len(value)} {'item' if len(value) == 1 else 'items'}" if value else "an empty array"
    if isinstance(value, str):
        text = json.dumps(value[:60], ensure_ascii=not value[:60].isprintable())
        return text if len(value) <= 60 else f'{text[:-1]}..." ({len(value)} characters)'
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:50]}... ({len(text)} digits)"


def _quickly(raw: bytes) -> tuple[bool, Any]:
    """What a fast reader makes of `raw`, and whether that is surely all: of two equal keys it takes the last.

    The text has a colon for each key, so that a value with as many keys as there are colons lost none. Where texts
    hold colons, those behind a quote do as well if no white space stands before any; in `\\":` the quote is text.
    """
    try:
        value = from_json(raw, allow_inf_nan=False)
    except ValueError:
        return False, None
    keys = _count_keys(value)
    if raw.count(b":") == keys:
        return True, value
    if b'\\\\"' in raw or any(gap in raw for gap in (b" :", b"\t:", b"\n:", b"\r:")):
        return False, None
    return raw.count(b'":') - raw.count(b'\\":') == keys, value


def _count_keys(value: Any) -> int:
    """The number of keys in a document, at all depths."""
    count, left = 0, [value]
    while left:
        node = left.pop()
        if type(node) is dict:
            count += len(node)
            node = node.values()
        elif type(node) is not list:
            continue
        if not _SCALARS.issuperset(map(type, node)):
            left += node
    return count


def _is_deep(value: Any) -> bool:
    """Whether lists and objects lie deeper in one another than is read."""
    level = [value]
    for _ in range(MAX_LEVELS):
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
            return Problem(json_path(path), f"expected text, got the lone surrogate {found[0]!a} in {show(text)}")
    return None
