"""Chapter resume: whether a document of a loader over one map source is one, and which items come after it."""

from collections.abc import Mapping
from typing import Any

__all__ = ["following", "read"]

_SOURCE = {"kind": str, "length": int, "seed": int, "shuffle": bool, "fingerprint": (str, type(None))}
_PART = {"name": str, "shard_rank": int, "shard_world_size": int}
_WORKER = {"worker_id": int, "epoch": int, "index": int, "set_aside": list}
_PLACE = {"epoch": int, "index": int}
_COUNTS = {"dp_rank": int, "dp_world_size": int, "num_workers": int, "batches": int, "next_worker": int}
_DOCUMENT = {"schema_version": int, "name": str, "source": dict, **_COUNTS, "workers": list}


def read(document: Any) -> dict[str, Any]:
    """The document, if it is complete and consistent (RESUME-12); `ValueError` that names the field otherwise."""
    _expect_fields("the document", document, _DOCUMENT)
    if document["schema_version"] != 1:
        raise ValueError(f"schema_version is {document['schema_version']}, and 1 is read")
    source = document["source"]
    partitioned = source.get("kind") == "rank_partitioned"
    _expect_fields("source", source, _SOURCE | ({"part": dict} if partitioned else {}))
    if source["kind"] not in ("map", "rank_partitioned"):
        raise ValueError(f"source.kind is {source['kind']}")
    if partitioned:
        _expect_fields("source.part", source["part"], _PART)
    _expect_within("source.length", source["length"], 1)
    _expect_within("dp_world_size", document["dp_world_size"], 1)
    _expect_within("dp_rank", document["dp_rank"], 0, document["dp_world_size"] - 1)
    _expect_within("num_workers", document["num_workers"], 0)
    _expect_within("batches", document["batches"], 0)
    count = max(1, document["num_workers"])
    _expect_within("next_worker", document["next_worker"], 0, count - 1)
    for worker in document["workers"]:
        _expect_fields("an entry of workers", worker, _WORKER)
    found = [worker["worker_id"] for worker in document["workers"]]
    if found != list(range(count)):
        raise ValueError(f"workers have the worker_id {found}, expected 0 to {count - 1} in order")
    for worker in document["workers"]:
        _expect_places(worker, len(_slice(document, worker["worker_id"])))
    return document


def following(document: Mapping[str, Any], count: int) -> list[dict[str, int]]:
    """The next items of a loader that makes batches of one without shuffle: worker, epoch and item of each.

    Workers take turns from `next_worker` on (RESUME-4). Each reads what was set aside, in order, and goes on behind the
    furthest place of its entry (RESUME-5), into the next epoch where its slice has ended (RESUME-7).
    """
    reading = {worker["worker_id"]: _reading(worker) for worker in document["workers"]}
    found = []
    for turn in range(count):
        number = (document["next_worker"] + turn) % len(reading)
        own = _slice(document, number)
        aside, epoch, index = reading[number]
        if aside:
            at_epoch, at_index = aside.pop(0)
        else:
            at_epoch, at_index = (epoch, index + 1) if index + 1 < len(own) else (epoch + 1, 0)
            reading[number] = aside, at_epoch, at_index
        found.append({"worker_id": number, "epoch": at_epoch, "item": own[at_index]})
    return found


def _reading(worker: Mapping[str, Any]) -> tuple[list[tuple[int, int]], int, int]:
    aside = [(place["epoch"], place["index"]) for place in worker["set_aside"]]
    return aside, *max([(worker["epoch"], worker["index"]), *aside])


def _slice(document: Mapping[str, Any], worker_id: int) -> list[int]:
    """The items of the worker's stream in an epoch without shuffle (FLOW-2); in a partition those of its block."""
    source, workers = document["source"], max(1, document["num_workers"])
    rank, world = document["dp_rank"], document["dp_world_size"]
    if source["kind"] == "rank_partitioned":
        rank, world = source["part"]["shard_rank"], source["part"]["shard_world_size"]
    return list(range(rank * workers + worker_id, source["length"], world * workers))


def _expect_places(worker: Mapping[str, Any], length: int) -> None:
    seen = [(worker["epoch"], worker["index"])]
    _expect_within("epoch", worker["epoch"], 0)
    _expect_within("index", worker["index"], -1, length - 1)
    for place in worker["set_aside"]:
        _expect_fields("an entry of set_aside", place, _PLACE)
        _expect_within("epoch in set_aside", place["epoch"], 0)
        _expect_within("index in set_aside", place["index"], 0, length - 1)
        if (place["epoch"], place["index"]) in seen:
            raise ValueError(f"set_aside has epoch {place['epoch']}, index {place['index']}, which is told already")
        seen.append((place["epoch"], place["index"]))


def _expect_fields(where: str, given: Any, fields: Mapping[str, Any]) -> None:
    if type(given) is not dict:
        raise ValueError(f"{where} is a {type(given).__name__}, expected the fields {', '.join(fields)}")
    for name in sorted(set(given) ^ set(fields)):
        raise ValueError(f"{where} {'has' if name in given else 'lacks'} {name}, expected {', '.join(fields)}")
    for name, kinds in fields.items():
        if type(given[name]) not in (kinds if isinstance(kinds, tuple) else (kinds,)):
            raise ValueError(f"{name} in {where} is {given[name]!r}")


def _expect_within(name: str, value: int, least: int, most: int | None = None) -> None:
    if value < least or (most is not None and value > most):
        raise ValueError(f"{name} is {value}, expected {least} {'at least' if most is None else f'to {most}'}")
