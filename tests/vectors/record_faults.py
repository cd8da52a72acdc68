"""What goes wrong with ids, records and streams: small faults for the oracle of authority, routing and dataflow."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from packer_spec.oracle import Array, batching, records, resume
from packer_spec.oracle import authority as ids
from packer_spec.oracle import routing as batches
from packer_spec.vectors import routing, sharding


def known_inclusive(at: int, record: Array, experts: int | None) -> None:
    """Takes E itself for an expert."""
    EXPECT_KNOWN(at, record, None if experts is None else experts + 1)


def known_from_two(at: int, record: Array, experts: int | None) -> None:
    """Refuses E - 1 too."""
    EXPECT_KNOWN(at, record, None if experts is None else experts - 1)


def float_dtype(values: Any) -> str:
    """Compares as doubles, for which the last integers of int64 are one more."""
    return SMALLEST([float(value) for value in values])


def rounded(given: dict[str, Any]) -> Array:
    """Ids by way of a double."""
    one = ARRAY(given)
    return Array(one.dtype, one.shape, tuple(min(int(float(value)), 2**63 - 1) for value in one.values))


def own_dtype(found: Any, like: Array) -> Array:
    """A cut or joined record keeps the type of the first record."""
    one = OF_ROWS(found, like)
    return Array(like.dtype, one.shape, one.values)


def python_cut(record: Array, start: int, stop: int) -> Array:
    """A slice as Python takes it: no border is a fault."""
    return OF_ROWS(records._rows(record)[start : stop - 1], record)


def without_tags(given: Any) -> Any:
    """A runner that takes tags for maps, and so refuses what they stand for."""
    return given


def of_any_sequence(name: str, given: Any) -> list[int]:
    """Takes what can be walked: a text, or the keys of a map."""
    return IDS_OF(name, [int(one) if isinstance(one, str) else one for one in given])


def strictly(sizes: list[int], settings: batching.Sequential) -> Any:
    """A full budget counts as too full."""
    budget = settings.max_sequence_length
    return SEQUENTIAL(sizes, settings if budget is None else replace(settings, max_sequence_length=max(1, budget - 1)))


def in_order_only(sizes: list[int], settings: batching.Sequential) -> Any:
    """Never looks ahead."""
    return SEQUENTIAL(sizes, replace(settings, lookahead_limit=1))


def further(sizes: list[int], settings: batching.Sequential) -> Any:
    """Looks one sample further than asked."""
    return SEQUENTIAL(sizes, replace(settings, lookahead_limit=settings.lookahead_limit + 1))


def always_dropping(sizes: list[int], settings: batching.Sequential) -> Any:
    """A policy that nobody declared."""
    return SEQUENTIAL(sizes, replace(settings, oversize="drop"))


def with_end(policy: str) -> Callable[..., Any]:
    """One end policy, whatever was asked for."""
    return lambda epochs, size, _, **ends: FIXED(epochs, size, policy, **ends)


def rest_kept(epochs: Any, size: int, policy: str, *, ends: bool, drop_last: bool) -> Any:
    """Has no drop_last."""
    return FIXED(epochs, size, policy, ends=ends)


def by_rank_again(items: Any, shard_rank: int, shard_world_size: int, num_workers: int, *, split: bool) -> Any:
    """Splits by rank what has split itself by rank."""
    return BLOCK(items, shard_rank, shard_world_size, num_workers, split=False)


def by_worker_alone(items: Any, shard_rank: int, shard_world_size: int, num_workers: int, *, split: bool) -> Any:
    """Every rank of a block reads all of it."""
    return BLOCK(items, shard_rank, shard_world_size, num_workers, split=True)


def unchecked(order: Any, dp_rank: int, dp_world_size: int, worker_id: int, num_workers: int) -> list[int]:
    """Counts a rank of -1 from the end."""
    return sharding.streams(order, dp_world_size, num_workers)[dp_rank * num_workers + worker_id]


def as_the_first(found: list[Array | None]) -> Array | None:
    """Joins whatever has a record."""
    return JOINED([one for one in found if one is not None])


IDS_OF = ids._ids
SEQUENTIAL, FIXED, BLOCK = batching.sequential, batching.fixed_size, sharding.block
EXPECT_KNOWN, SMALLEST = batches._expect_known, batches.smallest_dtype
ARRAY, OF_ROWS, JOINED = routing.array, records._of, records.joined
FOLLOWING, SLICE = resume.following, resume._slice


def from_worker_zero(document: dict[str, Any], count: int) -> Any:
    """Begins every round anew."""
    return FOLLOWING(document | {"next_worker": 0}, count)


def forgets_aside(worker: dict[str, Any]) -> Any:
    """Knows nothing but the furthest place."""
    return [], worker["epoch"], worker["index"]


def behind_the_index(worker: dict[str, Any]) -> Any:
    """Goes on behind the index, also where something further was set aside."""
    return [(one["epoch"], one["index"]) for one in worker["set_aside"]], worker["epoch"], worker["index"]


def of_the_world(document: dict[str, Any], worker_id: int) -> Any:
    """Shares a block's data set out over the whole world."""
    return SLICE(document | {"source": document["source"] | {"kind": "map"}}, worker_id)
