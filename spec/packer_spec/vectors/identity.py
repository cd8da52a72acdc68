"""Vectors of chapter identity: canonical texts and digests, of single values and of whole documents."""

from typing import Any

from packer_spec.oracle import documents, identity
from packer_spec.oracle.json_text import value_of_text
from packer_spec.oracle.typed_values import value_of
from packer_spec.vectors import identity_documents, json_texts
from packer_spec.vectors.probe import EITHER, MENTIONS, Group, Probe, Refusal
from packer_spec.vectors.tagged import PROCESSOR as _PROCESSOR
from packer_spec.vectors.tagged import SEMANTICS as _SEMANTICS
from packer_spec.vectors.tagged import float_ as _float
from packer_spec.vectors.tagged import int_ as _int
from packer_spec.vectors.tagged import list_ as _list
from packer_spec.vectors.tagged import map_ as _map

__all__ = ["DESCRIPTION", "GROUPS", "answer"]

DESCRIPTION = (
    "Canonical JSON and SHA-256. input: a value; or text, a JSON text that is read into a value; or packer and parts, "
    "of which a document is made; or document, one that is read. Values and documents are tagged, so that no JSON "
    'parser spoils them: {"int": "1"}, {"float": "0.1"}, {"list": [value, ...]}, {"map": [[key, value], ...]}, '
    '{"utf16": "d83dde00"}, and for what is long {"repeat": ["x", 3]} for xxx, {"nines": 3} for 999, {"nest": 3} for '
    "[[[]]]; strings, true, false and null stand for themselves. expected for a value or a text: canonical (its text), "
    "hex (the UTF-8 bytes of that) and sha256; for a document: the sha256 of each part, canonical (the text of the map "
    f"from part name to part sha256) and sha256. {MENTIONS}"
)


def answer(given: dict[str, Any]) -> dict[str, Any]:
    """What the oracle says of an input."""
    if "value" in given:
        return _digested(value_of(given["value"]))
    if "text" in given:
        return _digested(value_of_text(value_of(given["text"])))
    if "document" in given:
        return _summed_up(documents.read(value_of(given["document"])))
    parts = {name: value_of(tree) for name, tree in given["parts"].items()}
    return _summed_up(documents.make(given["packer"], parts))


def _summed_up(document: dict[str, Any]) -> dict[str, Any]:
    digests = {name: part["sha256"] for name, part in document["parts"].items()}
    return {"parts": digests, "canonical": identity.canonical(digests), "sha256": document["sha256"]}


def _digested(value: Any) -> dict[str, Any]:
    text = identity.canonical(value)
    return {"canonical": text, "hex": text.encode().hex(), "sha256": identity.sha256(value)}


def _value(note: str, tree: Any) -> Probe:
    return Probe(note, {"value": tree})


def _refused(note: str, tree: Any) -> Probe:
    return Probe(note, {"value": tree}, Refusal(EITHER))


_TEMPLATE = "{% for m in messages %}{{ m.content }}\n{% endfor %}"
_TURNED = _map(*(tuple(pair) for pair in reversed(_SEMANTICS["map"])))
_VIDEO = _map(*_PROCESSOR["map"][:2], ("video_processor", _map(("fps", _float("2.0")), ("type", "ToyVideos"))))


def _document(note: str, parts: dict[str, Any], packer: str = "my.module.Toy") -> Probe:
    return Probe(note, {"packer": packer, "parts": parts})


def _no_document(note: str, parts: dict[str, Any]) -> Probe:
    return Probe(note, {"packer": "my.module.Toy", "parts": parts}, Refusal(EITHER))


GROUPS = (
    Group(
        "IDENT-4",
        [
            _value("nothing", None),
            _value("true", True),
            _value("false", False),
            _value("the integer 1", _int(1)),
            _value("the float 1.0 is another value", _float("1.0")),
            _value("the string 1 is a third", "1"),
            _value("zero", _int(0)),
            _value("a negative integer", _int(-100)),
            _value("2**53 + 1, which a double cannot hold", _int(2**53 + 1)),
            _value("2**64", _int(2**64)),
            _value("-2**63 - 1, below 64 bits", _int(-(2**63) - 1)),
            _value("ten to the power of 40", _int(10**40)),
            _value("zero, a float", _float("0.0")),
            _value("minus zero, a float", _float("-0.0")),
            _value("0.1", _float("0.1")),
            _value("0.1 + 0.2 needs 17 digits", _float("0.30000000000000004")),
            _value("a third", _float("0.3333333333333333")),
            _value("0.0001 is the smallest power of ten written out", _float("0.0001")),
            _value("0.00001 has an exponent, of two digits", _float("0.00001")),
            _value("0.00012 is written out", _float("0.00012")),
            _value("1e15 is written out", _float("1e15")),
            _value("1e16 has an exponent", _float("1e16")),
            _value("the largest float that is written out", _float("9999999999999998.0")),
            _value("17 digits and an exponent", _float("123456789012345678.0")),
            _value("1e21, from which on JavaScript has exponents", _float("1e21")),
            _value("1e22, the last power of ten that is exact", _float("1e22")),
            _value("1.5e-7", _float("-1.5e-7")),
            _value("1e100 has an exponent of three digits", _float("1e100")),
            _value("2**53 as a float", _float("9007199254740992.0")),
            _value("2**53 + 1 is rounded where it is read", _float("9007199254740993.0")),
            _value("the smallest float above zero", _float("5e-324")),
            _value("the smallest normal float", _float("2.2250738585072014e-308")),
            _value("the largest float", _float("1.7976931348623157e308")),
            _value("a float with many digits written out", _float("1234567.891")),
        ],
    ),
    Group(
        "IDENT-4",
        [
            _value("the empty string", ""),
            _value("quotation mark and backslash, and a slash that is not escaped", 'a "b" \\ c/d'),
            _value("the five short escapes", "\b\t\n\f\r"),
            _value("other control characters, in lower-case hex", "\x00\x01\x0b\x1f"),
            _value("U+007F is not escaped", "\x7f"),
            _value("U+0080 and U+009F are not escaped", "\x80\x9f"),
            _value("the line separators U+2028 and U+2029 are not escaped", "\u2028\u2029"),
            _value("the byte order mark is not escaped", "\ufeffa"),
            _value("two bytes in UTF-8", "\u00e9"),
            _value("an accent of its own: not normalised to U+00E9", "e\u0301"),
            _value("three bytes in UTF-8", "\u4f60\u597d"),
            _value("four bytes in UTF-8", "\U0001f600"),
            _value("four bytes in UTF-8, given by two UTF-16 code units", {"utf16": "d83dde00"}),
            _value("the last code points before and after the surrogates", "\ud7ff\ue000\uffff\U0010ffff"),
            _value("characters that HTML escapes", "<a href='x'>&amp;</a>"),
            _value("a chat template", _TEMPLATE),
        ],
    ),
    Group(
        "IDENT-4",
        [
            _value("an empty list", _list()),
            _value("an empty map", _map()),
            _value("a list keeps its order", _list(_int(3), _int(1), _int(2))),
            _value("numbers of both types in a list", _list(_int(1), _float("1.0"), True, None, "1")),
            _value("lists in lists", _list(_list(), _list(_list(_int(1))))),
            _value("keys are sorted", _map(("b", _int(2)), ("a", _int(1)))),
            _value(
                "keys of inner maps are sorted too", _map(("z", _map(("b", _int(2)), ("a", _int(1)))), ("y", _map()))
            ),
            _value("a key before those that it begins", _map(("aa", _int(3)), ("", _int(1)), ("a", _int(2)))),
            _value("digits are sorted as text", _map(("9", _int(9)), ("10", _int(10)), ("1", _int(1)))),
            _value("capitals before small letters", _map(("b", _int(3)), ("B", _int(1)), ("_", _int(2)))),
            _value(
                "U+00E9 behind z, whatever the language",
                _map(("\u00e9", _int(2)), ("z", _int(1)), ("e\u0301", _int(0))),
            ),
            _value(
                "U+FB33 before U+1F600, which UTF-16 has the other way",
                _map(("\U0001f600", _int(2)), ("\ufb33", _int(1))),
            ),
            _value("U+FFFF before U+10000", _map(("\U00010000", _int(2)), ("\uffff", _int(1)), ("\ud7ff", _int(0)))),
            _value("two keys beyond U+FFFF", _map(("\U0001f601", _int(2)), ("\U0001f600", _int(1)))),
            _value("a key with control characters, sorted before it is escaped", _map(("!", _int(2)), ("\n", _int(1)))),
            _value("a key with a quotation mark", _map(('"', _int(1)))),
            _value(
                "the example of the chapter",
                _map(("b", _int(2)), ("a", _list(*map(_float, ("0.00001", "1e16", "0.1"))))),
            ),
            _value(
                "a tokenizer's content",
                _map(
                    ("vocab", _map(("a", _int(0)), ("b", _int(1)), ("ab", _int(2)))),
                    ("merges", _list(_list("a", "b"))),
                ),
            ),
        ],
    ),
    Group(
        "IDENT-4",
        [
            _refused("not a number", _float("NaN")),
            _refused("infinity", _float("Infinity")),
            _refused("minus infinity, inside a list", _list(_float("-Infinity"))),
            _refused("not a number, inside a map", _map(("a", _map(("b", _float("NaN")))))),
            _refused("half a pair of surrogates", {"utf16": "d83d"}),
            _refused("the other half of a pair, behind a letter", {"utf16": "0061de00"}),
            _refused("a pair in the wrong order", {"utf16": "de00d83d"}),
            _refused("half a pair in a key", _map(({"utf16": "d83d"}, _int(1)))),
            _refused("a key that is an integer", _map((_int(1), "a"))),
            _refused("a key that is true", _map((True, "a"))),
            _refused("a key that is nothing", _map((None, "a"))),
            _refused("a key that is a float", _map((_float("1.0"), "a"))),
            _refused("a key twice", _map(("a", _int(1)), ("b", _int(2)), ("a", _int(3)))),
            _refused("a key twice with one value", _map(("a", _int(1)), ("a", _int(1)))),
            _refused(
                "a key twice, spelled in two ways", _map(("\U0001f600", _int(1)), ({"utf16": "d83dde00"}, _int(1)))
            ),
        ],
    ),
    Group(
        "IDENT-5",
        [
            _document("a packer that declares its semantics", {"semantics": _SEMANTICS}),
            _document("fields in another order", {"semantics": _TURNED}),
            _document(
                "a packer that declares its semantics and its processor",
                {"semantics": _SEMANTICS, "processor": _PROCESSOR},
            ),
            _document("parts in another order", {"processor": _PROCESSOR, "semantics": _SEMANTICS}),
            _document("the class has moved", {"semantics": _SEMANTICS, "processor": _PROCESSOR}, "other.module.Toy"),
            _document("a video processor", {"semantics": _SEMANTICS, "processor": _VIDEO}),
            _document("a processor and no semantics", {"processor": _PROCESSOR}),
            _no_document("nothing is declared", {}),
            _no_document("a part that is neither", {"semantics": _SEMANTICS, "video": _VIDEO}),
            _no_document("a declaration that holds NaN", {"semantics": _map(("scale", _float("NaN")))}),
        ],
    ),
    *identity_documents.GROUPS,
    *json_texts.GROUPS,
)
