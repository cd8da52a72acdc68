"""A time limit per case, and no way out of the process for the packer under test."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from packproof.violation import CaseTimeout, PackerExit

__all__ = ["CASE_LIMIT_S", "SETUP_LIMIT_S", "guarded", "setting_up"]

CASE_LIMIT_S = 10.0
"""Seconds one case may take."""

SETUP_LIMIT_S = 120.0
"""Seconds building and setting up one packer may take; large tokenizers take many."""

_AGAIN_S = 1.0


@contextmanager
def guarded(seconds: float) -> Iterator[None]:
    """Raise `CaseTimeout` after `seconds` and `PackerExit` on `os._exit`, in the main thread of a POSIX system.

    The timeout comes again every second, should the packer swallow it. Elsewhere only the flight recorder's hard limit
    applies. A process forked inside the block ends as it likes.
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
    outer, interval = signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN_S) if timed else (0.0, 0.0)
    try:
        yield
    finally:
        os._exit = exit_now
        if timed:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, previous)
            if outer:  # someone else's alarm was running: let it go on
                signal.setitimer(signal.ITIMER_REAL, max(outer - (time.monotonic() - started), 0.001), interval)


@contextmanager
def setting_up() -> Iterator[None]:
    """Inside `guarded`: give what runs here the time of a setup, and let the time of the case stand still."""
    timed = threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGALRM) is _time_out
    left, interval = signal.setitimer(signal.ITIMER_REAL, SETUP_LIMIT_S, _AGAIN_S) if timed else (0.0, 0.0)
    try:
        yield
    finally:
        if timed:
            signal.setitimer(signal.ITIMER_REAL, max(left, 0.001), interval)


def _time_out(signum: int, frame: object) -> NoReturn:
    raise CaseTimeout
