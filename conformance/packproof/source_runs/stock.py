"""Factories of data sources that the checks point a run to, by paths such as `packproof.source_runs.stock.rows`.

What a source holds comes with its keyword arguments. The lists at the top note what happens in this process.
"""

import builtins
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from packproof.source_runs.spelling import plain, spelled

__all__ = [
    "ASKED",
    "CALLED",
    "NOT_CALLABLE",
    "READ",
    "Held",
    "capitals",
    "echo",
    "echo_pair",
    "held",
    "held_out",
    "items",
    "kept",
    "raising",
    "rows",
    "scribbling",
    "trained",
    "uncalled",
    "worded",
    "write_into",
]

CALLED: list[str] = []
"""Names of the factories that were called in this process, in order."""

ASKED: list[int] = []
"""Lengths of the sources of `trained` and `held_out` that were asked for ids in this process, in order."""

READ: list[int] = []
"""Indices that were read from sources of `trained` and `held_out` in this process, in order."""

NOT_CALLABLE = 3
"""What a path should not lead to."""

_NOT_GIVEN: Any = object()
"""What `echo` has in place of an argument that it was not given."""


class Held(NamedTuple):
    """A tuple with a name of its own."""

    first: Any
    second: str = "second"


class _Row(Mapping[str, Any]):
    """A row that is a mapping and no dictionary, as readers of tables have them."""

    def __init__(self, values: dict[str, Any]) -> None:
        self._values = values

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __getitem__(self, column: str) -> Any:
        return self._values[column]


class _Items:
    """A map-style object that hands out the objects it keeps."""

    def __init__(self, items: list[Any]) -> None:
        self._items = items

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, index: int) -> Any:
        return self._items[index]


class _Worded(_Items):
    """The same, with words for its content."""

    def __init__(self, items: list[Any], words: str) -> None:
        super().__init__(items)
        self._words = words

    def cursor_fingerprint(self) -> str:
        return self._words


class _Noting(_Items):
    """The same, which notes what is read."""

    def __getitem__(self, index: int) -> Any:
        READ.append(index)
        return super().__getitem__(index)


class _Named(_Noting):
    """The same, with names for its items."""

    def __init__(self, items: list[Any], ids: Any) -> None:
        super().__init__(items)
        self._ids = ids

    def membership_ids(self) -> Any:
        ASKED.append(len(self))
        return self._ids


def echo(
    *given: Any, seed: Any = _NOT_GIVEN, rank: Any = _NOT_GIVEN, world_size: Any = _NOT_GIVEN, **named: Any
) -> Any:
    """One row, whose prompt tells what this was called with, and with nothing else; writes into what it was given.

    It has parameters that a run may want to fill in by itself, and takes every other keyword too.
    """
    CALLED.append("echo")
    offered = {"seed": seed, "rank": rank, "world_size": world_size}
    named |= {name: value for name, value in offered.items() if value is not _NOT_GIVEN}
    told = spelled({"positional": list(given), "named": named})
    for value in (*given, *named.values()):
        write_into(value)
    return _Items([_item("prompts", told)])


def echo_pair(
    *given: Any, seed: Any = _NOT_GIVEN, rank: Any = _NOT_GIVEN, world_size: Any = _NOT_GIVEN, **named: Any
) -> Any:
    """As `echo`, with a preference in place of the row."""
    told = echo(*given, seed=seed, rank=rank, world_size=world_size, **named)
    return _Items([_item("preferences", told[0]["prompt"])])


def rows(rows: Iterable[Any], read_only: bool = False) -> Any:
    """The rows that are given; with `read_only` as mappings that are no dictionaries."""
    CALLED.append("rows")
    made = plain(list(rows))
    return _Items([_Row(row) for row in made] if read_only else made)


def items(length: int = 1, of: str = "prompts") -> Any:
    """Items that are told apart by a number."""
    CALLED.append("items")
    return _Items(_numbered(length, of))


def worded(words: str, length: int, of: str = "prompts") -> Any:
    """The same, with words for their content."""
    return _Worded(_numbered(length, of), words)


def trained(length: int, ids: Any = None, spoiled: str = "nothing", of: str = "prompts") -> Any:
    """Items that are named by `ids`, if there are any, and note that they are read."""
    numbered = _numbered(length, of)
    return _Noting(numbered) if ids is None else _Named(numbered, _spoiled(list(ids), spoiled))


def held_out(length: int, ids: Any = None, spoiled: str = "nothing", of: str = "prompts") -> Any:
    """As `trained`, under another path."""
    return trained(length, ids, spoiled, of)


def kept(ways: Iterable[str], place: str) -> Any:
    """One item with `held(ways)` in a place, or a list of media; the same object at every read."""
    if place == "preferences":
        return _Items([([{"role": "user", "content": held(ways)}], held(ways), held(ways))])
    value = [dict(_CLIP)] if place == "video" else held(ways)
    return _Items([{"prompt": "prompt", "answer": "answer", _COLUMN_AT.get(place, "note"): value}])


_COLUMN_AT = {"prompt": "prompt", "reference": "answer", "image": "picture", "video": "clip"}
_CLIP = {"type": "video", "video": "run.mp4", "fps": 2.5, "total_num_frames": 4, "frames_indices": [0, 2]}


def held(ways: Iterable[str]) -> Any:
    """A list within these containers, from the inside out."""
    value: Any = ["innermost"]
    for way in ways:
        value = _AROUND[way](value)
    return value


_AROUND: dict[str, Callable[[Any], Any]] = {
    "a dictionary": lambda value: {"within": value},
    "a list": lambda value: [value, "beside"],
    "a tuple": lambda value: (value, "beside"),
    "a named tuple": Held,
    "an ordered dictionary": lambda value: OrderedDict(within=value),
}


def scribbling(row: Any) -> Any:
    """A function for rows that writes into the one it is given, to any depth, and hands it on."""
    write_into(row)
    return row


def capitals(row: Any) -> Any:
    """A function for rows that writes the names of columns in capitals."""
    return {name.upper(): value for name, value in row.items()}


def raising(name: str) -> Any:
    """Raises an error of this name."""
    raise getattr(builtins, name)("the shelf is empty")


def uncalled(*_: Any, **__: Any) -> Any:
    """What nobody is to call."""
    CALLED.append("uncalled")
    return _Items(_numbered(1, "prompts"))


def _numbered(length: int, of: str) -> list[Any]:
    return [_item(of, f"item {place}") for place in range(length)]


def _item(of: str, told: str) -> Any:
    return {"prompt": told} if of == "prompts" else (told, "winner", "loser")


def _spoiled(ids: list[str], how: str) -> Any:
    return {
        "nothing": tuple(ids),
        "a list": ids,
        "one too few": tuple(ids[1:]),
        "an empty one": ("", *ids[1:]),
        "a number": (7, *ids[1:]),
        "one twice": (*ids[1:], ids[-1]),
    }[how]


def write_into(value: Any) -> None:
    """Write into every dictionary and list of a value, tuples included as the way to them."""
    if isinstance(value, dict):
        for one in list(value.values()):
            write_into(one)
        value["written"] = "by user code"
    elif isinstance(value, list | tuple):
        for one in list(value):
            write_into(one)
        if isinstance(value, list):
            value.append("written by user code")
