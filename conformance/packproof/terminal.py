"""What a command has around it: streams that may be closed, full or ASCII, readers that leave, users that interrupt."""

import errno
import io
import os
import sys
from collections.abc import Callable

from packproof.violation import UsageError
from packproof.wording import printable

__all__ = ["run_at_terminal"]


def run_at_terminal(run: Callable[[], int], *, verdict: bool) -> int:
    """Run a command; its exit code, or that of what ended it early, which is told in one line on standard error.

    2 for a `UsageError` and for output that cannot be written; 130, as a shell has it, for Ctrl-C; and where the
    reader of the output leaves early, as `| head` does, 141 if the exit code would have been a verdict, else 0.
    """
    if sys.stderr is None:  # as `2>&-` leaves it
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115  for the rest of the process
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        if sys.stdout is None:
            raise OSError(errno.EBADF, "it is closed")
        code = _expecting_mistakes(run)
        sys.stdout.flush()
    except KeyboardInterrupt:
        _tell("interrupted")
        return 130
    except BrokenPipeError:
        _discard_output()
        return 141 if verdict else 0
    except OSError as error:
        if error.filename is not None:  # a file's, and not the stream's
            raise
        _discard_output()
        _tell(f"standard output cannot be written: {error.strerror}.")
        return 2
    return code


def _expecting_mistakes(run: Callable[[], int]) -> int:
    try:
        return run()
    except UsageError as error:
        _tell(str(error))
        return 2


def _tell(what: str) -> None:
    sys.stderr.write(f"packproof: {printable(what)}\n")


def _discard_output() -> None:
    """Keep the interpreter from writing at its end what is left to be written."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
