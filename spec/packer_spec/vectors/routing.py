"""Vectors of chapter routing: records laid beside the ids of a batch, fillers, and the borders of integer types."""

from typing import Any

from packer_spec.oracle.routing import forward_replay_routing
from packer_spec.vectors import records, routing_limits
from packer_spec.vectors.arrays import array, written
from packer_spec.vectors.probe import EITHER, MENTIONS, Group, Probe
from packer_spec.vectors.routing_batches import batch as _batch
from packer_spec.vectors.routing_batches import none as _none
from packer_spec.vectors.routing_batches import refused as _refused
from packer_spec.vectors.routing_batches import sample

__all__ = ["DESCRIPTION", "GROUPS", "answer"]

DESCRIPTION = (
    "Recorded expert routing. An array is a dtype, a shape, and its values in row-major order; an integer beyond 2^53 "
    "stands as a text of its decimal digits, for parsers that would round it. kind batch: samples (input_ids, and "
    "record, the sample's forward_routing: integer [L-1, layers, top_k] or null), max_len, and experts where the "
    "number of experts is known; expected: routing, which is what the batch holds under forward_replay_routing, [B, "
    "max_len, layers, top_k], or null where no sample has a record. kind cut: a sample and the positions start to stop "
    "- 1; kind join: samples that become one row; kind turns: an earlier and a later turn, whose first row belongs to "
    "position first_row; expected: the new ids and the record that goes with them, null where there was none. "
    f"{MENTIONS}"
)


def answer(given: dict[str, Any]) -> dict[str, Any]:
    """What the oracle says of an input."""
    if given["kind"] != "batch":
        return records.answer(given)
    own = [one["record"] and array(one["record"]) for one in given["samples"]]
    lengths = [len(one["input_ids"]) for one in given["samples"]]
    routing = forward_replay_routing(lengths, own, given["max_len"], given.get("experts"))
    return {"routing": None if routing is None else written(routing)}


def _typed(dtype: str, expert: int, recorded: str = "int64", note: str = "") -> Probe:
    told = f"largest expert id {expert}, recorded as {recorded}: {dtype}"
    return _batch(f"{told}, {note}" if note else told, 2, sample(2, [expert, 0], top_k=2, dtype=recorded))


GROUPS = (
    Group(
        "ROUTE-2",
        [
            _refused("two axes", 3, sample(3, [0, 1, 2, 3], shape=[2, 2]), says=("forward_routing", 0), kind=EITHER),
            _refused(
                "four axes, as of a batch",
                3,
                sample(3, [0, 1, 2, 3], shape=[1, 2, 1, 2]),
                says=("forward_routing", 0),
                kind=EITHER,
            ),
            _refused(
                "floats, also where they are whole",
                2,
                sample(2, [4], dtype="float32"),
                says=("forward_routing", 0),
                kind=EITHER,
            ),
            _refused("bools", 2, sample(2, [1], dtype="bool"), says=("forward_routing", 0), kind=EITHER),
            _batch(
                "a sample of one id has a record of no rows",
                2,
                sample(2, [4, 5], top_k=2),
                sample(1, [], top_k=2, number=2),
            ),
        ],
    ),
    Group(
        "ROUTE-3",
        [
            _refused("a row for every id is one too many", 3, sample(3, [4, 5, 6]), says=("forward_routing", 0, 3, 2)),
            _refused("one row too few", 3, sample(3, [4]), says=("forward_routing", 0, 1, 2)),
            _refused(
                "the second one has a row too many",
                3,
                sample(2, [4]),
                sample(3, [4, 5, 6], number=2),
                says=("forward_routing", 1, 3, 2),
            ),
            _refused("a row for the one id of a sample", 2, sample(1, [4]), says=("forward_routing", 0, 1)),
            _refused("no rows", 2, sample(2, []), says=("forward_routing", 0, 1)),
            _refused(
                "each has the rows of the other",
                3,
                sample(2, [4, 5]),
                sample(3, [6], number=2),
                says=("forward_routing", 0, 2, 1),
            ),
        ],
    ),
    Group(
        "ROUTE-4",
        [
            _refused("minus two", 2, sample(2, [4, -2], top_k=2), says=("forward_routing", 0, -2)),
            _refused(
                "expert 200, written as a byte and read as int8",
                2,
                sample(2, [-56], dtype="int8"),
                says=("forward_routing", 0, -56),
            ),
            _refused(
                "below -1 in the second sample, beside a filler",
                2,
                sample(2, [-1]),
                sample(2, [-3], number=2),
                says=("forward_routing", 1, -3),
            ),
        ],
    ),
    Group(
        "ROUTE-6",
        [
            _batch("one layer, one expert: the row behind the record is -1", 4, sample(4, [3, 1, 2])),
            _batch("the width is max_len and not the longest", 5, sample(4, [3, 1, 2])),
            _batch("two experts, as in the chapter", 5, sample(4, [3, 0, 1, 2, 0, 3], top_k=2)),
            _batch("two layers of two", 2, sample(2, [4, 5, 6, 7], layers=2, top_k=2)),
            _batch("layers and top_k are kept apart", 3, sample(3, list(range(12)), layers=3, top_k=2)),
            _batch("two samples, in their order", 3, sample(3, [4, 5]), sample(3, [6, 7], number=2)),
            _batch("the shorter one first", 4, sample(2, [7]), sample(4, [4, 5, 6], number=2)),
        ],
    ),
    Group(
        "ROUTE-7",
        [
            _batch("expert 0 is an expert, and filler is not", 4, sample(3, [0, 2])),
            _batch("expert 0 alone", 3, sample(2, [0, 0], top_k=2)),
            _batch("a row that was not recorded stays -1", 3, sample(3, [4, 5, -1, -1], top_k=2)),
            _batch("a layer without experts stays -1", 2, sample(2, [4, 5, -1, -1], layers=2, top_k=2)),
            _batch("a place that is partly -1 is kept", 2, sample(2, [4, -1], top_k=2)),
            _batch("a sample of one id is filler throughout", 2, sample(1, [], layers=2)),
        ],
    ),
    Group(
        "ROUTE-8",
        [
            _batch("no sample has a record: the batch has no routing", 3, _none(3), _none(2, 2)),
            _refused("the first has none", 3, _none(3), sample(2, [4], number=2), says=(0, 1, 2)),
            _refused("the last has none", 3, sample(3, [4, 5]), _none(2, 2), says=(1, 2)),
            _refused("a record of no rows is a record", 2, sample(1, []), _none(2, 2), says=(1, 2)),
            _batch("a record of missing rows is a record", 2, sample(2, [-1]), sample(2, [4], number=2)),
        ],
    ),
    Group(
        "ROUTE-9",
        [
            _refused(
                "other layers",
                2,
                sample(2, list(range(4)), layers=2, top_k=2),
                sample(2, list(range(6)), layers=3, top_k=2, number=2),
                says=(1, "[3, 2]", "[2, 2]"),
            ),
            _refused(
                "another top_k",
                2,
                sample(2, list(range(4)), layers=2, top_k=2),
                sample(2, list(range(6)), layers=2, top_k=3, number=2),
                says=(1, "[2, 3]", "[2, 2]"),
            ),
            _refused(
                "layers and top_k the other way round",
                2,
                sample(2, list(range(6)), layers=2, top_k=3),
                sample(2, list(range(6)), layers=3, top_k=2, number=2),
                says=(1, "[3, 2]", "[2, 3]"),
            ),
            _refused(
                "other layers in a record of no rows",
                2,
                sample(2, list(range(4)), layers=2, top_k=2),
                sample(1, [], shape=[0, 3, 2], number=2),
                says=(1, "[3, 2]", "[2, 2]"),
            ),
        ],
    ),
    Group(
        "ROUTE-10",
        [
            _typed("int8", 0),
            _typed("int8", 127, note="the last"),
            _typed("int16", 128, note="the first"),
            _typed("int16", 255),
            _typed("int16", 256),
            _typed("int16", 32767, note="the last"),
            _typed("int32", 32768, note="the first"),
            _typed("int32", 65535),
            _typed("int32", 2**31 - 1, note="the last"),
            _typed("int64", 2**31, note="the first"),
            _typed("int8", 127, "int32", "whatever the record's own type"),
            _batch(
                "one large id in any sample is enough",
                3,
                sample(2, [3], dtype="int8"),
                sample(3, [0, 300], dtype="int16", number=2),
            ),
            _batch("nothing recorded but missing rows: int8", 2, sample(2, [-1, -1], top_k=2, dtype="int32")),
            _batch("no rows at all: int8", 1, sample(1, [], dtype="int64")),
        ],
    ),
    Group(
        "ROUTE-11",
        [
            _typed("int8", 127, "uint8"),
            _typed("int16", 128, "uint8", "and not -128"),
            _typed("int16", 255, "uint8", "and not the filler"),
            _batch(
                "the experts of a place keep their order, repeats too",
                2,
                sample(2, [255, 0, 3, 3], top_k=4, dtype="uint8"),
            ),
            _batch(
                "records of several types, each read by its own",
                2,
                sample(2, [-1], dtype="int8"),
                sample(2, [255], dtype="uint8", number=2),
            ),
        ],
    ),
    *records.GROUPS,
    Group("COLL-12", [_refused("a sample longer than max_len", 2, sample(3, [4, 5]), says=(0, 3, 2))]),
    *routing_limits.GROUPS,
    *records.REFUSED,
)
