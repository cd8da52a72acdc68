"""The chapter's source of twelve rows, and the cursors of a loader over it."""

from typing import Any

from packer_reference.sources import cursor_fingerprint


class Words:
    """A source that says the chapter's words of itself."""

    def __init__(self, length: int, words: Any = "sums-v1") -> None:
        self.length, self.words = length, words

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> Any:
        raise AssertionError("nothing here reads an item")

    def cursor_fingerprint(self) -> Any:
        return self.words


def document(**changes: Any) -> dict[str, Any]:
    """The cursor after four batches of one, of the chapter's source of 12 rows, changed."""
    source = {"kind": "map", "length": 12, "seed": 0, "shuffle": False, "fingerprint": cursor_fingerprint(Words(12))}
    workers = [{"worker_id": 0, "epoch": 0, "index": 3, "set_aside": []}]
    own = {"schema_version": 1, "name": "", "source": source, "dp_rank": 0, "dp_world_size": 1, "num_workers": 0}
    return {**own, "batches": 4, "next_worker": 0, "workers": workers, **changes}


def fresh(**source: Any) -> dict[str, Any]:
    """The document of this run's loader before its first batch, its source changed."""
    workers = [{"worker_id": 0, "epoch": 0, "index": -1, "set_aside": []}]
    return document(source={**document()["source"], **source}, batches=0, workers=workers)
