"""Samples with media, and a model that says what an engine handed it of them."""

from collections.abc import Mapping, Sequence
from typing import Any

from packproof.load import describe
from packproof.violation import CallFailed, Violation

__all__ = ["entries_of", "expect_entry_named", "image", "media_model"]


def image(number: int) -> dict[str, Any]:
    """An image as a data source may have one."""
    return {"bytes": bytes([number, 7, 9]), "size": [1, 1]}


def entries_of(entries: str, images: Sequence[Any]) -> dict[str, Any]:
    """What a rollout input holds beside the prompt."""
    if entries == "none":
        return {}
    found: dict[str, Any] = {"multi_modal_data": {"image": list(images)}}
    if "ids" in entries:
        found["multi_modal_uuids"] = {"image": [f"content-{number}" for number in range(len(images))]}
    if "settings" in entries:
        found["mm_processor_kwargs"] = {"min_pixels": 4}
    return found


def expect_entry_named(call: str, error: CallFailed, entries: Mapping[str, Any]) -> None:
    """Demand that a refusal of media names the entry; raises `error` where there is nothing to refuse."""
    cause = error.__cause__
    if not entries or not isinstance(cause, ValueError):
        raise error
    if not any(name in str(cause) for name in entries):
        wanted = f"the engine to be handed {', '.join(entries)}, or a ValueError that names what it cannot take"
        fault = "the message names no entry"
        raise Violation.of(call, expected=wanted, got=f"raised {describe(cause)}", fault=fault) from None


def media_model(model: Any) -> list[dict[str, Any]]:
    """Let a model take media: what its `take_media(**entries)` is called with, in order."""
    taken: list[dict[str, Any]] = []
    model.takes_media = True
    model.take_media = lambda **entries: taken.append(entries)
    return taken
