"""What a consumer that replays routing asks of a batch before its forward pass."""

from collections.abc import Mapping
from typing import Any

from packer_schemas import FORWARD_REPLAY_BATCH_KEY, MISSING_EXPERT, ROUTING_DTYPES
from packer_schemas.tensor import is_tensor

__all__ = ["expect_replay_batch"]


def expect_replay_batch(batch: Mapping[str, Any], layers: int, top_k: int, experts: int | None = None) -> None:
    """Refuse a policy batch that a model of `layers` and `top_k` cannot replay; None where it can.

    `batch` holds `input_ids` `[B, W]` and has to hold `forward_replay_routing` as a tensor `[B, W, layers, top_k]` of a
    signed integer type, on any device, with values from -1 up and, where `experts` is given, below it. `ValueError`
    names the key, and what was found beside what was expected. Spec: routing, ROUTE-13 and ROUTE-4.
    """
    where = f"expect_replay_batch: {FORWARD_REPLAY_BATCH_KEY}"
    routing = batch.get(FORWARD_REPLAY_BATCH_KEY)
    if routing is None:
        raise ValueError(
            f"{where} is missing, and this run replays routing: either the rollout recorded nothing, or the packer's "
            "policy_collate_fn did not add it; turn replay off, or record and collate the routing"
        )
    expected = [*batch["input_ids"].shape, layers, top_k]
    if not is_tensor(routing):
        raise ValueError(f"{where} is a {type(routing).__name__}, expected a tensor {expected}")
    if list(routing.shape) != expected:
        raise ValueError(
            f"{where} has shape {list(routing.shape)}, expected {expected}: B and W of input_ids, "
            f"the model's layers={layers} and top_k={top_k}"
        )
    dtype = str(routing.dtype).removeprefix("torch.")
    if dtype not in ROUTING_DTYPES:
        raise ValueError(f"{where} has the type {dtype}, expected one of {', '.join(ROUTING_DTYPES)}")
    if not routing.numel():
        return
    lowest, highest = (int(one) for one in routing.aminmax())
    if lowest < MISSING_EXPERT:
        raise ValueError(f"{where} holds {lowest}, expected expert ids, or {MISSING_EXPERT} where none was recorded")
    if experts is not None and highest >= experts:
        raise ValueError(
            f"{where} holds expert {highest}, and the model has experts={experts}, 0 to {experts - 1}; "
            "was it recorded with another model?"
        )
