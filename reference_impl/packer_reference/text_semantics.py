"""What decides how a packer turns text into ids, apart from the packer's own code, as plain JSON data."""

import hashlib
from typing import Any

from packer_schemas import canonical_json, identity_digest

__all__ = ["text_semantics"]

MAX_TEMPLATE, MAX_SPECIAL = 16_384, 8_192
"""Bytes of canonical JSON up to which a chat template and a list of special tokens stand in plain."""

_ROLES = ("bos", "eos", "unk", "pad", "sep", "cls", "mask")

_PROBE = "special token probe"


def text_semantics(tokenizer: Any, content: dict[str, Any]) -> dict[str, Any]:
    """Tokenizer, chat template, special tokens and pad id of a live tokenizer whose content is `content`.

    The result is new and shares nothing with the tokenizer. With a template of any size it stays far below the
    64 KiB of a declaration. Spec: identity, IDENT-7 to IDENT-9.
    """
    return {
        "tokenizer": content,
        **_chat_template(tokenizer),
        "special_tokens": _special_tokens(tokenizer),
        "pad_token_id": tokenizer.pad_token_id,
    }


def _chat_template(tokenizer: Any) -> dict[str, Any]:
    """The template that a conversation without tools is rendered with; null where there is none."""
    template = getattr(tokenizer, "chat_template", None)
    if isinstance(template, dict):
        template = template.get("default")
    if template is None:
        return {"chat_template": None}
    if not isinstance(template, str):
        raise TypeError(
            f"the tokenizer's chat_template is a {type(template).__name__}, expected text, or texts by name"
        )
    if len(canonical_json(str(template), "chat_template")) <= MAX_TEMPLATE:
        return {"chat_template": str(template)}
    return {"chat_template_sha256": hashlib.sha256(template.encode()).hexdigest()}


def _special_tokens(tokenizer: Any) -> dict[str, Any]:
    """Who plays which role, which other special tokens there are, and what becomes of them in a text and around it."""
    roles: dict[str, Any] = dict.fromkeys(_ROLES)
    further = {str(token) for token in _listed(getattr(tokenizer, "extra_special_tokens", None))}
    for name, value in tokenizer.special_tokens_map.items():
        if isinstance(value, str):
            roles[name.removesuffix("_token")] = {"token": value, "id": tokenizer.convert_tokens_to_ids(value)}
        else:
            further.update(map(str, value))
    ids = {token: tokenizer.convert_tokens_to_ids(token) for token in sorted(further)}
    before, after = _added_by_a_plain_call(tokenizer)
    return {
        "roles": roles,
        "further": ids if len(canonical_json(ids)) <= MAX_SPECIAL else {"sha256": identity_digest(ids)},
        "plain_call_adds": {"before": before, "after": after},
        "read_in_text": not getattr(tokenizer, "split_special_tokens", False),
    }


def _listed(tokens: Any) -> list[Any]:
    return list(tokens) if isinstance(tokens, (list, tuple)) else []  # transformers 4 has a dict of named ones here


def _added_by_a_plain_call(tokenizer: Any) -> tuple[list[int], list[int]]:
    """The ids that a call adds around a text unless it is told not to.

    Told by the empty text, which has no ids of its own, for a model with dropout cuts any other differently each time.
    """
    added, around = (list(map(int, tokenizer(text)["input_ids"])) for text in ("", _PROBE))
    before = next((at for at, pair in enumerate(zip(added, around, strict=False)) if pair[0] != pair[1]), len(added))
    return added[:before], added[before:]
