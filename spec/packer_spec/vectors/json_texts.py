"""Vectors of chapter identity: JSON texts that are read into values, and what a reader must not let pass."""

from typing import Any

from packer_spec.vectors.probe import EITHER, Group, Probe, Refusal

__all__ = ["GROUPS"]


def _read(note: str, text: str) -> Probe:
    return Probe(note, {"text": text})


def _refused(note: str, text: Any) -> Probe:
    return Probe(note, {"text": text}, Refusal(EITHER))


GROUPS = (
    Group(
        "IDENT-4",
        [
            _read("a text: without a point and an exponent it is an integer", "1"),
            _read("a text: with a point it is a float", "1.0"),
            _read("a text: with an exponent it is a float", "1e2"),
            _read("a text: the exponent in capitals, with a plus", "12E+3"),
            _read("a text: minus zero without a point is the integer 0", "-0"),
            _read("a text: minus zero with a point is a float", "-0.0"),
            _read("a text: minus zero with an exponent is a float", "-0e0"),
            _read("a text: an integer that a double cannot hold", "[9007199254740993, 18446744073709551617]"),
            _read("a text: digits that a double has not room for", "0.1000000000000000055511151231257827"),
            _read("a text: a float too small for any double but zero", "1e-400"),
            _read("a text: the largest double", "1.7976931348623157e308"),
            _read("a text with white space, and keys in another order", ' {"b" : 1.0 ,\n\t"a": [true, null] }\r\n'),
            _read("a text with escapes that the canonical form has not", '"\\u00e9 \\/ \\u0041 \\ud83d\\ude00"'),
            _read("a text with one key in two objects", '{"a": {"a": 1}, "b": {"a": 1}}'),
        ],
    ),
    Group(
        "IDENT-4",
        [
            _refused("a text with a key twice", '{"a": 1, "b": 2, "a": 3}'),
            _refused("a text with a key twice, and one value", '{"a": 1, "a": 1}'),
            _refused("a text with a key twice, once spelled by an escape", '{"a": 1, "\\u0061": 2}'),
            _refused("a text with a key twice in an inner object", '{"a": [{"b": {}, "b": []}]}'),
            _refused("a text with a number beyond every double", "1e400"),
            _refused("a text with a number below every double", '{"a": -1.5e309}'),
            _refused("a text with NaN, which is no JSON", "NaN"),
            _refused("a text with Infinity, which is no JSON", "[Infinity]"),
            _refused("a text with minus Infinity, which is no JSON", '{"a": -Infinity}'),
            _refused("a text with half a pair of surrogates", '"\\ud83d"'),
            _refused("a text with the other half of a pair in a key", '{"\\ude00": 1}'),
            _refused("a text with an integer of 4,301 digits", {"repeat": ["9", 4301]}),
        ],
    ),
)
