"""Samples with media, and a model that says what an engine handed it of them."""

from collections.abc import Sequence
from typing import Any

__all__ = ["entries_of", "image", "media_model"]


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


def media_model(model: Any) -> list[dict[str, Any]]:
    """Let a model take media: what its `take_media(**entries)` is called with, in order."""
    taken: list[dict[str, Any]] = []
    model.takes_media = True
    model.take_media = lambda **entries: taken.append(entries)
    return taken
