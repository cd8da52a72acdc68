"""Plain data in words: equal texts for values that are equal in type and content, and for no others."""

from collections.abc import Mapping
from typing import Any

__all__ = ["plain", "spelled"]

_SCALARS = (str, int, float, bool, type(None))


def spelled(value: Any) -> str:
    """A value with its type to any depth; the order of the keys of a dictionary does not count."""
    kind = type(value)
    if kind in _SCALARS:
        return repr(value)
    if isinstance(value, Mapping):
        entries = ", ".join(sorted(f"{spelled(key)}: {spelled(value[key])}" for key in value))
        return f"{{{entries}}}" if kind is dict else f"{kind.__name__}({{{entries}}})"
    if isinstance(value, list | tuple):
        items = ", ".join(map(spelled, value))
        return f"[{items}]" if kind is list else f"({items})" if kind is tuple else f"{kind.__name__}({items})"
    return f"a {kind.__name__}"


def plain(value: Any) -> Any:
    """A copy in which every container is one of Python's own, for factories that are not about their arguments."""
    if isinstance(value, Mapping):
        return {key: plain(value[key]) for key in value}
    return [plain(one) for one in value] if isinstance(value, list | tuple) else value
