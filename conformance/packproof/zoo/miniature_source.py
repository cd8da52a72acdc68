"""Data sources that keep every rule, in steps small enough for a fault to replace just one of them."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

__all__ = ["MiniatureLines", "MiniaturePairs", "MiniatureRows", "MiniatureSource"]


class MiniatureRows:
    """A row for each of `count` numbers from `start` on; without fingerprint and ids, and without a fault."""

    arguments: ClassVar[dict[str, Any]] = {"count": 6, "start": 2, "falling": False}

    def __init__(self, count: int, start: int = 0, falling: bool = False) -> None:
        self._falling = falling
        self._names = self._ordered([f"sum-{number}" for number in range(start, start + count)])

    def __len__(self) -> int:
        return len(self._names)

    def __getitem__(self, index: int) -> Any:
        return self._item(self._place(index))

    def _ordered(self, names: list[str]) -> list[str]:
        return names[::-1] if self._falling else names

    def _place(self, index: int) -> int:
        """The place of an index, of which negative ones count from the end."""
        count = len(self._names)
        if not -count <= index < count:
            raise IndexError(index)
        return index % count

    def _item(self, place: int) -> Any:
        name = self._names[place]
        return {"question": f"What is {name.removeprefix('sum-')} + 1?", "uid": name}


class MiniatureSource(MiniatureRows):
    """The same with a fingerprint and with membership ids."""

    def cursor_fingerprint(self) -> Any:
        """A digest of everything that decides the rows."""
        return hashlib.sha256("\n".join(self._decisive()).encode()).hexdigest()

    def membership_ids(self) -> Any:
        """The names of the rows."""
        return tuple(self._names)

    def _decisive(self) -> Sequence[str]:
        return self._names


class MiniatureLines(MiniatureSource):
    """The lines of a text file, each under its own digest."""

    arguments: ClassVar[dict[str, Any]] = {"path": str(Path(__file__).with_name("lines.txt"))}

    def __init__(self, path: str) -> None:
        self._path = path
        self._names = Path(path).read_text(encoding="utf-8").splitlines()

    def membership_ids(self) -> Any:
        """A digest of each line, which is as good as a name while no two lines are equal."""
        ids = [hashlib.sha256(name.encode()).hexdigest()[:16] for name in self._names]
        return tuple(f"{one}-{ids[:place].count(one)}" for place, one in enumerate(ids))

    def _item(self, place: int) -> Any:
        return {"question": self._names[place]}


class MiniaturePairs(MiniatureRows):
    """A preference for each row: the sum, its value, and a number that is one too high."""

    def _item(self, place: int) -> Any:
        number = int(self._names[place].removeprefix("sum-"))
        return f"What is {number} + 1?", str(number + 1), str(number + 2)
