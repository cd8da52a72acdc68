"""What a packer may add to a batch beside ids and mask, and which of it ties the batch to a model."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from packer_schemas.objective_cases import BatchField
from packer_schemas.routing import FORWARD_REPLAY_BATCH_KEY

__all__ = ["MEDIA", "TYING", "added"]

TYING: tuple[BatchField, ...] = ("pixel_values", "image_grid_thw", "position_ids", "mm_token_type_ids")
"""Fields that only a model which knows them can take."""

MEDIA: Mapping[str, Mapping[str, Any]] = {
    "absent": {},
    "empty": {"mm_kwargs": {}, "media": []},
    "mm_kwargs": {"mm_kwargs": {"pixel_values": [[0.5]]}},
    "media": {"media": ["a picture"]},
}
"""What a policy input has of media, by the word of the case."""


def added(fields: Sequence[BatchField]) -> Callable[[int, int], Mapping[str, Any]]:
    """What the packer adds to a batch of so many rows and columns."""

    def made(rows: int, width: int) -> Mapping[str, Any]:
        import torch

        def whole(dtype: torch.dtype) -> torch.Tensor:
            return torch.ones(rows, width, dtype=dtype)

        routing = torch.tensor([[0, 1], [1, 3]], dtype=torch.int8).repeat(rows, width, 1, 1)
        routing[:, -1] = -1
        everything: dict[str, Any] = {
            "pixel_values": torch.full((rows, 3), 0.5),
            "image_grid_thw": torch.ones(rows, 3, dtype=torch.int64),
            "position_ids": torch.arange(width, dtype=torch.int32).repeat(rows, 1),
            "mm_token_type_ids": whole(torch.int8),
            "mm_token_type_ids of zeros": whole(torch.int8) * 0,
            "mm_owned_mask": whole(torch.bool),
            "mm_row_counts": {"pixel_values": [1] * rows},
            "mm_units": {"pixel_values": "image"},
            "mm_ranges": [{} for _ in range(rows)],
            FORWARD_REPLAY_BATCH_KEY: routing,
        }
        return {field.partition(" ")[0]: everything[field] for field in fields}

    return made
