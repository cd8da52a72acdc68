"""What a packer declares of itself: both declarations as the kit finds them, and digests to compare them by."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

from packer_schemas.canonical import json_path
from packer_schemas.declarations import DECLARATIONS
from packproof.capabilities import satisfies
from packproof.described import described
from packproof.driver import Driver, finished, short

__all__ = [
    "ABSENT",
    "METHODS",
    "Digests",
    "declarations",
    "digests",
    "entries_that_differ",
    "first_difference",
    "worded",
]

METHODS: Mapping[str, str] = {part: method for part, (_, method) in DECLARATIONS.items()}
"""The method of each part."""

Digests = dict[str, str]
"""A digest for each part that is declared."""


def declarations(driver: Driver) -> dict[str, Any]:
    """What the packer's methods return, by part, for the protocols that it satisfies."""
    found: dict[str, Any] = {}
    for part, (protocol, method) in DECLARATIONS.items():
        if satisfies(driver.packer, protocol):
            with driver.calling(f"{method}()"):
                found[part] = finished(getattr(driver.packer, method)(), driver.last_call)
                _form(found[part])  # here, for what cannot be read is the packer's fault
    return found


def digests(declared: Mapping[str, Any]) -> Digests:
    """A digest of each declaration, whatever it is made of: that it is plain data is a matter of IDENT-3 alone."""
    return {part: hashlib.sha256(_form(value)).hexdigest() for part, value in declared.items()}


def worded(found: Digests, part: str = "") -> str:
    """Digests for a message, shortened as the specification does: `semantics 41cde13a, processor 87553d20`."""
    return ", ".join(f"{name} {digest[:8]}" for name, digest in found.items() if part in ("", name))


def first_difference(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[str, str, str]:
    """The path of the first entry that two sets of declarations do not agree on, and what stands there in each."""
    for path, old, new in entries_that_differ(before, after):
        old_text, new_text = ("absent" if one is ABSENT else short(one) for one in (old, new))
        return path, old_text, new_text
    return "", "", ""


ABSENT = object()
"""Stands for an entry on the side that lacks it."""


def entries_that_differ(before: Any, after: Any) -> list[tuple[str, Any, Any]]:
    """Path and both values of each entry that two declarations do not agree on; a list is one entry."""
    return [(json_path(path), old, new) for path, old, new in _differences((), before, after)]


def _differences(path: tuple[str, ...], old: Any, new: Any) -> Iterator[tuple[tuple[str, ...], Any, Any]]:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in dict.fromkeys([*old, *new]):
            yield from _differences((*path, str(key)), old.get(key, ABSENT), new.get(key, ABSENT))
    elif old is ABSENT or new is ABSENT or type(old) is not type(new) or _form(old) != _form(new):
        yield path, old, new


def _form(value: Any) -> bytes:
    """Bytes that are equal where two values are, whatever these are made of and however deep."""
    return json.dumps(described(value), sort_keys=True).encode()
