"""What can be changed about a data source from outside: numbers and switches it is built with, lines of its files."""

import inspect
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from packer_schemas.source_cases import When
from packproof.sources.subject import SourceSubject
from packproof.violation import CallFailed, Unexercised, Violation

__all__ = ["CHANGES", "varied"]

_LARGEST = 16 << 20
"""Bytes of the largest file that is copied and edited."""

_NUMBERS: dict[When, int] = {"a number raised": 1, "a number lowered": -1}
Edit = Callable[[list[str], int], list[str]]


def _edited(lines: list[str], at: int) -> list[str]:
    """The last letter or digit of a line, made another one."""
    text = lines[at]
    last = max((place for place, one in enumerate(text) if one.isalnum()), default=None)
    if last is None:
        return lines
    first, second = ("7", "8") if text[last].isdigit() else ("z", "q")
    other = first if text[last] != first else second
    return [*lines[:at], text[:last] + other + text[last + 1 :], *lines[at + 1 :]]


_EDITS: dict[When, Edit] = {
    "a line dropped": lambda lines, at: [*lines[:at], *lines[at + 1 :]],
    "a line repeated": lambda lines, at: [*lines[: at + 1], *lines[at:]],
    "two lines exchanged": lambda lines, at: [*lines[:at], *lines[at : at + 2][::-1], *lines[at + 2 :]],
    "a line edited": _edited,
}

CHANGES: tuple[When, ...] = (*_NUMBERS, "a switch turned", *_EDITS)
"""The changes; every other time at which a source is asked changes nothing."""


@contextmanager
def varied(subject: SourceSubject, when: When, argument: int, place: int) -> Iterator[tuple[Any, Any, str]]:
    """A source as it is, one that was built after a change, and what was changed.

    `Unexercised` where there is nothing to be changed so, where nothing was, and where the factory refuses the change.
    """
    given = {**_defaults(subject.factory), **subject.kwargs}
    names = [name for name, value in given.items() if _takes(when, value)]
    if not names:
        raise Unexercised(f"{subject.call} has no argument of which the change {when!r} speaks")
    name = names[argument % len(names)]
    with TemporaryDirectory(prefix="packproof-source-") as folder, _hidden(subject, folder):
        before = after = given[name]
        if when in _EDITS:
            before, after, line = _edited_copies(Path(given[name]), Path(folder), _EDITS[when], place)
            told = f"{when} in the file {name}: line {line}"
        else:
            after = not before if when == "a switch turned" else before + _NUMBERS[when]
            told = f"{name}={before!r} made {after!r}"
        first = subject.build({**subject.kwargs, name: before})
        try:
            second = subject.build({**subject.kwargs, name: after})
            length = subject.length(second)
        except CallFailed as error:
            raise Unexercised(f"the factory refuses {told}: it {error.counterexample.got}") from None
        if not length:
            raise Unexercised(f"with {told} nothing is left")
        yield first, second, told


@contextmanager
def _hidden(subject: SourceSubject, folder: str) -> Iterator[None]:
    """Leave the name of a folder that differs from run to run out of what is said."""
    subject.hidden = folder
    try:
        yield
    except Violation as error:
        found = error.counterexample
        told = {name: getattr(found, name).replace(folder, "...") for name in ("call", "expected", "got")}
        error.counterexample = found.model_copy(update=told)
        raise
    except Unexercised as error:
        raise type(error)(str(error).replace(folder, "...")) from None
    finally:
        subject.hidden = ""


def _takes(when: When, value: Any) -> bool:
    if when in _NUMBERS:
        return type(value) is int
    return type(value) is bool if when == "a switch turned" else _is_text_file(value)


def _defaults(factory: Any) -> dict[str, Any]:
    """What the parameters of a factory are where they are not given."""
    try:
        parameters = inspect.signature(factory).parameters.values()
    except (TypeError, ValueError):
        return {}
    return {
        one.name: one.default for one in parameters if one.default is not one.empty and one.kind != one.POSITIONAL_ONLY
    }


def _is_text_file(value: Any) -> bool:
    try:
        path = Path(value)
        if not path.is_file() or path.stat().st_size > _LARGEST:
            return False
        text = path.read_bytes().decode()
        return "\0" not in text and bool(text.strip())
    except (TypeError, ValueError, OSError):
        return False


def _edited_copies(path: Path, folder: Path, edit: Edit, place: int) -> tuple[str, str, int]:
    """Two copies of a file, of the same name in folders of their own, the second of which is edited; and which line."""
    lines = path.read_bytes().decode().removesuffix("\n").split("\n")
    at = place % max(len(lines) - (edit is _EDITS["two lines exchanged"]), 1)
    edited = edit(lines, at)
    if edited == lines:
        raise Unexercised(f"the edit of line {at + 1} changes nothing")
    copies = [folder / name / path.name for name in ("as it is", "edited")]
    for copied in copies:
        copied.parent.mkdir()
        shutil.copy2(path, copied)
    copies[1].write_text("\n".join([*edited, ""]), encoding="utf-8", newline="")
    shutil.copystat(path, copies[1])
    return str(copies[0]), str(copies[1]), at + 1
