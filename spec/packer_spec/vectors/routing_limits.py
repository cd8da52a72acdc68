"""Vectors of chapter routing: the number of experts, the ends of the types, and which sample a message names."""

from packer_spec.vectors.probe import EITHER, Group
from packer_spec.vectors.routing_batches import batch, none, refused, sample

__all__ = ["GROUPS"]

_LAST = 2**63 - 1

GROUPS = (
    Group(
        "ROUTE-4",
        [
            batch("E = 256 is known, and 255 is the last expert", 2, sample(2, [255, 0], top_k=2), experts=256),
            refused(
                "E = 256 is known, and 256 is none of them",
                2,
                sample(2, [256, 0], top_k=2),
                says=("forward_routing", 0, 256),
                experts=256,
            ),
            batch("E = 256 is not known: the consumer refuses 256", 2, sample(2, [256, 0], top_k=2)),
            refused(
                "beyond E in the second sample",
                3,
                sample(3, [5, 6], dtype="uint8"),
                sample(2, [7], dtype="uint8", number=2),
                says=("forward_routing", 1, 7),
                experts=7,
            ),
            batch("missing rows are below every E", 3, sample(3, [-1, 3]), experts=4),
            batch("one expert: 0 and nothing else", 2, sample(2, [0]), experts=1),
            refused("one expert, and 1 is none", 2, sample(2, [1]), says=("forward_routing", 0, 1), experts=1),
            batch("the type follows the ids and not E", 2, sample(2, [100]), experts=1000),
            refused("minus two where E is known", 2, sample(2, [-2]), says=("forward_routing", 0, -2), experts=8),
            refused(
                "minus two of four bytes",
                2,
                sample(2, [3, -2], top_k=2, dtype="int32"),
                says=("forward_routing", 0, -2),
            ),
            refused("far below", 2, sample(2, [-(2**63)]), says=("forward_routing", 0, -(2**63))),
        ],
    ),
    Group(
        "ROUTE-10",
        [
            batch("beyond 2^53: an integer that a double cannot hold", 2, sample(2, [2**53 + 1, 0], top_k=2)),
            batch("the last integer that int64 holds", 2, sample(2, [_LAST, _LAST - 1], top_k=2)),
            batch("two ids beyond 2^53 that are one double", 3, sample(3, [2**60 + 1, 2**60 + 2])),
        ],
    ),
    Group(
        "ROUTE-2",
        [
            refused(
                "an id that no signed type holds, in a type that no record has",
                2,
                sample(2, [_LAST + 1], dtype="uint64"),
                says=(0,),
                kind=EITHER,
            ),
            refused(
                "floats in the third sample",
                3,
                sample(2, [4]),
                sample(3, [4, 5], number=2),
                sample(2, [6], dtype="float64", number=3),
                says=("forward_routing", 2),
                kind=EITHER,
            ),
        ],
    ),
    Group(
        "ROUTE-3",
        [
            refused(
                "two of four have another number of rows: the first of them is named",
                9,
                sample(6, [1, 2, 3, 4, 5]),
                sample(9, [1, 2, 3, 4, 5, 6, 7], number=2),
                sample(6, [1, 2, 3, 4, 5], number=3),
                sample(4, [1, 2, 3, 4, 5], number=4),
                says=("forward_routing", 1, 7, 8),
            ),
        ],
    ),
    Group(
        "ROUTE-8",
        [
            refused(
                "two of five have none: the first of them is named",
                2,
                sample(2, [4]),
                none(2, 2),
                sample(2, [4], number=3),
                none(2, 4),
                sample(2, [4], number=5),
                says=(1, 3, 5),
            ),
        ],
    ),
    Group(
        "ROUTE-9",
        [
            refused(
                "sample 0 is the odd one of three: sample 1 is named",
                2,
                sample(2, list(range(4)), layers=2, top_k=2),
                sample(2, list(range(9)), layers=3, top_k=3, number=2),
                sample(2, list(range(9)), layers=3, top_k=3, number=3),
                says=(1, "[3, 3]", "[2, 2]"),
            ),
            refused(
                "two differ from sample 0, in two ways: the first of them is named",
                2,
                sample(2, list(range(9)), layers=3, top_k=3),
                sample(2, list(range(9)), layers=3, top_k=3, number=2),
                sample(2, list(range(12)), layers=4, top_k=3, number=3),
                sample(2, list(range(12)), layers=3, top_k=4, number=4),
                says=(2, "[4, 3]", "[3, 3]"),
            ),
        ],
    ),
    Group(
        "COLL-12",
        [
            refused(
                "two of four are longer than max_len: the first of them is named",
                5,
                sample(4, [1, 2, 3]),
                sample(7, [1, 2, 3, 4, 5, 6], number=2),
                sample(3, [1, 2], number=3),
                sample(9, list(range(8)), number=4),
                says=(1, 7, 5),
            ),
        ],
    ),
)
