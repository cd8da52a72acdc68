"""Vectors of chapter identity: the limits of a declaration, and documents that are read or refused."""

import hashlib
from typing import Any

from packer_spec.oracle import identity
from packer_spec.oracle.typed_values import value_of
from packer_spec.vectors.probe import EITHER, Group, Probe, Refusal
from packer_spec.vectors.tagged import PROCESSOR, SEMANTICS, float_, int_, list_, map_

__all__ = ["GROUPS"]

_TOY = "my.module.Toy"
_LARGEST = map_(("t", {"repeat": ["x", 65528]}))
_TOO_LARGE = map_(("t", {"repeat": ["x", 65529]}))
_DEEPEST = map_(("t", {"nest": 99}))
_TOO_DEEP = map_(("t", {"nest": 100}))
_LONGEST = map_(("t", {"nines": 4300}))
_TOO_LONG = map_(("t", {"nines": 4301}))


def _made(note: str, declaration: Any) -> Probe:
    return Probe(note, {"packer": _TOY, "parts": {"semantics": declaration}})


def _not_made(note: str, declaration: Any, *mentions: str) -> Probe:
    return Probe(note, _made(note, declaration).input, Refusal(EITHER, ("semantics", *mentions)))


def _document(parts: dict[str, Any], packer: str = _TOY, digests: list[str] | None = None) -> dict[str, Any]:
    """A document by field; with `digests` those stand in the parts, and the digest over the parts is over them."""
    own = digests or [identity.sha256(value_of(tree)) for tree in parts.values()]
    pairs = [
        (name, map_(("value", tree), ("sha256", digest)))
        for (name, tree), digest in zip(parts.items(), own, strict=True)
    ]
    whole = identity.sha256(dict(zip(parts, own, strict=True)))
    return {"schema_version": int_(1), "packer": packer, "parts": map_(*pairs), "sha256": whole}


def _tree(document: dict[str, Any]) -> dict[str, Any]:
    return map_(*document.items())


def _read(note: str, parts: dict[str, Any], packer: str = _TOY) -> Probe:
    return Probe(note, {"document": _tree(_document(parts, packer))})


def _unread(note: str, document: Any, *mentions: str) -> Probe:
    return Probe(note, {"document": document}, Refusal("ValueError", mentions))


def _changed(note: str, *mentions: str, **fields: Any) -> Probe:
    """The toy's document with fields changed or added."""
    return _unread(note, _tree(_DOCUMENT | fields), *mentions)


def _without(field: str) -> Probe:
    kept = {name: value for name, value in _DOCUMENT.items() if name != field}
    return _unread(f"a document without {field}", _tree(kept), field)


def _in_part(note: str, *mentions: str, drop: str = "", **fields: Any) -> Probe:
    """The toy's document with the fields of its part changed, dropped or added."""
    part = {"value": SEMANTICS, "sha256": _DIGEST} | fields
    parts = map_(("semantics", map_(*(pair for pair in part.items() if pair[0] != drop))))
    return _unread(note, _tree(_DOCUMENT | {"parts": parts}), *mentions)


def _undeclared(note: str, declaration: Any, text: str) -> Probe:
    """A document with the digests of a text, so that nothing but the declaration is wrong."""
    digest = hashlib.sha256(text.encode()).hexdigest()
    return _unread(note, _tree(_document({"semantics": declaration}, digests=[digest])), "value")


def _text(value: str) -> str:
    return f'{{"t":{value}}}'


_DOCUMENT = _document({"semantics": SEMANTICS})
_BOTH = {"semantics": SEMANTICS, "processor": PROCESSOR}
_DIGEST = identity.sha256(value_of(SEMANTICS))
_SWAPPED = [identity.sha256(value_of(tree)) for tree in (PROCESSOR, SEMANTICS)]
_OTHER = "0" * 64

GROUPS = (
    Group(
        "IDENT-4",
        [
            Probe("lists in 100 levels, the outermost counted", {"value": {"nest": 100}}),
            Probe("lists in 101 levels", {"value": {"nest": 101}}, Refusal(EITHER)),
            Probe("maps and lists count alike: 101 levels", {"value": _TOO_DEEP}, Refusal(EITHER)),
            Probe("a number in the hundredth level is no level", {"value": {"list": [_DEEPEST["map"][0][1], int_(1)]}}),
            Probe("an integer of 4,301 digits", {"value": {"nines": 4301}}, Refusal(EITHER)),
        ],
    ),
    Group(
        "IDENT-3",
        [
            _made("a declaration of 65,536 bytes", _LARGEST),
            _not_made("a declaration of 65,537 bytes", _TOO_LARGE, "65537", "65536"),
            _made("65,536 bytes in 32,772 characters", map_(("t", {"repeat": ["\u00e9", 32764]}))),
            _not_made(
                "65,538 bytes in 32,773 characters", map_(("t", {"repeat": ["\u00e9", 32765]})), "65538", "65536"
            ),
            _made("a declaration of 100 levels, itself the first", _DEEPEST),
            _not_made("a declaration of 101 levels", _TOO_DEEP),
            _made("an integer of 4,300 digits in a declaration", _LONGEST),
            _not_made("an integer of 4,301 digits in a declaration", _TOO_LONG),
            _not_made("an empty declaration", map_()),
            _not_made("a declaration that is a list", list_(map_(("a", int_(1))))),
            _not_made("a declaration that is a text", "qwen2"),
            _not_made("a declaration that is nothing", None),
        ],
    ),
    Group(
        "IDENT-5",
        [
            _read("a document is read", {"semantics": SEMANTICS}),
            _read("a document of both parts is read", _BOTH),
            _read("parts in another order", dict(reversed(_BOTH.items()))),
            _read("a processor alone", {"processor": PROCESSOR}),
            _read("the class has moved", {"semantics": SEMANTICS}, "other.module.Toy"),
            _read("a document with a declaration of 65,536 bytes", {"semantics": _LARGEST}),
            _read("a document with a declaration of 100 levels", {"semantics": _DEEPEST}),
            _read("a document with an integer of 4,300 digits", {"semantics": _LONGEST}),
        ],
    ),
    Group(
        "IDENT-5",
        [
            _in_part("the digest of a part is another", "sha256", sha256=_OTHER),
            _in_part("the digest of a part in capitals is another text", "sha256", sha256=_DIGEST.upper()),
            _in_part("the value of a part was edited", "sha256", value=map_(*SEMANTICS["map"][:4])),
            _in_part(
                "an integer of a value became a float",
                "sha256",
                value=map_(
                    *(pair if pair[0] != "pad_token_id" else (pair[0], float_("0.0")) for pair in SEMANTICS["map"])
                ),
            ),
            _changed("the digest over the parts is another", "sha256", sha256=_OTHER),
            _changed("the digest over the parts is that of the one part", "sha256", sha256=_DIGEST),
            _changed("a part too many, which the digest does not cover", "sha256", parts=_document(_BOTH)["parts"]),
            _unread(
                "the digests of two parts, each in the place of the other",
                _tree(_document(_BOTH, digests=_SWAPPED)),
                "sha256",
            ),
        ],
    ),
    Group(
        "IDENT-5",
        [
            *map(_without, ("schema_version", "packer", "parts", "sha256")),
            _changed("a document with a field too many", "created", created="2026-01-01"),
            _in_part("a part without its value", "value", drop="value"),
            _in_part("a part without its digest", "sha256", drop="sha256"),
            _in_part("a part with a field too many", "comment", comment=""),
            _unread("a part by another name", _tree(_document({"video": SEMANTICS})), "video"),
            _changed("no parts", "parts", parts=map_()),
            _changed("schema_version 2", "schema_version", "2", schema_version=int_(2)),
            _changed("schema_version 0", "schema_version", "0", schema_version=int_(0)),
            _changed("a schema_version that is a text", "schema_version", schema_version="1"),
            _changed("a schema_version that is a float", "schema_version", schema_version=float_("1.0")),
            _changed("a schema_version that is true", "schema_version", schema_version=True),
            _changed("a packer that is no text", "packer", packer=None),
            _changed("parts in a list", "parts", parts=list_("semantics")),
            _in_part("a value that is a list", "value", value=list_()),
            _in_part("a digest that is nothing", "sha256", sha256=None),
            _unread("a document that is a list", list_(_tree(_DOCUMENT))),
            _unread("a document that is a text", "semantics"),
        ],
    ),
    Group(
        "IDENT-5",
        [
            _undeclared("a document with an empty declaration", map_(), "{}"),
            _undeclared("a document with a declaration of 65,537 bytes", _TOO_LARGE, _text('"' + "x" * 65529 + '"')),
            _undeclared("a document with a declaration of 101 levels", _TOO_DEEP, _text("[" * 100 + "]" * 100)),
            _undeclared("a document with an integer of 4,301 digits", _TOO_LONG, _text("9" * 4301)),
            _undeclared("a document with a declaration that holds NaN", map_(("t", float_("NaN"))), _text("NaN")),
            _undeclared(
                "a document with half a pair of surrogates", map_(("t", {"utf16": "d83d"})), _text('"\\ud83d"')
            ),
        ],
    ),
)
