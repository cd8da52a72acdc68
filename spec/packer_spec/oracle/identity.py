"""Chapter identity: one text for one value, so that equal values have equal digests in every language.

The serialiser is written by hand and shares nothing with the `json` module, which it is compared with in the tests.
"""

import hashlib
import math
from collections.abc import Mapping
from typing import Any

__all__ = ["canonical", "document", "sha256"]

_PARTS = ("semantics", "processor")
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


def canonical(value: Any) -> str:
    """The canonical JSON text of a value; its bytes are the UTF-8 encoding of it.

    No white space; keys sorted by Unicode code point; integers in full decimal digits; floats as the shortest digits
    that round-trip, written as Python's `repr` writes them; only `"`, `\\` and U+0000 to U+001F escaped. So `1`, `1.0`
    and `true` differ (IDENT-4).

    `ValueError` for NaN, infinities and lone surrogates, `TypeError` for keys that are no strings and for every other
    type. A map that names a key twice is refused where it is read: a `dict` cannot hold one.
    """
    if value is None or type(value) is bool:
        return _WORDS[value]
    if type(value) is int:
        return str(value)
    if type(value) is float:
        return _float(value)
    if type(value) is str:
        return _string(value)
    if type(value) is list:
        return "[" + ",".join(canonical(item) for item in value) + "]"
    if type(value) is dict:
        return _map(value)
    raise TypeError(f"a {type(value).__name__} has no canonical form")


def sha256(value: Any) -> str:
    """SHA-256 over the canonical bytes, in lower-case hex."""
    return hashlib.sha256(canonical(value).encode("utf-8")).hexdigest()


def document(packer: str, parts: Mapping[str, Any]) -> dict[str, Any]:
    """The identity document: every part with its digest, and one over the map from part name to part digest (IDENT-5).

    `packer` is information only and outside of every digest. `ValueError` for no parts, and for a part that is neither
    `semantics` nor `processor`.
    """
    if not parts or set(parts) - set(_PARTS):
        raise ValueError(f"the parts are {list(parts)}, expected one or both of {list(_PARTS)}")
    digests = {name: sha256(value) for name, value in parts.items()}
    return {
        "schema_version": 1,
        "packer": packer,
        "parts": {name: {"value": value, "sha256": digests[name]} for name, value in parts.items()},
        "sha256": sha256(digests),
    }


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


def _map(value: dict[Any, Any]) -> str:
    for key in value:
        if type(key) is not str:
            raise TypeError(f"a key is a {type(key).__name__}, expected a string")
    # Python compares strings code point by code point, which is the order wanted; UTF-16 code units give another one.
    return "{" + ",".join(f"{_string(key)}:{canonical(value[key])}" for key in sorted(value)) + "}"
