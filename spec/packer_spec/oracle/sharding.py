"""Chapter dataflow: which items of an epoch's order each worker of each rank reads."""

from collections.abc import Sequence

__all__ = ["stream_number", "streams"]


def stream_number(dp_rank: int, worker_id: int, num_workers: int) -> int:
    """The number of the stream that this worker of this rank reads."""
    return dp_rank * num_workers + worker_id


def streams(order: Sequence[int], dp_world_size: int, num_workers: int) -> list[list[int]]:
    """The items of every stream, by stream number: item i of the order goes to stream i mod (world * workers).

    So every item is in exactly one stream, and the lengths of two streams differ by one at most. `ValueError` for less
    than one rank or worker.
    """
    count = dp_world_size * num_workers
    if dp_world_size < 1 or num_workers < 1:
        raise ValueError(f"dp_world_size is {dp_world_size} and num_workers {num_workers}, expected 1 or more of each")
    found: list[list[int]] = [[] for _ in range(count)]
    for at, item in enumerate(order):
        found[at % count].append(item)
    return found
