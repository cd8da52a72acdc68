"""What an objective returns."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

    _Tensor = torch.Tensor
else:
    _Tensor = Any

__all__ = ["ObjectiveResult"]


@dataclass(frozen=True)
class ObjectiveResult:
    """The loss with its graph, and numbers to look at.

    `loss` has no dimensions and lies on the model's device. `metrics` holds plain floats: `logprob_gap_mean` and
    `logprob_gap_max`, of |trainer's logprob - recorded one| over the selected predictions (OBJ-17); `selected`, how
    many those are; and, for the clipped objective, `clipped`, the share of them that the clip left without a gradient.
    """

    loss: _Tensor
    metrics: Mapping[str, float]
