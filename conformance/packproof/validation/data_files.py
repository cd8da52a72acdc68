"""Data files as streams of documents: JSON, JSON Lines and TOML, from disk or from standard input."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISDIR
from typing import Any, BinaryIO

from packproof.validation.showing import Problem
from packproof.validation.strict_json import NotJson, StrictReader
from packproof.validation.toml_json import read_toml
from packproof.violation import UsageError
from packproof.wording import one_line

__all__ = ["DataFile", "Document", "read_document"]

MAX_LINE = 128 * 2**20
"""Bytes of a line that is looked at; a longer one is skipped and reported, so that memory stays bounded."""

_BOM = b"\xef\xbb\xbf"
_LINES, _TOML = {".jsonl", ".ndjson"}, ".toml"


@dataclass(slots=True)
class Document:
    """One document of a file: the line that it begins in, and its JSON text and value, or why it cannot be read.

    `raw` is empty for what cannot be read, and for a blank line, which has no problems either.
    """

    line: int
    raw: bytes = b""
    value: Any = None
    problems: tuple[Problem, ...] = ()


class DataFile:
    """A file to be checked; `-` is standard input, as JSON Lines. `UsageError` for what is no such file."""

    def __init__(self, name: str) -> None:
        self.name = "<stdin>" if name == "-" else one_line(name)
        self.path = None if name == "-" else Path(name)
        if not name:
            raise UsageError("'': expected the name of a file, got nothing.")
        self._expect_file()
        kind = ".jsonl" if self.path is None else self.path.suffix.lower()
        if kind not in {".json", _TOML, *_LINES}:
            packed = (
                f" Unpacked: `gunzip -c {self.name} | packproof validate --schema NAME -`." if kind == ".gz" else ""
            )
            raise UsageError(f"{self.name}: expected a .json, .jsonl, .ndjson or .toml file, or - for lines.{packed}")
        self.in_lines, self.is_toml = kind in _LINES, kind == _TOML
        with self._opened():
            pass  # so that a mistake in the last name is told before the first file is read

    @property
    def size(self) -> int | None:
        """Bytes to read, if that is known."""
        return self.path.stat().st_size if self.path is not None else None

    def documents(self, read: Callable[[int], object]) -> Iterator[Document]:
        """The documents in order, one at a time; `read` is told of every number of bytes taken in."""
        with self._opened() as file:
            if self.in_lines:
                yield from _lines(file, read)
            else:
                raw = file.read()
                read(len(raw))
                yield _toml(raw) if self.is_toml else read_document(raw)

    def _expect_file(self) -> None:
        """`UsageError` where there is nothing, or a folder."""
        if self.path is None:
            if sys.stdin is None:
                raise UsageError("-: standard input is closed.")
            return
        try:
            is_folder = S_ISDIR(self.path.stat().st_mode)
        except OSError as error:
            raise self._unreadable(error) from error
        if is_folder:
            raise UsageError(f"{self.name}: is a folder; name the files in it.")

    @contextmanager
    def _opened(self) -> Iterator[BinaryIO]:
        try:
            if self.path is None:
                yield sys.stdin.buffer
            else:
                with self.path.open("rb") as file:
                    yield file
        except OSError as error:
            raise self._unreadable(error) from error

    def _unreadable(self, error: OSError) -> UsageError:
        return UsageError(f"{self.name}: cannot be read: {error.strerror}.")


def _lines(file: BinaryIO, read: Callable[[int], object]) -> Iterator[Document]:
    reader, number = StrictReader(), 0
    while raw := file.readline(MAX_LINE + 1):
        number += 1
        read(len(raw))
        if len(raw) > MAX_LINE and not raw.endswith(b"\n"):
            while raw and not raw.endswith(b"\n"):
                raw = file.readline(MAX_LINE)
                read(len(raw))
            said = f"expected a line of at most {MAX_LINE // 2**20} MiB, got a longer one, which was not read"
            yield Document(number, problems=(Problem("", said),))
            continue
        marked, raw = _unmarked(raw) if number == 1 else ((), raw)
        yield _parsed(reader, raw, number, marked) if raw.strip(b" \t\r\n") else Document(number, problems=marked)


def read_document(raw: bytes) -> Document:
    """The one document of a JSON file."""
    marked, raw = _unmarked(raw)
    return _parsed(StrictReader(), raw, 1, marked)


def _unmarked(raw: bytes) -> tuple[tuple[Problem, ...], bytes]:
    """A file's beginning without a byte order mark, and what is to be said about that."""
    if not raw.startswith(_BOM):
        return (), raw
    return (Problem("", "expected UTF-8 without a byte order mark, got one: the bytes EF BB BF", 1),), raw[3:]


def _parsed(reader: StrictReader, raw: bytes, line: int, marked: tuple[Problem, ...]) -> Document:
    try:
        return Document(line, raw, reader.read(raw), marked)
    except NotJson as error:
        return Document(line, problems=(*marked, *error.problems))


def _toml(raw: bytes) -> Document:
    marked, raw = _unmarked(raw)
    try:
        value, text = read_toml(raw)
    except NotJson as error:
        return Document(1, problems=(*marked, *error.problems))
    return Document(1, text, value, marked)
