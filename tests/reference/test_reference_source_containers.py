"""Copies of an item's containers: types are kept, containers are new to any depth, and large things are shared."""

from array import array
from collections import Counter, OrderedDict, UserDict, UserList, defaultdict, deque, namedtuple
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
import torch

from packer_reference.sources.containers import copy_containers

Pair = namedtuple("Pair", ["winner", "loser"])  # noqa: PYI024  the kind that has no types to lean on


class Row(dict[str, Any]):
    """A mapping of a user's, with an attribute."""

    split = "train"


class Turns(list[Any]):
    """A list of a user's."""


class Triple(tuple[Any, ...]):
    """A tuple of a user's, with an attribute."""


class Lazy(Mapping[str, Any]):
    """A mapping that keeps its items in a place of its own."""

    def __init__(self, **items: Any) -> None:
        self.items_kept = items

    def __getitem__(self, key: str) -> Any:
        return self.items_kept[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.items_kept)

    def __len__(self) -> int:
        return len(self.items_kept)


def counted() -> defaultdict[str, list[int]]:
    """A dictionary with a factory."""
    made: defaultdict[str, list[int]] = defaultdict(list)
    made["a"].append(1)
    return made


@pytest.mark.parametrize(
    "item",
    [
        {"a": [1]},
        [[1], {"b": [2]}],
        ([1], ({"c": [3]},)),
        Pair([1], {"x": [2]}),
        Row(a=[1]),
        Turns([[1]]),
        Triple(([1], 2)),
        OrderedDict(b=[1], a=[2]),
        counted(),
        Counter("abca"),
        deque([[1], [2]], maxlen=3),
        UserDict(a=[1]),
        UserList([[1]]),
        Lazy(a=[1]),
        {1, 2},
        {"bytes": b"x", "none": None, "text": "t", "set": frozenset({1})},
    ],
    ids=lambda item: type(item).__name__,
)
def test_a_copy_is_equal_of_the_same_types_and_shares_no_container(item: Any) -> None:
    """Whatever the container, its type and content are kept and nothing in it that can be written into is shared."""
    made = copy_containers(item)
    assert repr(made) == repr(item) or isinstance(item, Lazy)
    assert type(made) is type(item)
    assert not {id(one) for one in containers(made)} & {id(one) for one in containers(item)}


def containers(value: Any) -> Iterator[Any]:
    """Every container in a value that can be written into, itself included."""
    if isinstance(value, str | bytes | frozenset):
        return
    if not isinstance(value, tuple | Lazy) and isinstance(value, Mapping | list | deque | UserList | set):
        yield value
    if isinstance(value, Mapping):
        value = list(value.values())
    for one in value if isinstance(value, list | tuple | deque | UserList) else ():
        yield from containers(one)


def test_attributes_and_settings_of_a_container_come_along() -> None:
    """A default factory, a maximum length and a user's own attributes are part of the type's behaviour."""
    made = copy_containers(counted())
    assert made["new"] == []
    assert copy_containers(deque([1], maxlen=3)).maxlen == 3
    row = Row(a=1)
    row.split = "test"
    assert copy_containers(row).split == "test"
    triple = Triple([[1]])
    triple.name = "t"  # pyright: ignore[reportAttributeAccessIssue]
    assert copy_containers(triple).name == "t"


def test_a_read_only_view_stays_one() -> None:
    """What is behind it is copied all the same."""
    kept = {"a": [1]}
    made = copy_containers(MappingProxyType(kept))
    assert isinstance(made, MappingProxyType)
    made["a"].append(2)
    assert kept == {"a": [1]}


def test_large_things_are_shared() -> None:
    """Tensors, arrays and objects that are no containers are the item's own."""
    big = [torch.zeros(3), np.zeros(3), array("q", [1]), bytearray(b"x"), object()]
    made = copy_containers({"big": tuple(big), "list": list(big)})
    assert all(new is old for new, old in zip([*made["big"], *made["list"]], [*big, *big], strict=True))


def test_what_stands_twice_stands_twice_in_the_copy() -> None:
    """Shared parts and an item within itself are copied once."""
    turn = {"role": "user"}
    item: dict[str, Any] = {"turns": [turn, turn]}
    item["self"] = item
    made = copy_containers(item)
    assert made["turns"][0] is made["turns"][1]
    assert made["turns"][0] is not turn
    assert made["self"] is made
