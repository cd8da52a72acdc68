"""A time limit per case, and no way out of the process for the packer under test."""

import math
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NoReturn

from packproof.violation import CaseTimeout, PackerExit

__all__ = ["CASE_LIMIT_S", "SETUP_LIMIT_S", "guarded", "setting_up"]

CASE_LIMIT_S = 10.0
"""Seconds one case may take."""

SETUP_LIMIT_S = 120.0
"""Seconds building and setting up one packer may take; large tokenizers take many."""

_AGAIN_S = 1.0
_limits: list[tuple[float, float]] = []
"""Limits in force, the innermost last: seconds, and how many imports were under way when it began."""


@contextmanager
def guarded(seconds: float, *, spare_imports: bool = True) -> Iterator[None]:
    """Raise `CaseTimeout` after `seconds` and `PackerExit` on `os._exit`, in the main thread of a POSIX system.

    The timeout comes again every second, should the packer swallow it. With `spare_imports` it never strikes inside an
    import, which would leave half a module behind (half of torch, say): the time starts again instead. Elsewhere only
    the flight recorder's hard limit applies. A process forked inside the block ends as it likes.
    """
    exit_now, owner = os._exit, os.getpid()

    def refuse_exit(status: int) -> NoReturn:
        if os.getpid() != owner:
            exit_now(status)
        raise PackerExit(status)

    os._exit = refuse_exit
    timed = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    previous: Any = signal.signal(signal.SIGALRM, _time_out) if timed else None
    started = time.monotonic()
    if timed:
        _limits.append((seconds, _imports(sys._getframe()) if spare_imports else math.inf))
    outer, interval = signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN_S) if timed else (0.0, 0.0)
    try:
        yield
    finally:
        os._exit = exit_now
        if timed:
            signal.setitimer(signal.ITIMER_REAL, 0)
            _limits.pop()
            signal.signal(signal.SIGALRM, previous)
            if outer:  # someone else's alarm was running: let it go on
                signal.setitimer(signal.ITIMER_REAL, max(outer - (time.monotonic() - started), 0.001), interval)


@contextmanager
def setting_up() -> Iterator[None]:
    """Inside `guarded`: give what runs here the time of a setup, and let the time of the case stand still."""
    timed = threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGALRM) is _time_out
    if timed:
        _limits.append((SETUP_LIMIT_S, _limits[-1][1]))
    left, interval = signal.setitimer(signal.ITIMER_REAL, SETUP_LIMIT_S, _AGAIN_S) if timed else (0.0, 0.0)
    try:
        yield
    finally:
        if timed:
            signal.setitimer(signal.ITIMER_REAL, max(left, 0.001), interval)
            _limits.pop()


def _time_out(signum: int, frame: FrameType | None) -> None:
    seconds, imports = _limits[-1]
    if _imports(frame) > imports:
        signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN_S)
        return
    raise CaseTimeout(seconds)


def _imports(frame: FrameType | None) -> int:
    """How many frames of the import system lie on the stack of `frame`."""
    count = 0
    while frame is not None:
        count += frame.f_code.co_filename == "<frozen importlib._bootstrap>"
        frame = frame.f_back
    return count
