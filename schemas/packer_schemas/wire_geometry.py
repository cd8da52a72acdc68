"""Geometry that travels beside flattened media: what the transport's flattening takes away."""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, RootModel, model_validator
from pydantic.config import JsonDict

from packer_schemas.fields import Count

__all__ = ["FieldGeometry", "PreprocessMode", "WireGeometry"]

PreprocessMode = Literal["pad_to_max_shape", "patchify"]

PatchDim = Annotated[int, Field(strict=True, ge=1)]

_KEY = r"^[A-Za-z0-9_.-]+__row_shapes$"
_PATCHIFY: JsonDict = {
    "if": {"required": ["preprocess_mode"], "properties": {"preprocess_mode": {"const": "patchify"}}},
    "then": {"properties": {"preprocess_kwargs": {"required": ["patch_dim"]}}},
}


class FieldGeometry(BaseModel):
    """One field of one sample: the shapes of its segments, and what is still to be done to them."""

    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_extra=_PATCHIFY)

    shapes: list[list[Count]] = Field(
        description="Shape of each segment, in order, in elements per axis; an empty list: the sample has none."
    )
    preprocess_mode: PreprocessMode | None = Field(
        description="What is done when the segments become one tensor: `pad_to_max_shape` pads each to the largest, "
        "`patchify` cuts each into patches; null: nothing.",
    )
    preprocess_kwargs: dict[Literal["patch_dim"], PatchDim] = Field(
        description="Arguments of that; `patchify` needs `patch_dim`, the edge of a patch in pixels, at least 1.",
        json_schema_extra={"propertyNames": {"enum": ["patch_dim"]}},
    )

    @model_validator(mode="after")
    def _patches_have_a_size(self) -> Self:
        if self.preprocess_mode == "patchify" and not self.preprocess_kwargs:
            raise ValueError("expected an integer patch_dim >= 1 in preprocess_kwargs for patchify, got none")
        return self


class WireGeometry(RootModel[dict[Annotated[str, Field(pattern=_KEY)], FieldGeometry]]):
    """One sample's geometry tags: an object with one `FIELD__row_shapes` key for each media field it has."""

    model_config = ConfigDict(frozen=True, json_schema_extra={"additionalProperties": False})
