"""A seed means the same cases everywhere: Hypothesis is kept from drawing what it finds in the modules loaded."""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

__all__ = ["same_cases_everywhere"]


@contextmanager
def same_cases_everywhere() -> Iterator[None]:
    """Within the block cases depend on strategy and seed alone.

    Hypothesis also tries numbers and strings that it reads out of the local modules imported so far, so a worker of
    xdist, or a run with one more test file, would see other cases. Versions that do not do so are left alone.
    """
    from hypothesis.internal.conjecture import providers

    cache = getattr(providers, "CONSTANTS_CACHE", None)
    if cache is None or not hasattr(providers, "_get_local_constants"):
        yield
        return
    from hypothesis.internal.constants_ast import Constants

    nothing = Constants()
    cache.cache.clear()  # it holds constants found so far, and after the block it must not hold their absence
    try:
        with patch.object(providers, "_get_local_constants", lambda: nothing):
            yield
    finally:
        cache.cache.clear()
