"""A witness outside the process: when the interpreter dies or hangs in native code, it says in which call.

The run notes the call it is about to make in a small shared file, which costs no system call. A second process
watches: should the first one vanish without saying goodbye, or sit in one call past the hard limit, the second
prints the note on the real standard error (and, for a hang, ends the first).
"""

import mmap
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

__all__ = ["HARD_LIMIT_S", "FlightRecorder"]

HARD_LIMIT_S = 150.0
"""Seconds in one call after which the process is ended; above every limit that Python itself can keep."""

_SIZE = 2048

_WATCH = """
import os, select, signal, sys, time
path, parent, hard = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
def note():
    with open(path, "rb") as file:
        stamp, _, text = file.read().partition(b"\\0")[0].decode("utf-8", "replace").partition("|")
    return float(stamp or 0), text
said_goodbye, reason = False, "the process died"
while True:
    ready, _, _ = select.select([0], [], [], 1.0)
    if ready:
        said_goodbye = os.read(0, 1) == b"."
        break
    if os.getppid() != parent:  # a forked child may hold the pipe open
        break
    started, text = note()
    if text and time.time() - started > hard:
        reason = "no answer for %d s; the process was ended" % hard
        os.kill(parent, signal.SIGKILL)
        break
_, text = note()
if not said_goodbye and text:
    sys.stderr.write("\\npackproof: %s inside the packer, in\\n  %s\\n"
                     "  No verdict. The packer crashed the interpreter or left it; run that call alone to see why.\\n"
                     % (reason, text.replace("\\n", "\\n  ")))
os.unlink(path)
"""


class FlightRecorder:
    """Start it before the run, `note` every call, `close` it after the run."""

    def __init__(self, hard_limit_s: float | None = None) -> None:
        descriptor, path = tempfile.mkstemp(prefix="packproof-", suffix=".note")
        os.write(descriptor, bytes(_SIZE))
        self._map = mmap.mmap(descriptor, _SIZE)
        os.close(descriptor)
        limit = HARD_LIMIT_S if hard_limit_s is None else hard_limit_s
        command = [sys.executable, "-S", "-E", "-c", _WATCH, path, str(os.getpid()), str(limit)]
        self._watch = subprocess.Popen(  # noqa: S603  this very interpreter
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for the run; the watcher ends with it
        )
        self._path = Path(path)

    def note(self, text: str) -> None:
        """Remember what runs now; an empty text means that no packer code runs."""
        line = f"{time.time():.1f}|{text}".encode()[: _SIZE - 1] if text else b""
        self._map[: len(line) + 1] = line + b"\0"

    def close(self) -> None:
        """Say goodbye: from here on the process may end without a message."""
        assert self._watch.stdin is not None
        try:
            self._watch.stdin.write(b".")
            self._watch.stdin.close()
            self._watch.wait(timeout=10)
        except (OSError, subprocess.TimeoutExpired):
            self._watch.kill()
            self._path.unlink(missing_ok=True)
        self._map.close()
