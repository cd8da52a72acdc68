"""What differs between two identities, field by field, in lines for whoever has to decide what that means."""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from packer_schemas.canonical import canonical_json, json_path
from packer_schemas.identity import IdentityDocument

__all__ = ["Difference", "identity_differences"]

SHOWN = 80
"""Characters that are shown of a longer text, around the first difference (IDENT-16)."""

_LACKING = object()


@dataclass(frozen=True)
class Difference:
    """One field that differs: its path, and its two values as canonical JSON, or `absent` on the side that lacks it.

    `str()` is one printable line, such as `processor.video_processor.fps: 2.0 -> 4.0`. Of a value longer than 80
    characters 80 around the first difference are there, between dots; what does not print by itself is escaped.
    """

    path: str
    old: str
    new: str

    def __str__(self) -> str:
        return f"{_printable(self.path)}: {self.old} -> {self.new}"


def identity_differences(old: IdentityDocument | None, new: IdentityDocument | None) -> list[Difference]:
    """The fields in which two identities differ; empty exactly when their digests agree (IDENT-16).

    None is the identity of a packer that declares nothing. Fields of objects are compared by name and items of lists
    by index, in that order, level by level; `1`, `1.0` and `true` are three values. An object or a list that stands on
    one side only is one difference. What is in no digest, as `packer`, is not compared.
    """
    return list(_differences(_parts(old), _parts(new), []))


def _parts(document: IdentityDocument | None) -> dict[str, Any]:
    return {} if document is None else {name: part.value for name, part in document.parts.items()}


def _differences(old: Any, new: Any, steps: list[str | int]) -> Iterator[Difference]:
    if type(old) is type(new) and isinstance(old, dict | list):
        before, after = (side if isinstance(side, dict) else dict(enumerate(side)) for side in (old, new))
        places: Any = before.keys() | after.keys()
        for step in sorted(places):
            yield from _differences(before.get(step, _LACKING), after.get(step, _LACKING), [*steps, step])
        return
    before, after = _text(old), _text(new)
    if before != after:
        pairs = enumerate(zip(before, after, strict=False))
        at = next((place for place, (one, other) in pairs if one != other), min(len(before), len(after)))
        yield Difference(json_path(steps), _shown(before, at), _shown(after, at))


def _text(value: Any) -> str:
    return "absent" if value is _LACKING else canonical_json(value).decode()  # the word; a string has quotes


def _shown(text: str, at: int) -> str:
    if len(text) <= SHOWN:
        return _printable(text)
    start = max(0, min(at - SHOWN // 2, len(text) - SHOWN))
    end = start + SHOWN
    return f"{'...' if start else ''}{_printable(text[start:end])}{'...' if end < len(text) else ''}"


def _printable(text: str) -> str:
    """The text with everything escaped that a terminal obeys, that cannot be seen, or that joins its neighbour."""
    if text.isascii() and text.isprintable():
        return text
    plain = (one.isprintable() and not unicodedata.combining(one) for one in text)
    return "".join(one if ok else one.encode("unicode_escape").decode() for one, ok in zip(text, plain, strict=True))
