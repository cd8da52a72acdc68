"""The global random state of Python, NumPy and torch."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["random_states", "scrambled_random_state"]


@contextmanager
def scrambled_random_state(number: int = 0) -> Iterator[None]:
    """The global generators in a state that nobody seeds to, another for every `number`; put back afterwards."""
    import numpy as np
    import torch

    kept = random.getstate(), np.random.get_state(), torch.get_rng_state()  # noqa: NPY002  the global state is the point
    random.seed(0x5EED_0F_A_CA5E + number)
    np.random.seed(0x5EED_CA5E + number)  # noqa: NPY002
    torch.default_generator.manual_seed(0x5EED_CA5E + number)  # not torch.manual_seed, which costs milliseconds
    try:
        yield
    finally:
        random.setstate(kept[0])
        np.random.set_state(kept[1])  # noqa: NPY002
        torch.set_rng_state(kept[2])


def random_states() -> dict[str, Any]:
    """The state of each global generator, by name, as values that compare."""
    import numpy as np
    import torch

    numpy_state: Any = np.random.get_state(legacy=False)  # noqa: NPY002  the global state is the point
    words = numpy_state["state"]
    return {
        "random": random.getstate(),
        "numpy.random": (words["key"].tobytes(), words["pos"], numpy_state["has_gauss"], numpy_state["gauss"]),
        "torch": torch.get_rng_state().numpy().tobytes(),
    }
