"""A time limit per case, and no way out of the process for the packer under test."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from packproof.violation import CaseTimeout, PackerExit

__all__ = ["CASE_LIMIT_S", "SETUP_LIMIT_S", "guarded"]

CASE_LIMIT_S = 10.0
"""Seconds one case may take."""

SETUP_LIMIT_S = 120.0
"""Seconds building and setting up one packer may take; large tokenizers take many."""


@contextmanager
def guarded(seconds: float) -> Iterator[None]:
    """Raise `CaseTimeout` after `seconds` and `PackerExit` on `os._exit`, in the main thread of a POSIX system.

    Elsewhere only the flight recorder's hard limit applies.
    """
    exit_now = os._exit
    os._exit = _refuse_exit
    timed = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    previous: Any = signal.signal(signal.SIGALRM, _time_out) if timed else None
    started = time.monotonic()
    outer = signal.setitimer(signal.ITIMER_REAL, seconds)[0] if timed else 0.0
    try:
        yield
    finally:
        os._exit = exit_now
        if timed:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, previous)
            if outer:  # someone else's alarm was running: let it go on
                signal.setitimer(signal.ITIMER_REAL, max(outer - (time.monotonic() - started), 0.001))


def _time_out(signum: int, frame: object) -> NoReturn:
    raise CaseTimeout


def _refuse_exit(status: int) -> NoReturn:
    raise PackerExit(status)
