"""An array as plain data, which reads the same in every language."""

import math
from typing import Annotated, Self

from pydantic import Field, StrictInt, StrictStr, model_validator

from packer_schemas.case_parts import Frozen
from packer_schemas.fields import Count

__all__ = ["Array"]

_Digits = Annotated[StrictStr, Field(pattern=r"^-?[1-9][0-9]{15,}$")]


class Array(Frozen):
    """A dense array."""

    dtype: str = Field(pattern=r"^[a-z]+[0-9]*$", description="Name of the type of its elements, such as int8.")
    shape: list[Count] = Field(description="Sizes of its axes; the last one runs fastest.")
    values: list[StrictInt | float | _Digits] = Field(
        description="Its elements in row-major order; an integer beyond 2^53 is a text of its decimal digits."
    )

    @model_validator(mode="after")
    def _fills_its_shape(self) -> Self:
        if len(self.values) != math.prod(self.shape):
            count = math.prod(self.shape)
            raise ValueError(f"expected {count} values for the shape {self.shape}, got {len(self.values)}")
        return self
