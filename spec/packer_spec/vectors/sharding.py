"""Vectors of chapter dataflow: which items each worker reads, and which ranks each data set gets."""

from fractions import Fraction
from typing import Any

from packer_spec.oracle import partition
from packer_spec.oracle.sharding import stream_number, streams
from packer_spec.vectors.probe import Group, Probe, Refusal

__all__ = ["DESCRIPTION", "GROUPS", "answer"]

DESCRIPTION = (
    "Who reads what. kind streams: order (the items of one epoch), dp_world_size and num_workers; expected: the items "
    "of every worker of every rank. kind partition: ratios ([name, ratio] in their order) and dp_world_size; "
    "expected: for every data set its shard_id, shard_world_size and the ranks in its block, where the place of a "
    "rank in dp_ranks is its shard_rank. No ratio here sits where rounding decides: doubles and exact fractions give "
    "the same."
)

_RULES = {"streams": "", "partition": ""}
"""The requirement that each kind of vector belongs to."""


def answer(given: dict[str, Any]) -> dict[str, Any]:
    """What the oracle says of an input."""
    if given["kind"] == "streams":
        return {"streams": _streams(given["order"], given["dp_world_size"], given["num_workers"])}
    ratios = [(name, Fraction(str(ratio))) for name, ratio in given["ratios"]]
    blocks = partition.blocks(ratios, given["dp_world_size"])
    return {
        "shards": [
            {"name": name, "shard_id": number, "shard_world_size": len(ranks), "dp_ranks": ranks}
            for number, (name, ranks) in enumerate(blocks)
        ]
    }


def _streams(order: list[int], dp_world_size: int, num_workers: int) -> list[dict[str, Any]]:
    found = streams(order, dp_world_size, num_workers)
    return [
        {"dp_rank": rank, "worker_id": worker, "items": found[stream_number(rank, worker, num_workers)]}
        for rank in range(dp_world_size)
        for worker in range(num_workers)
    ]


def _epoch(note: str, order: list[int], dp_world_size: int, num_workers: int) -> Probe:
    given = {"kind": "streams", "order": order, "dp_world_size": dp_world_size, "num_workers": num_workers}
    return Probe(note, given)


def _no_epoch(note: str, dp_world_size: int, num_workers: int) -> Probe:
    return Probe(note, _epoch(note, [10, 11], dp_world_size, num_workers).input, Refusal("ValueError", ("0",)))


def _ranks(note: str, dp_world_size: int, ratios: dict[str, float]) -> Probe:
    named = [[name, ratio] for name, ratio in ratios.items()]
    return Probe(note, {"kind": "partition", "ratios": named, "dp_world_size": dp_world_size})


def _no_ranks(note: str, dp_world_size: int, ratios: dict[str, float], *mentions: str) -> Probe:
    return Probe(note, _ranks(note, dp_world_size, ratios).input, Refusal("ValueError", mentions))


GROUPS = (
    Group(
        _RULES["streams"],
        [
            _epoch("one reader reads all", [10, 11, 12], 1, 1),
            _epoch("two workers of one rank", [10, 11, 12, 13, 14], 1, 2),
            _epoch("two ranks of one worker", [10, 11, 12, 13, 14], 2, 1),
            _epoch("two ranks of two workers: the workers of a rank are neighbours", list(range(10, 19)), 2, 2),
            _epoch("two ranks of three workers", list(range(10, 23)), 2, 3),
            _epoch("three ranks of two workers", list(range(10, 23)), 3, 2),
            _epoch("a shuffled order is cut by place, not by item", [14, 10, 13, 11, 12], 2, 1),
            _epoch("equal items stay where they are", [10, 10, 11, 10], 2, 1),
            _epoch("as many items as streams", [10, 11, 12, 13], 2, 2),
            _epoch("fewer items than streams: the last stream is empty", [10, 11, 12], 2, 2),
            _epoch("one item", [10], 2, 2),
            _epoch("no items", [], 2, 1),
            _no_epoch("no ranks", 0, 1),
            _no_epoch("no workers", 1, 0),
        ],
    ),
    Group(
        _RULES["partition"],
        [
            _ranks("one set gets all", 4, {"a": 1}),
            _ranks("q = 6, 2", 8, {"a": 3, "b": 1}),
            _ranks("only proportions count", 8, {"a": 0.75, "b": 0.25}),
            _ranks("q = 2.67, 1.33: the rank that is left goes to the larger remainder", 4, {"a": 2, "b": 1}),
            _ranks("q = 1.33, 2.67", 4, {"a": 1, "b": 2}),
            _ranks("q = 1.33 each: the first in order gets it", 4, {"a": 1, "b": 1, "c": 1}),
            _ranks("q = 1.67 each: the first two get one more", 5, {"a": 1, "b": 1, "c": 1}),
            _ranks("q = 4.57, 2.29, 1.14: the largest share is not the largest remainder", 8, {"a": 4, "b": 2, "c": 1}),
            _ranks("q = 2.86, 1.71, 0.43: two are left", 5, {"a": 20, "b": 12, "c": 3}),
            _ranks(
                "q = 2.94, 0.03, 0.03: one each is one too many, and the first gives it back",
                3,
                {"a": 100, "b": 1, "c": 1},
            ),
            _ranks("q = 3.99, 0.004, 0.004, 0.004: two are given back", 4, {"a": 1000, "b": 1, "c": 1, "d": 1}),
            _ranks(
                "q = 0.06, 3.75, 2.19: the one that got more than its share gives back", 6, {"a": 1, "b": 60, "c": 35}
            ),
            _ranks("a set of one rank for each rank", 3, {"a": 5, "b": 1, "c": 1}),
            _ranks("a ratio of zero gets no rank and no shard_id", 4, {"a": 1, "b": 0, "c": 1}),
            _ranks("nor does one below zero", 2, {"a": -1, "b": 1}),
            _ranks("the blocks stand in the order given", 6, {"z": 1, "a": 2, "m": 3}),
            _no_ranks("no sets", 2, {}, "0"),
            _no_ranks("no ratio above zero", 2, {"a": 0, "b": -1}, "2"),
            _no_ranks("more sets than ranks", 2, {"a": 1, "b": 1, "c": 1}, "3", "2"),
        ],
    ),
)
