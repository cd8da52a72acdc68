"""Vectors of chapter routing: records laid beside the ids of a batch, fillers, and the borders of integer types."""

import math
from typing import Any

from packer_spec.oracle.routing import forward_replay_routing
from packer_spec.vectors.arrays import array, written
from packer_spec.vectors.probe import EITHER, Group, Probe, Refusal

__all__ = ["DESCRIPTION", "GROUPS", "answer"]

DESCRIPTION = (
    "Recorded expert routing. input: samples (input_ids, and record: integer [L-1, layers, top_k] or null) and "
    "max_len. expected: routing, which is what the batch holds under forward_replay_routing, [B, max_len, layers, "
    "top_k], or null where no sample has a record. An array is a dtype, a shape, and its values in row-major order."
)

_RULES = {"layout": "", "filler": "", "dtype": "", "rows": "", "all or none": "", "records": ""}
"""The requirement that each kind of vector belongs to."""


def answer(given: dict[str, Any]) -> dict[str, Any]:
    """What the oracle says of an input."""
    samples = given["samples"]
    records = [None if sample["record"] is None else array(sample["record"]) for sample in samples]
    routing = forward_replay_routing([len(sample["input_ids"]) for sample in samples], records, given["max_len"])
    return {"routing": None if routing is None else written(routing)}


def _record(shape: tuple[int, ...], values: list[int] | None = None, dtype: str = "int64") -> dict[str, Any]:
    """A record of these values, or of 0, 1, 2, ..."""
    return {"dtype": dtype, "shape": list(shape), "values": values or list(range(math.prod(shape)))}


def _largest(expert: int, dtype: str = "int64") -> dict[str, Any]:
    return _record((1, 1, 2), [expert, 0], dtype)


def _sample(length: int, record: dict[str, Any] | None, number: int = 1) -> dict[str, Any]:
    first = 100 * number + 10
    return {"input_ids": list(range(first, first + length)), "record": record}


def _batch(note: str, max_len: int, *samples: dict[str, Any]) -> Probe:
    return Probe(note, {"samples": list(samples), "max_len": max_len})


def _refused(note: str, max_len: int, *samples: dict[str, Any], mentions: tuple[str, ...], kind: str = "") -> Probe:
    return Probe(note, _batch(note, max_len, *samples).input, Refusal(kind or "ValueError", mentions))


def _typed(note: str, expert: int, dtype: str = "int64") -> Probe:
    return _batch(f"largest expert id {expert}: {note}", 2, _sample(2, _largest(expert, dtype)))


GROUPS = (
    Group(
        _RULES["layout"],
        [
            _batch("one layer, one expert: the row after the record is -1", 3, _sample(3, _record((2, 1, 1), [4, 5]))),
            _batch("two layers of two", 2, _sample(2, _record((1, 2, 2), [4, 5, 6, 7]))),
            _batch("expert 0 is an expert", 3, _sample(3, _record((2, 1, 2), [0, 1, 1, 0]))),
            _batch("layers and top_k are kept apart", 3, _sample(3, _record((2, 3, 2)))),
            _batch(
                "two samples, rows in their order",
                3,
                _sample(3, _record((2, 1, 1), [4, 5])),
                _sample(3, _record((2, 1, 1), [6, 7]), 2),
            ),
        ],
    ),
    Group(
        _RULES["filler"],
        [
            _batch("filler positions are -1 too", 4, _sample(2, _record((1, 1, 2), [4, 5]))),
            _batch(
                "the shorter of two",
                4,
                _sample(4, _record((3, 1, 1), [4, 5, 6])),
                _sample(2, _record((1, 1, 1), [7]), 2),
            ),
            _batch(
                "a sample of one id has a record of no rows",
                2,
                _sample(2, _record((1, 1, 2), [4, 5])),
                _sample(1, _record((0, 1, 2), []), 2),
            ),
            _batch("nothing but such a sample", 2, _sample(1, _record((0, 2, 1), []))),
            _batch("a record may say itself that a row is missing", 3, _sample(3, _record((2, 1, 2), [4, 5, -1, -1]))),
        ],
    ),
    Group(
        _RULES["dtype"],
        [
            _typed("int8", 0),
            _typed("int8", 127),
            _typed("int16, for int8 ends at 127", 128),
            _typed("int8, whatever the record's own type", 127, "int32"),
            _typed("a byte of 127 stays in 8 bits", 127, "uint8"),
            _typed("a byte of 128 is widened", 128, "uint8"),
            _typed("a byte of 255 is widened and is not the filler", 255, "uint8"),
            _typed("int16", 256),
            _typed("int16", 32767),
            _typed("int32, for int16 ends at 32767", 32768),
            _typed("int32, which 16 bits without a sign would hold", 65535),
            _typed("int32", 2**31 - 1),
            _typed("int64", 2**31),
            _batch(
                "one large id in any sample is enough",
                3,
                _sample(2, _largest(3, "int8")),
                _sample(3, _record((2, 1, 2), [0, 1, 2, 300], "int16"), 2),
            ),
            _batch(
                "records of several types",
                2,
                _sample(2, _largest(3, "int8")),
                _sample(2, _largest(4, "int64"), 2),
                _sample(2, _largest(255, "uint8"), 3),
            ),
            _batch("nothing recorded but missing rows", 2, _sample(2, _record((1, 1, 2), [-1, -1], "int32"))),
        ],
    ),
    Group(
        _RULES["rows"],
        [
            _refused("one row per id is one too many", 3, _sample(3, _record((3, 1, 1))), mentions=("0", "3", "2")),
            _refused("one row too few", 3, _sample(3, _record((1, 1, 1))), mentions=("0", "1", "2")),
            _refused(
                "the second sample has the rows of the first",
                4,
                _sample(3, _record((2, 1, 1))),
                _sample(4, _record((2, 1, 1)), 2),
                mentions=("1", "2", "3"),
            ),
            _refused(
                "a row for the last position of a sample of one id",
                2,
                _sample(1, _record((1, 1, 1))),
                mentions=("1", "0"),
            ),
            _refused("no rows at all", 2, _sample(2, _record((0, 1, 1), [])), mentions=("0", "1")),
            _refused("a sample longer than max_len", 2, _sample(3, _record((2, 1, 1))), mentions=("0", "3", "2")),
        ],
    ),
    Group(
        _RULES["all or none"],
        [
            _batch("no sample has a record: no routing", 3, _sample(3, None), _sample(2, None, 2)),
            _refused("the first has none", 3, _sample(3, None), _sample(2, _record((1, 1, 1)), 2), mentions=("0",)),
            _refused("the last has none", 3, _sample(3, _record((2, 1, 1))), _sample(2, None, 2), mentions=("1",)),
        ],
    ),
    Group(
        _RULES["records"],
        [
            _refused(
                "other layers than the first",
                2,
                _sample(2, _record((1, 2, 1))),
                _sample(2, _record((1, 1, 1)), 2),
                mentions=("1", "2"),
            ),
            _refused(
                "another top_k than the first",
                2,
                _sample(2, _record((1, 2, 1))),
                _sample(2, _record((1, 2, 3)), 2),
                mentions=("1", "3"),
            ),
            _refused(
                "layers and top_k the other way round",
                2,
                _sample(2, _record((1, 2, 3))),
                _sample(2, _record((1, 3, 2)), 2),
                mentions=("1",),
            ),
            _refused("two axes", 3, _sample(3, _record((2, 2))), mentions=("0",)),
            _refused("four axes, as of a batch", 3, _sample(3, _record((1, 2, 1, 2))), mentions=("0",)),
            _refused("an id below -1", 2, _sample(2, _record((1, 1, 2), [4, -2])), mentions=("0", "-2")),
            _refused("floats", 2, _sample(2, _record((1, 1, 2), [4, 5], "float32")), mentions=("0",), kind=EITHER),
            _refused("bools", 2, _sample(2, _record((1, 1, 2), [0, 1], "bool")), mentions=("0",), kind=EITHER),
        ],
    ),
)
