"""Data sources as people write them, each of which keeps every rule that binds it."""

import json
import weakref
from pathlib import Path
from typing import Any, NamedTuple

import datasets
import numpy as np
import torch

__all__ = [
    "Computed",
    "HandsOutItsRows",
    "Lines",
    "Preference",
    "Preferences",
    "TorchRows",
    "data_set",
    "plain_list",
    "rows_with_arrays",
    "shuffled",
]


def plain_list(count: int = 5) -> list[dict[str, Any]]:
    """A list of rows, the simplest source there is."""
    return [{"prompt": f"What is {number} + 1?", "answer": str(number + 1)} for number in range(count)]


def data_set(count: int = 5) -> datasets.Dataset:
    """A data set in memory, without a fingerprint that the run would ask for."""
    return datasets.Dataset.from_list(plain_list(count))


def rows_with_arrays(count: int = 3) -> list[dict[str, Any]]:
    """Rows with tensors, arrays and NaN among their values."""
    return [
        {"prompt": "look", "image": torch.full((2, 2), float(number)), "score": float("nan"), "box": np.arange(number)}
        for number in range(count)
    ]


class TorchRows(torch.utils.data.Dataset):
    """A map-style data set of torch's; negative indices are refused."""

    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> dict[str, Any]:
        if not 0 <= index < 4:
            raise IndexError(index)
        return {"prompt": f"row {index}"}


class Computed:
    """Rows that are computed, with a name that is raised by hand and counts; `note` shows in no row."""

    def __init__(self, count: int = 5_000, note: int = 3) -> None:
        self._count, self._note = count, note

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: int) -> dict[str, Any]:
        number = range(self._count)[index]
        return {"prompt": f"What is {number} + 1?"}

    def cursor_fingerprint(self) -> str:
        return f"sums-v3-{self._count}-{self._note}"

    def membership_ids(self) -> tuple[str, ...]:
        return tuple(f"sum-{number}" for number in range(self._count))


def shuffled(seed: int = 0, count: int = 20) -> "HandsOutItsRows":
    """Rows in an order that an argument decides."""
    order = np.random.default_rng(abs(seed)).permutation(count)
    return HandsOutItsRows([{"prompt": f"What is {number} + 1?"} for number in order])


class HandsOutItsRows:
    """Hands out the row objects that it keeps, as most sources do, and reads their text for its fingerprint."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: int) -> dict[str, Any]:
        return self._rows[index]

    def cursor_fingerprint(self) -> str:
        return json.dumps(self._rows)

    def membership_ids(self) -> tuple[str, ...]:
        return tuple(row["prompt"] for row in self._rows)


class Lines:
    """A JSON Lines file that stays open, so that the source does not pickle; its ids are a column of the file."""

    def __init__(self, path: str) -> None:
        text = Path(path).read_text(encoding="utf-8")
        self._ids = tuple(json.loads(line)["uid"] for line in text.splitlines())
        if len({*self._ids}) < len(self._ids):
            raise ValueError("two lines have one uid")
        self._fingerprint = text
        self._file = Path(path).open("rb")  # noqa: SIM115  open as long as the source lives
        weakref.finalize(self, self._file.close)

    def __len__(self) -> int:
        return len(self._ids)

    def __getitem__(self, index: int) -> dict[str, Any]:
        place = range(len(self))[index]
        self._file.seek(0)
        return json.loads([*self._file][place])

    def cursor_fingerprint(self) -> str:
        return self._fingerprint

    def membership_ids(self) -> tuple[str, ...]:
        return self._ids


class Preference(NamedTuple):
    """A pair with its prompt."""

    prompt: str
    winner: str
    loser: str


class Preferences:
    """Named triples."""

    def __len__(self) -> int:
        return 3

    def __getitem__(self, index: int) -> Preference:
        number = range(3)[index]
        return Preference(f"What is {number} + 1?", str(number + 1), str(number))
