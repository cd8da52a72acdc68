"""Where a lock is tried: a folder of its own, a CI or none, and a disk that is full."""

import os
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["ci_set_to", "full_disk", "lock_folder"]

_ROOM = 64
"""Bytes that fit into a file on the full disk: the beginning of a lock, and no lock."""


@contextmanager
def lock_folder(text: str) -> Iterator[Path]:
    """The path of a lock file with this text, alone in a folder; in memory where there is such a place.

    Every update waits until the disk has the file, and a run makes hundreds.
    """
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # noqa: S108  a folder of its own in there
    with tempfile.TemporaryDirectory(prefix="packproof-lock-", dir=memory) as folder:
        path = Path(folder) / "packproof.lock.json"
        path.write_bytes(text.encode())
        yield path


@contextmanager
def ci_set_to(value: str | None) -> Iterator[None]:
    """The environment variable CI with this value, or without it for None; afterwards as it was."""
    kept = os.environ.pop("CI", None)
    if value is not None:
        os.environ["CI"] = value
    try:
        yield
    finally:
        os.environ.pop("CI", None)
        if kept is not None:
            os.environ["CI"] = kept


@contextmanager
def full_disk() -> Iterator[bool]:
    """No file can be written beyond its first bytes; yields whether this system can be told so.

    A write then fails half way, as it does on a full disk, with `OSError`.
    """
    if os.name != "posix" or signal.getsignal(signal.SIGXFSZ) != signal.SIG_IGN:  # else the signal ends the process
        yield False
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (_ROOM, hard))
    try:
        yield True
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
