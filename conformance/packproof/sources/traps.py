"""Traps for a source that reads what it has to tell without: its items, and files of media."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePath
from typing import Any

from packproof.violation import Violation

__all__ = ["reading_nothing"]

_MEDIA = frozenset(
    f".{kind}"
    for kinds in (
        "jpg jpeg jfif png gif webp avif bmp tif tiff heic",
        "mp4 m4v mpg mpeg avi mov mkv webm",
        "wav mp3 flac ogg opus m4a aac wma",
    )
    for kind in kinds.split()
)


class _Listener:
    """Hears of every file of media that is opened, while `opened` is a list.

    Python lets nobody stop listening, so there is one listener, from the first time on.
    """

    def __init__(self) -> None:
        self.opened: list[str] | None = None
        self._listens = False

    def listen(self) -> None:
        """Be told from here on."""
        if not self._listens:
            self._listens = True
            sys.addaudithook(self._hear)

    def _hear(self, event: str, given: tuple[Any, ...]) -> None:
        if self.opened is not None and event == "open" and isinstance(given[0], str | bytes):
            path = PurePath(os.fsdecode(given[0]))
            if path.suffix.lower() in _MEDIA:
                self.opened.append(path.name)


_listener = _Listener()


@contextmanager
def reading_nothing(source: Any, call: str) -> Iterator[None]:
    """Run what tells from metadata alone; a `Violation` when it takes an item of `source` or opens a file of media.

    A class that lets nobody exchange its `__getitem__`, as those of extension modules, is watched for files alone.
    """
    _listener.listen()
    _listener.opened, taken = [], []
    try:
        with _watched(source, taken):
            yield
        opened = _listener.opened
    finally:
        _listener.opened = None
    if taken:
        raise Violation.of(
            call, expected="an answer from metadata", got=f"it took source[{taken[0]!r}]", fault="reads items"
        )
    if opened:
        raise Violation.of(call, expected="an answer from metadata", got=f"it opened {opened[0]}", fault="opens media")


@contextmanager
def _watched(source: Any, taken: list[Any]) -> Iterator[None]:
    """Note every index that is asked of this one source."""
    exchanged: list[tuple[Any, Any]] = []
    for cls in type(source).__mro__:  # a method may ask the class above for an item
        if (own := cls.__dict__.get("__getitem__")) is None:
            continue
        try:
            cls.__getitem__ = _noting(own, source, taken)
        except (TypeError, AttributeError):  # of an extension module, or sealed
            continue
        exchanged.append((cls, own))
    try:
        yield
    finally:
        for cls, own in exchanged:
            cls.__getitem__ = own


def _noting(own: Any, source: Any, taken: list[Any]) -> Any:
    def noting(self: Any, index: Any) -> Any:
        if self is source:
            taken.append(index)
        return own(self, index)

    return noting
