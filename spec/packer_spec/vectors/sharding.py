"""Vectors of chapter dataflow: which items each worker reads, and which ranks each data set gets."""

from typing import Any

from packer_spec.oracle import partition
from packer_spec.oracle.sharding import block, stream, stream_number, streams
from packer_spec.vectors.probe import MENTIONS, Group, Probe, Refusal

__all__ = ["DESCRIPTION", "GROUPS", "answer"]

DESCRIPTION = (
    "Who reads what. kind streams: order (the items of one epoch), dp_world_size and num_workers, the loader's "
    "setting, where 0 is a loader without worker processes; expected: the items of every worker of every rank. kind "
    "stream: one of them by its coordinates, as stream is handed them: num_workers is then W, 1 without worker "
    "processes; expected: its items in one epoch. kind block: one rank of the block of a data set; items are all of "
    "the data set, or with split what it gives this rank by its own split; expected: what each worker of the rank "
    "reads. kind partition: ratios ([name, ratio] in their order) and dp_world_size; expected: the data sets that get "
    "ranks, with their shard_id, their shard_world_size and the ranks in their block, where the place of a rank in "
    "dp_ranks is its shard_rank. Ratios are decimal numbers, and arithmetic on them is exact. "
    f"{MENTIONS}"
)


def answer(given: dict[str, Any]) -> dict[str, Any]:
    """What the oracle says of an input."""
    if given["kind"] == "stream":
        return {"items": stream(**{name: value for name, value in given.items() if name != "kind"})}
    if given["kind"] == "block":
        found = block(**{name: value for name, value in given.items() if name != "kind"})
        return {"workers": [{"worker_id": number, "items": items} for number, items in enumerate(found)]}
    if given["kind"] == "streams":
        return {"streams": _streams(given["order"], given["dp_world_size"], given["num_workers"])}
    blocks = partition.blocks(given["ratios"], given["dp_world_size"])
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
        for worker in range(max(1, num_workers))
    ]


def _epoch(note: str, order: list[int], dp_world_size: int, num_workers: int) -> Probe:
    given = {"kind": "streams", "order": order, "dp_world_size": dp_world_size, "num_workers": num_workers}
    return Probe(note, given)


def _items(count: int) -> list[int]:
    return list(range(10, 10 + count))


def _too_few(note: str, items: int, dp_world_size: int, num_workers: int) -> Probe:
    mentions = (str(items), str(dp_world_size), str(num_workers))
    return Probe(note, _epoch(note, _items(items), dp_world_size, num_workers).input, Refusal("ValueError", mentions))


def _ranks(note: str, dp_world_size: int, **ratios: Any) -> Probe:
    named = [[name, ratio] for name, ratio in ratios.items()]
    return Probe(note, {"kind": "partition", "ratios": named, "dp_world_size": dp_world_size})


def _no_ranks(note: str, dp_world_size: int, *mentions: str, **ratios: Any) -> Probe:
    return Probe(note, _ranks(note, dp_world_size, **ratios).input, Refusal("ValueError", mentions))


def _block(
    note: str, items: list[int], rank: int, world: int, workers: int, *, split: bool = False, says: tuple[int, ...] = ()
) -> Probe:
    given = {"kind": "block", "items": items, "shard_rank": rank, "shard_world_size": world, "num_workers": workers}
    refusal = Refusal("ValueError", tuple(map(str, says))) if says else None
    return Probe(note, given | {"split": split}, refusal)


def _stream(note: str, rank: int, world: int, worker: int, workers: int, *, says: tuple[Any, ...] = ()) -> Probe:
    given = {"kind": "stream", "order": _items(13), "dp_rank": rank, "dp_world_size": world, "worker_id": worker}
    refusal = Refusal("ValueError", tuple(map(str, says))) if says else None
    return Probe(note, given | {"num_workers": workers}, refusal)


GROUPS = (
    Group(
        "FLOW-2",
        [
            _epoch("one reader reads all", _items(3), 1, 1),
            _epoch("no worker processes, one reader", _items(3), 1, 0),
            _epoch("two workers of one rank", _items(5), 1, 2),
            _epoch("two ranks of one worker", _items(5), 2, 1),
            _epoch("two ranks without worker processes", _items(6), 2, 0),
            _epoch(
                "two ranks of two workers, as in the chapter: the workers of a rank are neighbours", _items(10), 2, 2
            ),
            _epoch("two ranks of three workers", _items(13), 2, 3),
            _epoch("three ranks of two workers", _items(13), 3, 2),
            _epoch("a shuffled order is cut by place, not by item", [14, 10, 13, 11, 12], 2, 1),
            _epoch("equal items stay where they are", [10, 10, 11, 10], 2, 1),
            _epoch("as many items as streams", _items(4), 2, 2),
            _epoch("one item more than streams", _items(5), 2, 2),
        ],
    ),
    Group(
        "FLOW-6",
        [
            _too_few("two items for four ranks, as in the chapter", 2, 4, 0),
            _too_few("one item less than streams", 3, 2, 2),
            _too_few("one rank, and more workers than items", 2, 1, 3),
            _too_few("no items", 0, 1, 1),
        ],
    ),
    Group(
        "FLOW-8",
        [
            _ranks("one set gets all", 4, a=1),
            _ranks("q = 6, 2", 8, a=3, b=1),
            _ranks("only proportions count", 8, a=0.75, b=0.25),
            _ranks("q = 4.44, 2.67, 0.89, the first example of the chapter", 8, a=5, b=3, c=1),
            _ranks("q = 3.2, 0.4, 0.4, the second: one each is one too many, and a gives it back", 4, a=8, b=1, c=1),
            _ranks("q = 4.8, 2.4, 0.8, the third", 8, a=6, b=3, c=1),
            _ranks("q = 2.67, 1.33: the rank that is left over goes to the larger remainder", 4, a=2, b=1),
            _ranks("q = 1.33, 2.67", 4, a=1, b=2),
            _ranks("q = 1.33 each: the first in order gets it", 4, a=1, b=1, c=1),
            _ranks("q = 1.67 each: the first two get one more", 5, a=1, b=1, c=1),
            _ranks("q = 5.14, 2.57, 1.29: the largest share is not the largest remainder", 9, a=4, b=2, c=1),
            _ranks("q = 2.94, 0.03, 0.03", 3, a=100, b=1, c=1),
            _ranks("q = 3.99 and three small ones: two are given back", 4, a=1000, b=1, c=1, d=1),
            _ranks("q = 0.06, 3.75, 2.19: one for a, and nothing is left over", 6, a=1, b=60, c=35),
            _ranks("q = 4, 2, 0.5, 0.5: of two that have their share, the larger gives back", 7, a=8, b=4, c=1, d=1),
            _ranks("q = 2.27, 2.27, 0.23, 0.23: of two alike, the earlier gives back", 5, a=10, b=10, c=1, d=1),
            _ranks("q = 2.33, 1.33, 1.33 by decimals: doubles would give 2, 2, 1", 5, a=0.7, b=0.4, c=0.4),
            _ranks("q = 1.67, 1.67, 2.67 by decimals: doubles would give 2, 1, 3", 6, a=0.5, b=0.5, c=0.8),
            _ranks("as many sets as ranks", 3, a=5, b=1, c=1),
            _ranks("a ratio of zero gets no rank and no shard_id", 4, a=1, b=0, c=1),
            _ranks("a ratio of minus zero is a ratio of zero", 2, a=-0.0, b=1),
            _ranks("the blocks stand in the order given", 6, z=1, a=2, m=3),
            _no_ranks("more sets than ranks", 2, "3", "2", a=1, b=1, c=1),
            _no_ranks("sets of ratio zero need no rank, the others do", 1, "2", "1", a=1, b=0, c=1),
        ],
    ),
    Group(
        "FLOW-20",
        [
            _no_ranks("no sets", 2, "0"),
            _no_ranks("no ratio above zero", 2, a=0, b=0),
            _no_ranks("a ratio below zero", 2, "b", "-1", a=1, b=-1),
            _no_ranks("true is no ratio", 2, "b", a=1, b=True),
            _no_ranks("text is no ratio", 2, "b", a=1, b="1"),
        ],
    ),
    Group(
        "FLOW-6",
        [
            _too_few("seven items for three ranks of four workers", 7, 3, 4),
            _too_few("five items for two ranks of four workers", 5, 2, 4),
            _too_few("nothing for two ranks of three workers", 0, 2, 3),
        ],
    ),
    Group(
        "FLOW-7",
        [
            _block("two ranks of two workers share what does not split itself", _items(9), 0, 2, 2),
            _block("the other rank of the block", _items(9), 1, 2, 2),
            _block("a block of one rank, three workers", _items(7), 0, 1, 3),
            _block("the third rank of four, without workers", _items(10), 2, 4, 0),
            _block("a data set that splits itself: by worker alone", [11, 14, 17, 10, 13], 1, 3, 2, split=True),
            _block("split already, three workers", _items(8), 0, 2, 3, split=True),
            _block("split already, without workers: all of it", _items(4), 3, 4, 0, split=True),
            _block("split already: as many items as workers", _items(2), 1, 2, 2, split=True),
        ],
    ),
    Group(
        "FLOW-6",
        [
            _block("seven items for two ranks of four workers in a block", _items(7), 0, 2, 4, says=(7,)),
            _block("the same, for a rank whose workers would have items", _items(7), 1, 2, 4, says=(7,)),
            _block("split already, and fewer items than workers", _items(2), 1, 5, 3, split=True, says=(2, 3)),
        ],
    ),
    Group(
        "FLOW-5",
        [
            _stream("without worker processes: 0 of 1", 1, 2, 0, 1),
            _stream("the second worker of the first rank", 0, 2, 1, 2),
            _stream("the last of all", 2, 3, 1, 2),
            _stream("a rank beyond the world", 2, 2, 0, 1, says=("dp_rank", 2)),
            _stream("a rank below zero, which in Python is the last", -1, 2, 0, 1, says=("dp_rank", -1)),
            _stream("a worker beyond the workers", 0, 2, 3, 3, says=("worker_id", 3)),
            _stream("a worker below zero", 0, 2, -1, 2, says=("worker_id", -1)),
            _stream("a worker of none", 0, 2, 0, 0, says=("num_workers", 0)),
            _stream("a world of no ranks", 0, 0, 0, 1, says=("dp_world_size", 0)),
        ],
    ),
)
