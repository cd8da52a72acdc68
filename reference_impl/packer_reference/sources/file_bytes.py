"""A file as it was when a source was built: its bytes at any place, and a digest of all of them."""

import hashlib
import os
import stat
import weakref
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

__all__ = ["FileBytes", "digest_of"]

PIECE = 8 * 2**20
"""Bytes of a file that are read and hashed at a time."""

_Found = TypeVar("_Found")


class FileBytes:
    """Reads a local file at any place, in every process and thread that has the object or a copy of it.

    `name` is the path as it was given. Raises `OSError` where there is none, `ValueError` for what is no file, and for
    one that was changed since this object was made: places in it mean something else then.
    """

    def __init__(self, name: str | os.PathLike[str]) -> None:
        self.name = os.fspath(name)
        self._path = Path(self.name).absolute()  # a worker process may stand in another folder
        found = self._path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise ValueError(f"{self.name}: is no file")
        self._stamp = _stamp(found)
        self._descriptor: int | None = None

    @property
    def size(self) -> int:
        """Bytes in the file."""
        return self._stamp[0]

    @property
    def path(self) -> Path:
        """The absolute path of the file, for somebody else to open; the file is as it was."""
        self._expect_same(self._path.stat())
        return self._path

    def read(self, start: int, length: int) -> bytes:
        """`length` bytes from `start` on, or what the file has of them."""
        descriptor = self._opened()
        self._expect_same(os.fstat(descriptor))
        # pread carries its own place, so that processes and threads that share the descriptor do not move each other.
        return os.pread(descriptor, length, start)

    def in_pieces(self, work: Callable[[int, int], _Found]) -> list[_Found]:
        """`work(start, length)` for every piece of the file, in order; pieces are worked on side by side."""
        starts = range(0, self.size, PIECE)
        threads = min(len(starts), os.cpu_count() or 1, 8)
        if threads < 2:
            return [work(start, PIECE) for start in starts]
        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(lambda start: work(start, PIECE), starts))

    def digest(self) -> str:
        """`digest_of` the whole file."""
        return digest_of(self.in_pieces(lambda start, length: hashlib.sha256(self.read(start, length)).digest()))

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_descriptor": None}

    def _opened(self) -> int:
        if self._descriptor is None:
            self._descriptor = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
            weakref.finalize(self, os.close, self._descriptor)
        return self._descriptor

    def _expect_same(self, found: os.stat_result) -> None:
        if _stamp(found) != self._stamp:
            raise ValueError(f"{self.name}: the file was changed while a source reads it; build the source anew")


def _stamp(found: os.stat_result) -> tuple[int, int]:
    return found.st_size, found.st_mtime_ns


def digest_of(pieces: Sequence[bytes]) -> str:
    """64 hex digits for the content of a file: SHA-256 over the SHA-256 digests of its pieces.

    All pieces have `PIECE` bytes but the last; they can be hashed side by side.
    """
    return hashlib.sha256(b"".join(pieces)).hexdigest()
