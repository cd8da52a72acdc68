"""Field types that several models share."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

__all__ = ["Count", "Sha256", "Version1"]

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
"""A SHA-256 digest: 64 lower-case hexadecimal digits."""

Count = Annotated[int, Field(strict=True, ge=0)]
"""A plain integer from zero up; no bool, no float, no string."""


def _plain(value: Any) -> Any:
    if type(value) is not int:
        raise ValueError(f"expected the integer 1, got {value!r}")
    return value


Version1 = Annotated[Literal[1], BeforeValidator(_plain)]
"""The integer 1, for `schema_version`; some versions of pydantic also take `true` and `1.0` for it."""
