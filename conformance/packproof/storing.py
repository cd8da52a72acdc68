"""Puts a file in place as a whole: whoever reads meanwhile, or after a crash, finds the old text or the new one."""

import glob
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from packproof.violation import UsageError

__all__ = ["alone", "refuse_irreplaceable", "replace_file"]


def refuse_irreplaceable(path: Path, name: str) -> None:
    """`UsageError` that begins with `name` for a path that a rename would wrongly go over.

    That is a write-protected file, and what is there and no regular file: a folder, a device, a pipe. A symbolic link
    is followed, and one that leads nowhere yet is fine.
    """
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return
    except OSError as error:
        raise UsageError(f"{name}: cannot be written: {error.strerror}.") from error
    if not stat.S_ISREG(mode):
        raise UsageError(f"{name}: is no regular file; it is as it was. Name a file.")
    if not stat.S_IMODE(mode) & 0o222:
        raise UsageError(f"{name}: is write-protected; it is as it was. Allow writing, as with chmod u+w.")


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Keep all others waiting that want to write `path`; whoever writes reads the file anew in here.

    The lock is on the folder, so that no file of its own is left behind. A system without such locks, Windows and some
    network drives among them, lets two writers in at one moment; the later one then wins, with a whole file. `OSError`
    where there is no folder.
    """
    path = _real(path)
    folder = os.open(path.parent, os.O_RDONLY) if os.name == "posix" else None
    try:
        if folder is not None:
            import fcntl

            with suppress(OSError):
                fcntl.flock(folder, fcntl.LOCK_EX)
                _sweep(path)
        yield
    finally:
        if folder is not None:
            os.close(folder)


def replace_file(path: Path, content: bytes) -> None:
    """Write `content` to a temporary file in the folder of `path`, then rename it; call it inside `alone` (IDENT-18).

    A symbolic link stays, and the file that it leads to is replaced. Permissions are those of the old file, or of any
    new one. `OSError` leaves the old file as it was, and no other behind.
    """
    path = _real(path)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            with suppress(FileNotFoundError):
                temporary.chmod(stat.S_IMODE(path.stat().st_mode))
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    _settle(path.parent)


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _settle(folder: Path) -> None:
    """Have the rename outlive a power cut, where folders can be synced; the file is whole in any case."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _sweep(path: Path) -> None:
    """Remove what writers left behind that were killed: nobody writes now."""
    for left in path.parent.glob(f".{glob.escape(path.name)}.{'[0-9a-f]' * 16}.tmp"):
        left.unlink()
