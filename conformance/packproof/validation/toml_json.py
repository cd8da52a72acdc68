"""TOML read as JSON: the one reading of a known-failures file, by `packproof validate` and by a conformance run."""

import datetime
import json
import re
import tomllib
from typing import Any

from packproof.validation.showing import Problem
from packproof.validation.strict_json import MAX_DIGITS, TOO_DEEP, NotJson, StrictReader, decoded

__all__ = ["read_toml"]


def read_toml(raw: bytes) -> tuple[Any, bytes]:
    """The document in `raw` and its JSON text, in which dates and times are text.

    `NotJson` for what is no TOML, or has no place in JSON: `nan`, `inf`, deep nesting, integers of many digits.
    """
    try:
        text = json.dumps(tomllib.loads(decoded(raw)), default=_as_text).encode()
    except tomllib.TOMLDecodeError as error:
        raise NotJson(_syntax(error)) from error
    except RecursionError as error:
        raise NotJson(Problem("", TOO_DEEP)) from error
    except ValueError as error:  # Python says no more of it
        said = f"expected integers of at most {MAX_DIGITS} digits, got a longer one"
        raise NotJson(Problem("", said)) from error
    return StrictReader().read(text), text


def _as_text(value: Any) -> str:
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    raise TypeError(f"expected a date or a time, got {type(value).__name__}")


def _syntax(error: tomllib.TOMLDecodeError) -> Problem:
    at = re.search(r" \(at line (\d+), (column \d+)\)$", str(error))
    place = f" at {at[2]} ({str(error)[: at.start()]})" if at else f": {error}"
    return Problem("", f"expected TOML, got something else{place}", int(at[1]) if at else None)
