"""An array as plain data: the name of its dtype, its shape, and its values in row-major order."""

import math
from dataclasses import dataclass

__all__ = ["Array"]


@dataclass(frozen=True)
class Array:
    """A dense array; the last axis runs fastest. `ValueError` for values that do not fill the shape."""

    dtype: str
    shape: tuple[int, ...]
    values: tuple[int | float, ...]

    def __post_init__(self) -> None:
        if len(self.values) != math.prod(self.shape):
            raise ValueError(f"{len(self.values)} values do not fill the shape {list(self.shape)}")
