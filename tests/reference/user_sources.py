"""A user's module of data sources: factories that keep the rules, and factories that break one each."""

from collections.abc import Iterator
from typing import Any

import torch.utils.data

ROWS = [
    {"question": f"What is {index} + 1?", "answer": str(index + 1), "uid": f"r{index}", "topic": "sums"}
    for index in range(12)
]
"""Rows that their source keeps and hands out as they are."""

calls: list[tuple[tuple[Any, ...], dict[str, Any]]] = []
"""How `recorded` was called in this process."""


class Sums:
    """The prompts of the seed's example: rows made at every read, with a fingerprint."""

    def __init__(self, count: int = 100) -> None:
        self.count = count

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> dict[str, str]:
        return {"question": f"What is {index} + 1?", "answer": str(index + 1)}

    def cursor_fingerprint(self) -> str:
        return f"example-prompts-v1-count={self.count}"


class Pairs:
    """The preferences of the seed's example: triples that it keeps, with names for them."""

    def __init__(self, count: int = 100, first: int = 0) -> None:
        self.items = [
            (f"Describe sample {index}", {"completion": f"preferred-{index}"}, {"completion": f"rejected-{index}"})
            for index in range(first, first + count)
        ]

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: int) -> tuple[str, dict[str, Any], dict[str, Any]]:
        return self.items[index]

    def membership_ids(self) -> tuple[str, ...]:
        return tuple(prompt for prompt, _, _ in self.items)


class Unreadable(Pairs):
    """Pairs of which none can be read: whoever only asks for names does not notice."""

    def __getitem__(self, index: int) -> Any:
        raise OSError(f"video {index} cannot be decoded")


class Nameless:
    """Pairs without names for them, of which none can be read either."""

    def __len__(self) -> int:
        return 2

    def __getitem__(self, index: int) -> Any:
        raise OSError(f"video {index} cannot be decoded")


class Walked(torch.utils.data.IterableDataset[Any]):
    """A stream."""

    def __iter__(self) -> Iterator[dict[str, str]]:
        yield from ROWS


class CountedWalk(Walked):
    """A stream that knows its length."""

    def __len__(self) -> int:
        return len(ROWS)


class Indexless(torch.utils.data.Dataset[Any]):
    """Inherits an index that only raises."""

    def __len__(self) -> int:
        return 3


class Lengthless:
    """Has an index and no length."""

    def __getitem__(self, index: int) -> dict[str, str]:
        return ROWS[index]


class LengthRaises(Lengthless):
    """Has a length that only raises."""

    def __len__(self) -> int:
        raise NotImplementedError("how many?")


def rows(count: int = 12) -> list[dict[str, str]]:
    """The kept rows."""
    return ROWS[:count]


def recorded(*positional: Any, **given: Any) -> list[dict[str, str]]:
    """The kept rows; remembers how it was called, and writes into what it was given."""
    calls.append((positional, {name: repr(value) for name, value in given.items()}))
    for value in given.values():
        if isinstance(value, dict):
            value.clear()
    return ROWS


def shouting(row: dict[str, Any]) -> dict[str, Any]:
    """Changes the row it is given."""
    row["question"] = row["question"].upper()
    return row


KEPT = {"question": ["kept"], "answer": "1"}


def from_memory(row: dict[str, Any]) -> dict[str, Any]:
    """Hands out an object that it keeps."""
    return KEPT


def broken_fn(row: dict[str, Any]) -> Any:
    """Fails on the row of 3 + 1."""
    return {"question": row["question"], "share": 1 / (int(row["answer"]) - 4)}


def several_rows(row: dict[str, Any]) -> Any:
    """Makes a list of one row."""
    return [row]


def raising(count: int = 0) -> Any:
    """Cannot find its file."""
    raise FileNotFoundError("rows.jsonl")


def exiting() -> Any:
    """Ends the process."""
    raise SystemExit(3)


def returning(what: str) -> Any:
    """Things that are no source, and an empty one."""
    return {
        "None": None,
        "class": Sums,
        "mapping": {"train": ROWS, "test": ROWS},
        "text": "rows",
        "bytes": b"rows",
        "generator": (row for row in ROWS),
        "set": {"a", "b"},
        "stream": Walked(),
        "stream with a length": CountedWalk(),
        "inherited index": Indexless(),
        "no length": Lengthless(),
        "raising length": LengthRaises(),
        "number": 3,
        "empty list": [],
        "empty source": Sums(0),
    }[what]


def by_name(names: list[str]) -> list[dict[str, str]]:
    """Rows in the order of a set, which follows the hash seed: what no factory should do."""
    return [{"question": name} for name in set(names)]
