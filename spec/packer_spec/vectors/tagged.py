"""Tagged values, as the tables write them, and the two declarations of the chapter's toy packer."""

from typing import Any

__all__ = ["PROCESSOR", "SEMANTICS", "float_", "int_", "list_", "map_"]


def int_(digits: str | int) -> dict[str, Any]:
    """An integer."""
    return {"int": str(digits)}


def float_(text: str) -> dict[str, Any]:
    """A float."""
    return {"float": text}


def list_(*items: Any) -> dict[str, Any]:
    """A list."""
    return {"list": list(items)}


def map_(*pairs: tuple[Any, Any]) -> dict[str, Any]:
    """A map in this order."""
    return {"map": [list(pair) for pair in pairs]}


SEMANTICS = map_(
    ("chat_template", "{{ text }}"),
    ("model_type", "qwen2"),
    ("pad_token_id", int_(0)),
    ("tokenizer_sha256", "d6bd9e84b2fec7777532b1774f0f863d373c2753e40e334f1a9883b33b576958"),
    ("trust_remote_code", False),
)
PROCESSOR = map_(
    ("image_processor", map_(("patch_size", int_(14)), ("type", "ToyImages"))),
    ("image_token_id", int_(450)),
    ("video_processor", None),
)
