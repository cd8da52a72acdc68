"""How the benchmarks measure: in turns, so that a busy machine slows what is compared alike."""

import gc
import statistics
import time
from collections.abc import Callable
from typing import Any

__all__ = ["medians", "once"]


def medians(*runs: Callable[[], Any], rounds: int, warm_up: bool = True) -> list[float]:
    """Median seconds of each run, measured turn by turn; `warm_up` makes each once before, unmeasured."""
    for run in runs if warm_up else ():
        run()
    turns = [[once(run) for run in runs] for _ in range(rounds)]
    return [statistics.median(times) for times in zip(*turns, strict=True)]


def once(run: Callable[[], Any]) -> float:
    """Seconds of one run, after a collection of garbage."""
    gc.collect()
    started = time.perf_counter()
    run()
    return time.perf_counter() - started
