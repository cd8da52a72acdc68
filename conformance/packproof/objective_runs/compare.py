"""How two calls of an objective are compared: losses, gradients of the weights, and what the metrics say of the gap."""

import math
from collections.abc import Mapping
from typing import Any

from packproof.objective_runs.calls import Scored
from packproof.violation import Violation

__all__ = ["GAPS", "close", "expect_alike", "expect_loss"]

_SLACK = 1e-5
"""What float32 leaves when the same terms are summed in another order, and a little more."""

GAPS = ("logprob_gap_mean", "logprob_gap_max")
"""The metrics that every objective is to have."""


def close(first: float, second: float) -> bool:
    """Whether two numbers are the same but for rounding; NaN is itself."""
    if math.isnan(first) or math.isnan(second):
        return math.isnan(first) and math.isnan(second)
    return first == second or abs(first - second) <= _SLACK * max(1.0, abs(first), abs(second))


def expect_loss(call: str, expected: float, got: float, fault: str = "") -> None:
    """Two losses, the same but for rounding."""
    if not close(expected, got):
        raise Violation.of(f"{call}: loss", expected=f"{expected:.6f}", got=f"{got:.6f}", fault=fault)


def expect_alike(first: Scored, second: Scored, fault: str) -> None:
    """Loss, gradients and gaps of two calls, the same but for rounding; `fault` says what differed between them."""
    expect_loss(second.call, first.loss, second.loss, fault)
    for name, wanted in first.gradients.items():
        off = _largest_difference(wanted, second.gradients[name])
        if off:
            raise Violation.of(f"{second.call}: gradient of {name}", expected=off[0], got=off[1], fault=fault)
    for name in GAPS:
        wanted, got = _metric(first.metrics, name), _metric(second.metrics, name)
        if wanted is not None and got is not None and not close(wanted, got):
            call = f"{second.call}: metrics[{name!r}]"
            raise Violation.of(call, expected=f"{wanted:.6f}", got=f"{got:.6f}", fault=fault)


def _metric(metrics: Any, name: str) -> float | None:
    """The metric, where it is a number: what it is to be, OBJ-17 says."""
    value = metrics.get(name) if isinstance(metrics, Mapping) else None
    return value if isinstance(value, float) else None


def _largest_difference(expected: Any, got: Any) -> tuple[str, str] | None:
    """The entry in which two gradients differ most, where that is more than rounding leaves; None is all zero."""
    import torch

    if expected is None and got is None:
        return None
    wanted = torch.zeros_like(got) if expected is None else expected
    have = torch.zeros_like(wanted) if got is None else got
    wanted, have = wanted.nan_to_num(nan=math.inf), have.nan_to_num(nan=math.inf)
    off = (wanted - have).abs().nan_to_num(nan=0.0)  # infinity less itself
    largest = wanted.abs().max().item()
    if off.max().item() <= _SLACK * (largest if 0 < largest < math.inf else 1.0):
        return None
    at = int(off.argmax())
    return f"{wanted.flatten()[at].item():.6g}", f"{have.flatten()[at].item():.6g}"
