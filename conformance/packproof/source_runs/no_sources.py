"""A factory of what is no source: streams, mappings, texts, what is empty, and what only looks like a source."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from packer_schemas.source_run_cases import NoSource

__all__ = ["TYPES", "WORDS", "returning"]

_ROWS = [{"prompt": "first"}, {"prompt": "second"}]


class Shelf:
    """A source, if it were an instance."""

    def __len__(self) -> int:
        return len(_ROWS)

    def __getitem__(self, index: int) -> Any:
        return _ROWS[index]


class BareShelf(Shelf):
    """A source of nothing."""

    def __len__(self) -> int:
        return 0


class Splits(Mapping[str, Any]):
    """A mapping that is no dictionary."""

    def __len__(self) -> int:
        return 2

    def __iter__(self) -> Iterator[str]:
        return iter(("train", "test"))

    def __getitem__(self, key: str) -> Any:
        return {"train": _ROWS, "test": _ROWS}[key]


class Indexless:
    """Has a length, can be walked, and has no index."""

    def __len__(self) -> int:
        return len(_ROWS)

    def __iter__(self) -> Iterator[Any]:
        return iter(_ROWS)


class Lengthless:
    """Has an index and no length."""

    def __getitem__(self, index: int) -> Any:
        return _ROWS[index]


class Unmeasurable(Shelf):
    """Has a length that only raises."""

    def __len__(self) -> int:
        raise NotImplementedError("nobody counted")


def returning(what: NoSource) -> Any:
    """Something that is no source."""
    return _MADE[what]()


def _walked(counted: bool) -> Any:
    """A torch `IterableDataset`, which inherits an index that only raises."""
    from torch.utils.data import IterableDataset

    class Walked(IterableDataset[Any]):
        def __iter__(self) -> Iterator[Any]:
            yield from _ROWS

    class CountedWalk(Walked):
        def __len__(self) -> int:
            return len(_ROWS)

    return CountedWalk() if counted else Walked()


def _unfinished() -> Any:
    """A torch `Dataset` with a length, whose index is the inherited one."""
    from torch.utils.data import Dataset

    class Unfinished(Dataset[Any]):
        def __len__(self) -> int:
            return len(_ROWS)

    return Unfinished()


_MADE: dict[NoSource, Callable[[], Any]] = {
    "nothing": lambda: None,
    "the class itself": lambda: Shelf,
    "splits": lambda: {"train": _ROWS, "test": _ROWS},
    "splits of its own": Splits,
    "letters": lambda: "rows",
    "raw": lambda: b"rows",
    "no rows": list,
    "no items": BareShelf,
    "a walk": lambda: (row for row in _ROWS),
    "an iterator": lambda: iter(_ROWS),
    "unordered": lambda: {"first", "second"},
    "a stream": lambda: _walked(counted=False),
    "a stream that is counted": lambda: _walked(counted=True),
    "no index of its own": _unfinished,
    "no index": Indexless,
    "no length": Lengthless,
    "a broken length": Unmeasurable,
    "a number": lambda: 3,
}

TYPES: dict[NoSource, str] = {
    "nothing": "None",
    "splits": "dict",
    "splits of its own": "Splits",
    "letters": "str",
    "raw": "bytes",
    "no rows": "list",
    "no items": "BareShelf",
    "a walk": "generator",
    "an iterator": "list_iterator",
    "unordered": "set",
    "a stream": "Walked",
    "a stream that is counted": "CountedWalk",
    "no index of its own": "Unfinished",
    "no index": "Indexless",
    "no length": "Lengthless",
    "a broken length": "Unmeasurable",
    "a number": "int",
}
"""The type that a message has to name, where it has one name."""

_LENGTH, _INDEX = ("__len__", "length", "len("), ("__getitem__", "index", "item")

WORDS: dict[NoSource, tuple[str, ...]] = {
    "the class itself": ("Shelf", "class", "type"),
    "no length": _LENGTH,
    "a broken length": _LENGTH,
    "no index": _INDEX,
    "no index of its own": _INDEX,
    "a stream that is counted": _INDEX,
    "unordered": _INDEX,
}
"""Words of which a message has to hold one: for what alone is missing, or for a class."""
