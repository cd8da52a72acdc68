"""Vectors of chapter routing: records that follow their ids through cuts, joins and turns."""

from typing import Any

from packer_spec.oracle import records
from packer_spec.vectors.arrays import array, written
from packer_spec.vectors.probe import Group, Probe

__all__ = ["GROUPS", "answer", "sample"]


def sample(
    length: int,
    values: list[int],
    *,
    layers: int = 1,
    top_k: int = 1,
    dtype: str = "int64",
    shape: list[int] | None = None,
    number: int = 1,
) -> dict[str, Any]:
    """A sample of `length` ids, from 110 on for number 1, with a record of these values."""
    first = 100 * number + 10
    own = shape or [len(values) // (layers * top_k), layers, top_k]
    return {"input_ids": list(range(first, first + length)), "record": {"dtype": dtype, "shape": own, "values": values}}


def answer(given: dict[str, Any]) -> dict[str, Any]:
    """What the oracle says of an input."""
    if given["kind"] == "cut":
        own, start, stop = given["sample"], given["start"], given["stop"]
        record = records.cut(array(own["record"]), start, stop)
        return {"input_ids": own["input_ids"][start:stop], "record": written(record)}
    if given["kind"] == "join":
        ids = [id for one in given["samples"] for id in one["input_ids"]]
        return {"input_ids": ids, "record": written(records.joined([array(one["record"]) for one in given["samples"]]))}
    earlier, later = given["earlier"], given["later"]
    own = [array(turn["record"]) for turn in (earlier, later)]
    record = records.of_turns(earlier["input_ids"], own[0], later["input_ids"], own[1], given["first_row"])
    return {"input_ids": later["input_ids"], "record": written(record)}


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
