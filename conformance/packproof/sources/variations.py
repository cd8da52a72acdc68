"""What can be changed about a data source from outside: numbers and switches it was given, lines of its files."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from packer_schemas.source_cases import SourceAskedCase, When
from packproof.sources.subject import SourceSubject
from packproof.violation import CallFailed, Unexercised, Violation

__all__ = ["CHANGES", "Change", "changing"]

_LARGEST = 16 << 20
"""Bytes of the largest file that is copied and edited."""

_EFFECTS = ("overwrite", "delete", "remove", "download", "upload", "push", "save", "write", "create", "force", "reset")
"""Parts of the names of arguments that may do something to the world, and are left as they are."""

_NUMBERS: dict[When, Callable[[Any], Any]] = {
    "a number raised": lambda value: value + 1 if isinstance(value, int) else value * 1.5 or 0.5,
    "a number lowered": lambda value: value - 1 if isinstance(value, int) else value / 2,
}
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


@dataclass(frozen=True)
class Change:
    """A source as it was built, and what is done before it is built again."""

    subject: SourceSubject
    before: Any
    told: str
    build: Callable[[], Any]

    def after(self) -> Any:
        """The source that is built after the change; `Unexercised` where the factory refuses it, or nothing is left."""
        try:
            source = self.build()
            length = self.subject.length(source)
        except CallFailed as error:
            raise Unexercised(f"the factory refuses {self.told}: it {error.counterexample.got}") from None
        if length < 1:
            raise Unexercised(f"{self.told}: nothing is left")
        return source


@contextmanager
def changing(subject: SourceSubject, case: SourceAskedCase, *, elsewhere: bool = False) -> Iterator[Change]:
    """A source, and the change of a case to an argument that was given, or to a copy of a file.

    The file is edited in its place, or with `elsewhere` in another folder. `Unexercised` where there is nothing to be
    changed so, where the edit changes nothing, and where no source can be built from the copy.
    """
    names = [name for name, value in subject.kwargs.items() if _takes(case.when, name, value)]
    if not names:
        raise Unexercised(f"{subject.call} was given nothing of which the change {case.when!r} speaks")
    name = names[case.argument % len(names)]
    value = subject.kwargs[name]
    with TemporaryDirectory(prefix="packproof-source-") as folder, _hidden(subject, folder):
        if case.when in _EDITS:
            yield _of_file(subject, case, name, Path(folder), elsewhere=elsewhere)
        else:
            other = not value if case.when == "a switch turned" else _NUMBERS[case.when](value)
            told = f"{name}={value!r} made {other!r}"
            yield Change(subject, subject.build(), told, lambda: subject.build({**subject.kwargs, name: other}))


def _of_file(subject: SourceSubject, case: SourceAskedCase, name: str, folder: Path, *, elsewhere: bool) -> Change:
    value = subject.kwargs[name]
    path = Path(value)
    lines = path.read_bytes().decode().removesuffix("\n").split("\n")
    at = case.place % max(len(lines) - (case.when == "two lines exchanged"), 1)
    edited = _EDITS[case.when](lines, at)
    if edited == lines:
        raise Unexercised(f"the edit of line {at + 1} changes nothing")
    copied = folder / "copy" / path.name
    copied.parent.mkdir()
    shutil.copy2(path, copied)
    target = folder / "edited" / path.name if elsewhere else copied

    def build() -> Any:
        target.parent.mkdir(exist_ok=True)
        written = folder / "written"
        written.write_text("\n".join([*edited, ""]), encoding="utf-8", newline="")
        written.replace(target)  # whoever has the file open, or mapped, keeps what it was
        return subject.build({**subject.kwargs, name: type(value)(target)})

    try:
        before = subject.build({**subject.kwargs, name: type(value)(copied)})
    except CallFailed as error:
        raise Unexercised(f"no source comes of a copy of the file {name}: it {error.counterexample.got}") from None
    return Change(subject, before, f"{case.when} in the file {name}: line {at + 1}", build)


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


def _takes(when: When, name: str, value: Any) -> bool:
    """Whether a change speaks of such an argument."""
    if when in _EDITS:
        return isinstance(value, str | Path) and _is_text_file(Path(value))
    if any(effect in name.lower() for effect in _EFFECTS):
        return False
    return type(value) in (int, float) if when in _NUMBERS else type(value) is bool


def _is_text_file(path: Path) -> bool:
    try:
        if not path.is_file() or path.stat().st_size > _LARGEST:
            return False
        text = path.read_bytes().decode()
        return "\0" not in text and bool(text.strip())
    except (ValueError, OSError):
        return False
