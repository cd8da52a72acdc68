"""Conversations, checked and copied before a chat template sees them."""

import copy
from typing import Any

__all__ = ["prompt_of", "refuse_media", "text_conversation"]


def prompt_of(sample: Any, where: str) -> Any:
    """`sample.representations["prompt"]`; `TypeError` or `ValueError` if the sample has none."""
    try:
        representations = sample.representations
    except AttributeError:
        raise TypeError(
            f"{where}: got {_shown(sample)}, expected a sample with representations, such as ObsBundle"
        ) from None
    try:
        return representations["prompt"]
    except (KeyError, TypeError):
        raise ValueError(
            f"{where}: the sample's representations are {_shown(representations)}, expected a mapping with 'prompt'"
        ) from None


def text_conversation(prompt: Any, where: str) -> list[dict[str, Any]]:
    """A copy of the conversation `prompt` in which every content is a string; the caller's dicts stay as they are.

    Text parts of one message are joined: many text templates print a list as Python writes it, or drop it. Raises
    `TypeError` for anything but a list of dicts with a role and a content, `ValueError` for an empty list and media.
    """
    if not isinstance(prompt, list):
        raise TypeError(f"{where}: the prompt is {_shown(prompt)}, expected a string or a conversation (list of dicts)")
    if not prompt:
        raise ValueError(f"{where}: the conversation is empty, expected at least one message")
    return [_message(message, f"{where}: prompt[{at}]") for at, message in enumerate(prompt)]


def refuse_media(prompt: Any, where: str) -> None:
    """Raise `ValueError` if the conversation holds an image or a video: a text packer would drop it silently."""
    if isinstance(prompt, list):
        for at, message in enumerate(prompt):
            if isinstance(message, dict) and isinstance(message.get("content"), list):
                _text(message["content"], f"{where}: prompt[{at}]")


def _message(message: Any, where: str) -> dict[str, Any]:
    if not isinstance(message, dict):
        raise TypeError(f"{where} is {_shown(message)}, expected a dict with 'role' and 'content'")
    role, content = message.get("role"), message.get("content")
    if not isinstance(role, str) or not role:
        raise TypeError(f"{where} has role {_shown(role)}, expected a string such as 'user'")
    copied = copy.deepcopy(message)
    if isinstance(content, list):
        copied["content"] = _text(content, where)
    elif not isinstance(content, str) and not (content is None and message.get("tool_calls")):
        raise TypeError(f"{where} has content {_shown(content)}, expected a string or a list of text parts")
    return copied


def _text(parts: list[Any], where: str) -> str:
    texts = []
    for at, part in enumerate(parts):
        kind = part.get("type") if isinstance(part, dict) else None
        if kind is not None and kind != "text":
            raise ValueError(
                f"{where}.content[{at}] is of type {kind!r}: a text packer would drop it; use a media packer"
            )
        if kind is None or not isinstance(part.get("text"), str):
            raise TypeError(f"{where}.content[{at}] is {_shown(part)}, expected {{'type': 'text', 'text': ...}}")
        texts.append(part["text"])
    return "".join(texts)


def _shown(value: Any) -> str:
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) <= 60 else text[:57] + '...'}"
