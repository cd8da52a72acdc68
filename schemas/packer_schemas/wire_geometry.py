"""Geometry that travels beside flattened media: what the transport's flattening takes away."""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue, RootModel, model_validator
from pydantic.config import JsonDict

from packer_schemas.fields import Count

__all__ = ["FieldGeometry", "PreprocessMode", "WireGeometry"]

PreprocessMode = Literal["pad_to_max_shape", "patchify"]

_KEY = r"^[A-Za-z0-9_.-]+__row_shapes$"
_PATCH_DIM: JsonDict = {"required": ["patch_dim"], "properties": {"patch_dim": {"type": "integer", "minimum": 1}}}
_PATCHIFY: JsonDict = {
    "if": {"required": ["preprocess_mode"], "properties": {"preprocess_mode": {"const": "patchify"}}},
    "then": {"required": ["preprocess_kwargs"], "properties": {"preprocess_kwargs": _PATCH_DIM}},
}


class FieldGeometry(BaseModel):
    """One field of one sample: the shapes of its segments, and what is still to be done to them."""

    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_extra=_PATCHIFY)

    shapes: list[list[Count]] = Field(
        description="Shape of each segment, in order, in elements per axis; an empty list: the sample has none."
    )
    preprocess_mode: PreprocessMode | None = Field(
        default=None,
        description="What is done when the segments become one tensor: `pad_to_max_shape` pads each to the largest, "
        "`patchify` cuts each into patches; null: nothing.",
    )
    preprocess_kwargs: dict[str, JsonValue] = Field(
        default={},
        description="Arguments of that; `patchify` needs `patch_dim`, the edge of a patch in pixels, at least 1.",
    )

    @model_validator(mode="after")
    def _patches_have_a_size(self) -> Self:
        size = self.preprocess_kwargs.get("patch_dim")
        if self.preprocess_mode == "patchify" and (type(size) is not int or size < 1):
            got = f"patch_dim {size!r}" if "patch_dim" in self.preprocess_kwargs else "none"
            raise ValueError(f"expected an integer patch_dim >= 1 in preprocess_kwargs for patchify, got {got}")
        return self


class WireGeometry(RootModel[dict[Annotated[str, Field(pattern=_KEY)], FieldGeometry]]):
    """One sample's geometry tags: an object with one `FIELD__row_shapes` key for each media field it has."""

    model_config = ConfigDict(frozen=True, json_schema_extra={"additionalProperties": False})
