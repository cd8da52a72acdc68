"""Tensor fields that say dtype, axes and device, in the model and in its JSON Schema, without importing torch."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from packer_schemas.routing import ROUTING_DTYPES

if TYPE_CHECKING:
    import torch

    _Tensor = torch.Tensor
else:
    _Tensor = Any

__all__ = ["BatchMask", "BatchRouting", "BatchTokenIds", "RoutingRecord", "TensorField", "is_tensor"]


def is_tensor(value: object) -> bool:
    """Whether `value` is a `torch.Tensor`, told from its class so that torch need not be imported."""
    return any(cls.__module__ == "torch" and cls.__name__ == "Tensor" for cls in type(value).__mro__)


@dataclass(frozen=True)
class TensorField:
    """Declares a tensor: its dtypes by name, one name per axis, and the device it lies on.

    Validation refuses anything but a tensor of one of `dtypes`, with `len(axes)` dimensions, on `device` and
    without grad. The JSON Schema is a nested integer array with `description` and the declaration under `x-tensor`.
    """

    dtypes: tuple[str, ...]
    axes: tuple[str, ...]
    device: str = "cpu"
    description: str = ""

    def check(self, value: Any) -> Any:
        """Return `value` if it keeps the declaration; `PydanticCustomError` says what was expected and given."""
        if not is_tensor(value):
            raise PydanticCustomError(
                "tensor_type", "expected a tensor {want}, got {got}", {"want": str(self), "got": type(value).__name__}
            )
        dtype = str(value.dtype).removeprefix("torch.")
        device = value.device.type
        grad = " with grad" if value.requires_grad else ""
        if dtype in self.dtypes and value.dim() == len(self.axes) and device == self.device and not grad:
            return value
        got = f"{dtype} {list(value.shape)} on {device}{grad}"
        said = {"want": str(self), "got": got}
        raise PydanticCustomError("tensor_field", "expected a tensor {want}, got {got}", said)

    def __str__(self) -> str:
        return f"{'/'.join(self.dtypes)} [{', '.join(self.axes)}] on {self.device}"

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        to_list: Callable[[Any], Any] = lambda tensor: tensor.tolist()  # noqa: E731  serialiser, used once
        return core_schema.no_info_plain_validator_function(
            self.check,
            serialization=core_schema.plain_serializer_function_ser_schema(to_list, when_used="json"),
        )

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        kind = "boolean" if self.dtypes == ("bool",) else "integer"
        nested: JsonSchemaValue = {"type": kind}
        for _ in self.axes:
            nested = {"type": "array", "items": nested}
        nested["x-tensor"] = {"dtypes": list(self.dtypes), "axes": list(self.axes), "device": self.device}
        return nested | ({"description": self.description} if self.description else {})


BatchTokenIds = Annotated[
    _Tensor, TensorField(("int64",), ("B", "L"), description="Token ids by row and position, right-padded to width L.")
]
BatchMask = Annotated[
    _Tensor,
    TensorField(
        ("bool",), ("B", "L"), description="Whether the prediction made at a position counts; false on padding."
    ),
]
RoutingRecord = Annotated[
    _Tensor,
    TensorField(
        (*ROUTING_DTYPES, "uint8"),  # engines record narrow ids unsigned; the batch is signed (ROUTE-2, ROUTE-10)
        ("L-1", "layers", "top_k"),
        description="Recorded expert ids by input position (but the last), layer and rank; -1: not recorded.",
    ),
]
BatchRouting = Annotated[
    _Tensor,
    TensorField(
        ROUTING_DTYPES,
        ("B", "L", "layers", "top_k"),
        description="Recorded expert ids by row, position, layer and rank; -1: not recorded.",
    ),
]
