"""Chapter dataflow: which items of an epoch's order each worker of each rank reads."""

from collections.abc import Sequence

__all__ = ["block", "stream", "stream_number", "streams"]


def stream_number(dp_rank: int, worker_id: int, num_workers: int) -> int:
    """The number of the stream that this worker of this rank reads; without worker processes there is worker 0."""
    return dp_rank * max(1, num_workers) + worker_id


def streams(order: Sequence[int], dp_world_size: int, num_workers: int) -> list[list[int]]:
    """The items of every stream, by stream number: position g goes to stream g mod S (FLOW-2).

    S is `dp_world_size * max(1, num_workers)`. Every item is in exactly one stream, and the lengths of two streams
    differ by one at most. `ValueError` where a stream would have no item (FLOW-6), and for less than one rank or less
    than no workers (FLOW-20).
    """
    if dp_world_size < 1 or num_workers < 0:
        raise ValueError(f"dp_world_size is {dp_world_size}, num_workers {num_workers}: expected 1 and 0 at least")
    count = dp_world_size * max(1, num_workers)
    if len(order) < count:
        raise ValueError(
            f"{len(order)} items are too few: dp_world_size {dp_world_size} and num_workers {num_workers} make {count} "
            "streams, and each needs one"
        )
    found: list[list[int]] = [[] for _ in range(count)]
    for position, item in enumerate(order):
        found[position % count].append(item)
    return found


def stream(order: Sequence[int], dp_rank: int, dp_world_size: int, worker_id: int, num_workers: int) -> list[int]:
    """The items of one stream in one epoch; here `num_workers` is the argument W, 1 without worker processes (FLOW-5).

    `ValueError` that holds the argument and its value for a coordinate out of range.
    """
    for name, value, least, most in (
        ("dp_world_size", dp_world_size, 1, None),
        ("num_workers", num_workers, 1, None),
        ("dp_rank", dp_rank, 0, dp_world_size - 1),
        ("worker_id", worker_id, 0, num_workers - 1),
    ):
        if value < least or (most is not None and value > most):
            raise ValueError(f"{name} is {value}, expected {least} {'at least' if most is None else f'to {most}'}")
    return streams(order, dp_world_size, num_workers)[stream_number(dp_rank, worker_id, num_workers)]


def block(
    items: Sequence[int], shard_rank: int, shard_world_size: int, num_workers: int, *, split: bool
) -> list[list[int]]:
    """What each worker of one rank in a block reads of the block's data set (FLOW-7).

    Of a data set that is `split` already, by its own `shard_rank`, `items` are what it gives this rank, and item j goes
    to worker j mod W. Of another, `items` are all, and the block is shared out as a world of its own (FLOW-2).
    `ValueError` where some stream of the block would have no item (FLOW-6).
    """
    if split:
        return streams(items, 1, num_workers)
    found = streams(items, shard_world_size, num_workers)
    first = stream_number(shard_rank, 0, num_workers)
    return found[first : first + max(1, num_workers)]
