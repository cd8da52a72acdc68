"""Chapter identity: one text for one value, so that equal values have equal digests in every language.

The serialiser is written by hand and shares nothing with the `json` module, which it is compared with in the tests.
"""

import hashlib
import math
from typing import Any

__all__ = ["canonical", "sha256"]

_LEVELS = 100
_DIGITS = 4300
_WORDS = {None: "null", True: "true", False: "false"}
_SHORT_ESCAPES = {
    '"': '\\"',
    "\\": "\\\\",
    "\b": "\\b",
    "\t": "\\t",
    "\n": "\\n",
    "\f": "\\f",
    "\r": "\\r",
}


def canonical(value: Any, level: int = 1) -> str:
    """The canonical JSON text of a value; its bytes are the UTF-8 encoding of it.

    No white space; keys sorted by Unicode code point; integers in full decimal digits; floats as the shortest digits
    that round-trip, written as Python's `repr` writes them; only `"`, `\\` and U+0000 to U+001F escaped. So `1`, `1.0`
    and `true` differ (IDENT-4).

    `ValueError` for NaN, infinities, lone surrogates, integers of more than 4300 digits and lists and maps in more than
    100 levels, of which the outermost is 1; `TypeError` for keys that are no strings and for every other type. A map
    that names a key twice is refused where it is read: a `dict` cannot hold one.
    """
    if value is None or type(value) is bool:
        return _WORDS[value]
    if type(value) is int:
        return _integer(value)
    if type(value) is float:
        return _float(value)
    if type(value) is str:
        return _string(value)
    if type(value) not in (list, dict):
        raise TypeError(f"a {type(value).__name__} has no canonical form")
    if level > _LEVELS:
        raise ValueError(f"there are more than {_LEVELS} levels")
    if type(value) is list:
        return "[" + ",".join(canonical(item, level + 1) for item in value) + "]"
    return _map(value, level)


def sha256(value: Any) -> str:
    """SHA-256 over the canonical bytes, in lower-case hex."""
    return hashlib.sha256(canonical(value).encode("utf-8")).hexdigest()


def _integer(value: int) -> str:
    if abs(value) >= 10**_DIGITS:
        raise ValueError(f"an integer has more than {_DIGITS} digits")
    return str(value)


def _float(value: float) -> str:
    if math.isnan(value) or math.isinf(value):
        raise ValueError(f"{value!r} has no canonical form")
    return repr(value)


def _string(text: str) -> str:
    return '"' + "".join(_character(one) for one in text) + '"'


def _character(one: str) -> str:
    code = ord(one)
    if 0xD800 <= code <= 0xDFFF:
        raise ValueError(f"a string holds the lone surrogate U+{code:04X}")
    if one in _SHORT_ESCAPES:
        return _SHORT_ESCAPES[one]
    return f"\\u{code:04x}" if code < 0x20 else one


def _map(value: dict[Any, Any], level: int) -> str:
    for key in value:
        if type(key) is not str:
            raise TypeError(f"a key is a {type(key).__name__}, expected a string")
    # Python compares strings code point by code point, which is the order wanted; UTF-16 code units give another one.
    return "{" + ",".join(f"{_string(key)}:{canonical(value[key], level + 1)}" for key in sorted(value)) + "}"
