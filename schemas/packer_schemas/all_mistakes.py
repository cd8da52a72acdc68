"""A mistake that concerns several fields at once, told together with what is wrong with each of them."""

from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic.functional_validators import ModelWrapValidatorHandler  # pydantic itself has it from 2.10 on
from pydantic_core import InitErrorDetails

__all__ = ["validated"]

_Model = TypeVar("_Model")


def validated(value: Any, handler: ModelWrapValidatorHandler[_Model], mistake: str | None) -> _Model:
    """What `handler` makes of `value`, for a wrap validator; `ValidationError` with `mistake` and with all of its own.

    A validator before or after the fields would hide, or be hidden by, what the fields are refused for.
    """
    if mistake is None:
        return handler(value)
    told = [InitErrorDetails(type="value_error", input=value, ctx={"error": ValueError(mistake)})]
    try:
        handler(value)
    except ValidationError as error:
        for one in error.errors():
            details = InitErrorDetails(type=one["type"], loc=one["loc"], input=one["input"], ctx=one.get("ctx", {}))
            told.append(details)
    raise ValidationError.from_exception_data("settings", told)
