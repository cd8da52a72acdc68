"""Copies of an item's containers, so that what user code writes into them stays out of the source."""

import copy
from array import array
from collections import deque
from collections.abc import Mapping, MutableSequence, MutableSet
from types import MappingProxyType
from typing import Any

__all__ = ["copy_containers"]


def copy_containers(item: Any) -> Any:
    """`item` with every mapping, list, deque and set in it copied, tuples rebuilt on the way, types kept.

    Everything else, tensors, arrays and images among it, is shared. What stands twice in the item, or within itself,
    does so in the copy. Spec: sources, SOURCE-6.
    """
    return _copied(item, {})


def _copied(value: Any, known: dict[int, Any]) -> Any:
    kind = type(value)
    if kind in _SCALARS:
        return value
    if id(value) in known:
        return known[id(value)]
    if kind is dict:
        fresh: dict[Any, Any] = {}
        known[id(value)] = fresh
        fresh.update({key: _copied(one, known) for key, one in value.items()})
        return fresh
    if kind is list:
        items: list[Any] = []
        known[id(value)] = items
        items.extend([_copied(one, known) for one in value])
        return items
    return _copied_other(value, known)


def _copied_other(value: Any, known: dict[int, Any]) -> Any:
    if isinstance(value, tuple):
        return _copied_tuple(value, known)
    if isinstance(value, dict | list | deque):
        return _refilled(value, known)
    if isinstance(value, MappingProxyType):
        return MappingProxyType({key: _copied(one, known) for key, one in value.items()})
    if isinstance(value, MutableSet):
        return copy.copy(value)
    if isinstance(value, Mapping | MutableSequence) and not isinstance(value, bytearray | array):
        # A container of somebody's own: only a deep copy is sure to share nothing that it keeps its items in.
        return copy.deepcopy(value, known)
    return value


_SCALARS = frozenset({str, int, float, bool, type(None), bytes, complex})


def _copied_tuple(value: Any, known: dict[int, Any]) -> Any:
    items = [_copied(one, known) for one in value]
    if all(new is old for new, old in zip(items, value, strict=True)):
        return value
    kind = type(value)
    made = tuple.__new__(kind, items)
    if getattr(value, "__dict__", None):
        made.__dict__.update(value.__dict__)
    return made


def _refilled(value: Any, known: dict[int, Any]) -> Any:
    """A copy of a subclass of dict or list, or of a deque, with its own attributes and copies of its items."""
    made = copy.copy(value)
    known[id(value)] = made
    if isinstance(made, dict):
        for key, one in dict.items(value):
            dict.__setitem__(made, key, _copied(one, known))
    else:
        for place, one in enumerate(value):
            made[place] = _copied(one, known)
    return made
