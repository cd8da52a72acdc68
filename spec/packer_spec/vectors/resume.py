"""Vectors of chapter resume: documents of loaders over a map source, and what comes after them."""

from typing import Any

from packer_spec.oracle import resume
from packer_spec.vectors.probe import MENTIONS, Group, Probe, Refusal

__all__ = ["DESCRIPTION", "GROUPS", "answer"]

DESCRIPTION = (
    "Saved places. input: document, what state_dict of a loader over a map source or a rank partition gave, without "
    "shuffle and with batches of one, so that the item at a position is that position; and count. expected: items, the "
    "next count of them on that rank: the worker that gives each, its epoch, and the item. A document is plain JSON, "
    f"with integers where digits have no point. {MENTIONS}"
)


def answer(given: dict[str, Any]) -> dict[str, Any]:
    """What the oracle says of an input."""
    return {"items": resume.following(resume.read(given["document"]), given["count"])}


def _worker(number: int, epoch: int, index: int, *aside: tuple[int, int]) -> dict[str, Any]:
    places = [{"epoch": epoch, "index": index} for epoch, index in aside]
    return {"worker_id": number, "epoch": epoch, "index": index, "set_aside": places}


def _document(
    length: int,
    *workers: dict[str, Any],
    rank: int = 0,
    world: int = 1,
    count: int | None = None,
    turn: int = 0,
    **source: Any,
) -> dict[str, Any]:
    own = {"kind": "map", "length": length, "seed": 0, "shuffle": False, "fingerprint": None}
    return {
        "schema_version": 1,
        "name": "",
        "source": own | source,
        "dp_rank": rank,
        "dp_world_size": world,
        "num_workers": (len(workers) if len(workers) > 1 else 0) if count is None else count,
        "batches": sum(worker["index"] + 1 for worker in workers),
        "next_worker": turn,
        "workers": list(workers),
    }


def _next(note: str, document: dict[str, Any], count: int = 6) -> Probe:
    return Probe(note, {"document": document, "count": count})


def _refused(note: str, document: Any, *mentions: Any) -> Probe:
    return Probe(note, {"document": document, "count": 1}, Refusal("ValueError", tuple(map(str, mentions))))


def _changed(note: str, *mentions: Any, **fields: Any) -> Probe:
    return _refused(note, EXAMPLE | fields, *mentions)


def _with_worker(note: str, *mentions: Any, drop: str = "", **fields: Any) -> Probe:
    """One worker of a document of four items, its entry changed."""
    worker = {name: value for name, value in (_worker(0, 0, 1) | fields).items() if name != drop}
    return _refused(note, _document(4, _worker(0, 0, 1)) | {"workers": [worker]}, *mentions)


def _with_source(note: str, *mentions: Any, drop: str = "", **fields: Any) -> Probe:
    source = {name: value for name, value in (EXAMPLE["source"] | fields).items() if name != drop}
    return _changed(note, *mentions, source=source)


def _without(field: str) -> Probe:
    kept = {name: value for name, value in EXAMPLE.items() if name != field}
    return _refused(f"a document without {field}", kept, field)


_SUMS = "e656948503d8dae155fa376efa0fa35a4cdfdac3d1385e79abff0d5e8e15ac14"
EXAMPLE = _document(12, _worker(0, 0, 1), _worker(1, 0, 0), _worker(2, 0, 0), turn=1, fingerprint=_SUMS)
BLOCK = {"kind": "rank_partitioned", "part": {"name": "b", "shard_rank": 1, "shard_world_size": 2}}

GROUPS = (
    Group(
        "RESUME-3",
        [
            _next("five items, stopped after two", _document(5, _worker(0, 0, 1))),
            _next("a loader that never ran", _document(5, _worker(0, 0, -1))),
            _next("in the third epoch", _document(5, _worker(0, 2, 3))),
            _next("the second of two ranks, whose slice is shorter", _document(5, _worker(0, 0, 0), rank=1, world=2)),
            _next("the first of two ranks", _document(5, _worker(0, 0, 0), rank=0, world=2)),
            _next("one worker process, which is one entry too", _document(5, _worker(0, 0, 1), count=1)),
            _next(
                "a rank of a block reads its part of the block's data set",
                _document(7, _worker(0, 0, 0), rank=4, world=6, **BLOCK),
            ),
            _next("a block with workers", _document(9, _worker(0, 0, 1), _worker(1, 0, 0), rank=2, world=3, **BLOCK)),
        ],
    ),
    Group(
        "RESUME-4",
        [
            _next("the example of the chapter: worker 1 is next", EXAMPLE),
            _next("the same at worker 2", EXAMPLE | {"next_worker": 2}),
            _next("workers that never ran", _document(4, _worker(0, 0, -1), _worker(1, 0, -1))),
            _next("workers that are not equally far", _document(9, _worker(0, 0, 3), _worker(1, 0, -1), turn=1)),
            _next(
                "two ranks of two workers", _document(10, _worker(0, 0, 1), _worker(1, 0, 0), rank=1, world=2, turn=1)
            ),
            _next("one worker is an epoch ahead", _document(5, _worker(0, 0, 2), _worker(1, 1, 0), turn=0)),
        ],
    ),
    Group(
        "RESUME-5",
        [
            _next("one place is set aside, and comes first", _document(5, _worker(0, 0, 2, (0, 1)))),
            _next("two are set aside, in their order", _document(6, _worker(0, 0, 4, (0, 3), (0, 1)))),
            _next("one set aside is further than the index", _document(6, _worker(0, 0, 1, (0, 3), (0, 2)))),
            _next("one of the last epoch is set aside", _document(3, _worker(0, 1, 0, (0, 2)))),
            _next("one of the next epoch is set aside", _document(3, _worker(0, 0, 2, (1, 0)))),
            _next(
                "one worker has set aside, the other has not",
                _document(8, _worker(0, 0, 2, (0, 0)), _worker(1, 0, 1), turn=1),
            ),
        ],
    ),
    Group(
        "RESUME-7",
        [
            _next("the last item of an epoch", _document(4, _worker(0, 0, 3))),
            _next("the same place, told as the beginning of the next epoch", _document(4, _worker(0, 1, -1))),
            _next("a slice of one item", _document(2, _worker(0, 0, 0), _worker(1, 0, 0))),
        ],
    ),
    Group(
        "RESUME-12",
        [
            _changed("schema_version 2", "schema_version", 2, 1, schema_version=2),
            _changed("schema_version as a text", "schema_version", schema_version="1"),
            _changed("schema_version true", "schema_version", schema_version=True),
            *map(_without, EXAMPLE),
            _refused("the empty document", {}),
            _refused("no document", None),
            _changed("a field too many", "epoch", epoch=0),
            _changed("batches below zero", "batches", -1, batches=-1),
            _changed("batches as a text", "batches", batches="4"),
            _changed("next_worker is none of them", "next_worker", 3, next_worker=3),
            _changed("next_worker below zero", "next_worker", -1, next_worker=-1),
            _changed("a rank beyond the world", "dp_rank", 1, dp_rank=1),
            _changed("fewer entries than workers", "workers", num_workers=4),
            _changed("entries out of order", "workers", workers=[EXAMPLE["workers"][at] for at in (1, 0, 2)]),
            _changed("no entry", "workers", workers=[]),
            _changed("a name that is nothing", "name", name=None),
        ],
    ),
    Group(
        "RESUME-12",
        [
            _with_worker("an index below -1", "index", -2, index=-2),
            _with_worker("an index at the length of the slice", "index", 4, index=4),
            _with_worker("an epoch below zero", "epoch", -1, epoch=-1),
            _with_worker("an index with a fraction", "index", index=0.5),
            _with_worker("an entry without set_aside", "set_aside", drop="set_aside"),
            _with_worker("an entry with a field too many", "draws", draws=0),
            _with_worker("a place is set aside twice", "set_aside", set_aside=[{"epoch": 0, "index": 0}] * 2),
            _with_worker("the place of the entry is set aside", "set_aside", set_aside=[{"epoch": 0, "index": 1}]),
            _with_worker("a place before the first is set aside", "index", set_aside=[{"epoch": 0, "index": -1}]),
            _with_worker("a place without its epoch", "epoch", set_aside=[{"index": 0}]),
            _with_source("a source without its seed", "seed", drop="seed"),
            _with_source("a source with a field too many", "ratio", ratio=1),
            _with_source("a length of nothing", "length", 0, length=0),
            _with_source("shuffle as an integer", "shuffle", shuffle=0),
            _with_source("a source of a kind that there is not", "kind", kind="stream"),
            _with_source("a rank partition without its part", "part", kind="rank_partitioned"),
            _refused(
                "the second worker's slice is shorter", _document(5, _worker(0, 0, 1), _worker(1, 0, 2)), "index", 2
            ),
        ],
    ),
)
