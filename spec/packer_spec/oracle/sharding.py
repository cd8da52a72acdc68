"""Chapter dataflow: which items of an epoch's order each worker of each rank reads."""

from collections.abc import Sequence

__all__ = ["stream_number", "streams"]


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
