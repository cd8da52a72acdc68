"""Vectors of chapter routing: records that follow their ids through cuts, joins and turns."""

from typing import Any

from packer_spec.oracle import records
from packer_spec.oracle.arrays import Array
from packer_spec.vectors.arrays import array, written
from packer_spec.vectors.probe import Group, Probe, Refusal
from packer_spec.vectors.routing_batches import none, sample

__all__ = ["GROUPS", "REFUSED", "answer"]


def answer(given: dict[str, Any]) -> dict[str, Any]:
    """What the oracle says of an input."""
    if given["kind"] == "cut":
        own, start, stop = given["sample"], given["start"], given["stop"]
        record = records.cut(array(own["record"]), start, stop)
        return {"input_ids": own["input_ids"][start:stop], "record": written(record)}
    if given["kind"] == "join":
        ids = [id for one in given["samples"] for id in one["input_ids"]]
        return {"input_ids": ids, "record": _written(records.joined([_record(one) for one in given["samples"]]))}
    earlier, later = given["earlier"], given["later"]
    record = records.of_turns(
        earlier["input_ids"], _record(earlier), later["input_ids"], _record(later), given["first_row"]
    )
    return {"input_ids": later["input_ids"], "record": _written(record)}


def _record(given: dict[str, Any]) -> Array | None:
    return given["record"] and array(given["record"])


def _written(record: Array | None) -> dict[str, Any] | None:
    return record and written(record)


def _cut(note: str, whole: dict[str, Any], start: int, stop: int) -> Probe:
    return Probe(note, {"kind": "cut", "sample": whole, "start": start, "stop": stop})


def _join(note: str, *samples: dict[str, Any]) -> Probe:
    return Probe(note, {"kind": "join", "samples": list(samples)})


def _turn(ids: list[int], first: int) -> dict[str, Any]:
    """A turn whose rows count up from `first`."""
    rows = list(range(first, first + len(ids) - 1))
    return {"input_ids": ids, "record": {"dtype": "int64", "shape": [len(rows), 1, 1], "values": rows}}


def _late(ids: list[int], first: int, first_row: int) -> dict[str, Any]:
    """A turn that was recorded from position `first_row` on."""
    turn = _turn(ids[first_row:], first)
    return turn | {"input_ids": ids}


def _turns(note: str, earlier: dict[str, Any], later: dict[str, Any], first_row: int = 0) -> Probe:
    return Probe(note, {"kind": "turns", "earlier": earlier, "later": later, "first_row": first_row})


def _refused(probe: Probe, *mentions: Any) -> Probe:
    return Probe(probe.note, probe.input, Refusal("ValueError", tuple(map(str, mentions))))


FOUR = sample(4, [3, 1, 2])
PAIRS = sample(4, [3, 0, 1, 2, 0, 3], top_k=2)
TURN = [110, 111, 120, 121, 122]

GROUPS = (
    Group(
        "ROUTE-12",
        [
            _cut("the whole of it is itself", FOUR, 0, 4),
            _cut("without its first id", FOUR, 1, 4),
            _cut("without its last id: the last row goes too", FOUR, 0, 3),
            _cut("from the middle", PAIRS, 1, 3),
            _cut("one id has no row", FOUR, 2, 3),
            _cut("the last id alone", FOUR, 3, 4),
            _join(
                "two samples: nothing was recorded for the step across the border",
                sample(2, [4]),
                sample(3, [5, 6], number=2),
            ),
            _join(
                "three samples of two experts",
                PAIRS,
                sample(2, [7, 8], top_k=2, number=2),
                sample(2, [9, 5], top_k=2, number=3),
            ),
            _join("samples of one id", sample(1, []), sample(1, [], number=2), sample(2, [4], number=3)),
            _join("one sample is itself", FOUR),
        ],
    ),
    Group(
        "ROUTE-14",
        [
            _turns(
                "the later prompt repeats three ids, as in the chapter",
                _turn(TURN, 10),
                _turn([110, 111, 120, 130, 131, 140], 20),
            ),
            _turns(
                "the later prompt repeats all: the row of the earlier turn's last id is new",
                _turn(TURN, 10),
                _turn([*TURN, 130, 140], 20),
            ),
            _turns("the later prompt drops the stop token", _turn(TURN, 10), _turn([*TURN[:4], 130, 140], 20)),
            _turns("the later prompt repeats one id", _turn(TURN, 10), _turn([110, 130, 140], 20)),
            _turns("the later turn is a beginning of the earlier", _turn(TURN, 10), _turn([110, 111, 120], 20)),
            _turns("recorded from the border on", _turn(TURN, 10), _late([*TURN, 130, 140], 20, 4), 4),
            _turns(
                "recorded from before the border on: earlier rows win up to it",
                _turn(TURN, 10),
                _late([*TURN, 130, 140], 20, 2),
                2,
            ),
            _turns(
                "recorded from behind the border on: rows between are missing",
                _turn(TURN, 10),
                _late([*TURN[:3], 130, 131, 140], 20, 4),
                4,
            ),
        ],
    ),
)

BYTES = sample(4, [255, 0, 3], dtype="uint8")
NONE = none(3, 2)
LAYERS = _turn(TURN, 10) | {"record": {"dtype": "int64", "shape": [4, 2, 3], "values": list(range(24))}}
SWAPPED = {
    "input_ids": [*TURN[:3], 130],
    "record": {"dtype": "int64", "shape": [3, 3, 2], "values": list(range(18))},
}
ALONE = _turn([130, *TURN[1:]], 20)

REFUSED = (
    Group(
        "ROUTE-12",
        [
            _cut("a cut of bytes: 255 needs two of them, signed", BYTES, 0, 4),
            _cut("a cut without the large id is int8, whatever the record", BYTES, 1, 4),
            _cut("a cut of no rows is int8", sample(2, [300], dtype="int32"), 0, 1),
            _join("two records of bytes: -1 finds room", sample(2, [255], dtype="uint8"), BYTES),
            _join(
                "records of two types, and the larger id is in the narrower",
                sample(2, [200], dtype="uint8"),
                sample(2, [5], dtype="int64", number=2),
            ),
            _join(
                "an id that needs int32 in the second",
                sample(2, [1], dtype="int8"),
                sample(2, [40000], dtype="int32", number=2),
            ),
            _join("ids beyond 2^53 are kept", sample(2, [2**53 + 1]), sample(2, [2**63 - 1], number=2)),
            _join("no sequence has a record, and so the row has none", none(2), none(3, 2)),
        ],
    ),
    Group(
        "ROUTE-12",
        [
            _refused(_cut("a cut from before the first id", FOUR, -1, 3), -1, 3, 4),
            _refused(_cut("a cut to behind the last id", FOUR, 1, 5), 1, 5, 4),
            _refused(_cut("a cut of nothing", FOUR, 2, 2), 2, 4),
            _refused(_cut("a cut that ends before it begins", FOUR, 3, 1), 3, 1, 4),
            _refused(_cut("a cut from the end, as Python counts", FOUR, -3, -1), -3, -1, 4),
            _refused(_join("the second of three has no record", FOUR, NONE, sample(2, [4], number=3)), 1, 2, 3),
            _refused(
                _join("the first of four and another have none", none(2), FOUR, NONE, sample(2, [4], number=3)), 0, 2, 4
            ),
            _refused(
                _join(
                    "layers and top_k the other way round",
                    sample(2, list(range(6)), layers=2, top_k=3),
                    sample(2, list(range(6)), layers=3, top_k=2, number=2),
                ),
                1,
                "[3, 2]",
                "[2, 3]",
            ),
            _refused(
                _join(
                    "another layout in a record of no rows, in the third",
                    sample(2, list(range(9)), layers=3, top_k=3),
                    sample(2, list(range(9)), layers=3, top_k=3, number=2),
                    sample(1, [], shape=[0, 3, 4], number=3),
                ),
                2,
                "[3, 4]",
                "[3, 3]",
            ),
        ],
    ),
    Group(
        "ROUTE-14",
        [
            _turns(
                "bytes in the earlier turn, and 255 among them",
                sample(4, [255, 254, 3], dtype="uint8"),
                sample(5, [1, 2, 3, 4], dtype="uint8"),
            ),
            _turns(
                "the earlier turn's type is wide, and none of its large ids is kept",
                _turn([110, 111, 120], 300),
                {"input_ids": [110, 130], "record": {"dtype": "int8", "shape": [1, 1, 1], "values": [5]}},
            ),
            _turns("recorded from the last id on: no rows", _turn(TURN, 10), _late([*TURN[:3], 130], 20, 3), 3),
            _turns("neither turn has a record", none(3), none(4)),
        ],
    ),
    Group(
        "ROUTE-14",
        [
            _refused(_turns("the turns share nothing", _turn(TURN, 10), ALONE), 0),
            _refused(_turns("the earlier turn has no record", none(3), _turn([110, 111, 112, 130], 20))),
            _refused(_turns("the later turn has no record", _turn([110, 111, 112], 10), none(4))),
            _refused(_turns("the layouts of two turns differ", LAYERS, SWAPPED), "[2, 3]", "[3, 2]"),
            _refused(
                _turns("the earlier turn has a row too many", sample(3, [1, 2, 3]), sample(5, [4, 5, 6, 7])), 3, 2
            ),
            _refused(_turns("the later turn has a row too few", sample(3, [1, 2]), sample(5, [4, 5, 6])), 3, 4),
            _refused(
                _turns(
                    "all rows of the later turn, and a position of its first",
                    _turn(TURN, 10),
                    _turn([*TURN, 130, 140], 20),
                    2,
                ),
                6,
                4,
            ),
            _refused(_turns("a first row before the first id", sample(3, [1, 2]), sample(5, [4, 5, 6, 7]), -1), -1),
            _refused(_turns("a first row behind the last id", sample(3, [1, 2]), sample(5, []), 5), 5),
        ],
    ),
)
