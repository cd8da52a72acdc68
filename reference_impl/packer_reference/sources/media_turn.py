"""The one value of a sample that is composed: a prompt and its media columns as one user turn."""

from collections.abc import Mapping
from typing import Any

from packer_reference.sources.containers import copy_containers

__all__ = ["media_turn"]


def media_turn(sample: Mapping[str, Any], columns: Mapping[str, str], where: str) -> Any:
    """The prompt of `sample` with its images, then its videos, before it, as a conversation of one user turn.

    `columns` has `image_column`, `video_column` or both, as configured; `where` names the row in messages. An image is
    a handle or a list of handles, a video a block or a list of blocks; None gives no part, and without parts the
    prompt stays as it is. Raises `ValueError` for a prompt that is not text, and for a video that is no block.
    Spec: sources, SOURCE-8.
    """
    prompt = sample["prompt"]
    if not isinstance(prompt, str):
        settings = " and ".join(f"{setting}={column!r}" for setting, column in columns.items())
        raise ValueError(
            f"{where}: the prompt is a {type(prompt).__name__}, expected a string beside {settings}; a conversation "
            "has its media in its own parts, for nobody says which turn a column belongs to"
        )
    parts = [{"type": "image", "image": handle} for handle in _several(sample.get("image"))]
    blocks = _several(sample.get("video"))
    for block in blocks:
        if not isinstance(block, Mapping):
            raise ValueError(
                f"{where}: the column {columns['video_column']!r}, which video_column names, holds a "
                f"{type(block).__name__}, expected a video block: a mapping with type, video, fps, total_num_frames "
                "and frames_indices, or a list of them"
            )
    parts += copy_containers(blocks)  # so that what is written into the turn stays out of `video`
    if not parts:
        return prompt
    return [{"role": "user", "content": [*parts, {"type": "text", "text": prompt}]}]


def _several(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) else [value]
