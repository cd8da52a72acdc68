"""A model that is made to use the experts of a record again."""

from collections.abc import Mapping
from typing import Any

from packer_reference.moe.routers import choosing, find_routers
from packer_reference.routing.replay import expect_replay_batch
from packer_schemas import FORWARD_REPLAY_BATCH_KEY

__all__ = ["ReplayedModel"]

_READ = {"input_ids", "logprob_masks", FORWARD_REPLAY_BATCH_KEY}


class ReplayedModel:
    """A causal language model of transformers with routed experts, whose policy batches are replayed.

    In `forward_policy_batch` every router sends a token to the recorded experts, in the recorded order. Their weights
    are the model's own: it makes them of its own scores at those experts, normalised as it always does, and gradients
    reach router and experts. A place of which an id is -1 was not recorded, and the router chooses there by itself;
    padding is such a place. Whatever else is asked of it, such as `parameters()`, is asked of the model.

    `layers`, `top_k` and `experts` are the layout of its records. `ValueError` for a model without routed experts.
    Spec: routing, ROUTE-7 and ROUTE-13.
    """

    def __init__(self, model: Any) -> None:
        self.model = model
        self._routers = find_routers(model)
        self.layers = len(self._routers)
        self.top_k, self.experts = self._routers[0].top_k, self._routers[0].experts

    def __call__(self, input_ids: Any) -> Any:
        """Logits `[B, W, V]` for ids `[B, W]`, with the model's own routing."""
        return self.model(input_ids=input_ids, use_cache=False).logits

    def forward_policy_batch(self, batch: Mapping[str, Any]) -> Any:
        """Logits `[B, W, V]` for a policy batch, filled on the right, with the routing that it carries.

        Raises `ValueError` for a batch that has no `forward_replay_routing` or one of another layout, for one with
        fields that a language model does not read, and under gradient checkpointing, which runs layers again when the
        record is gone. The batch stays as it is. Spec: routing, ROUTE-13 and ROUTE-4.
        """
        import torch

        expect_replay_batch(batch, self.layers, self.top_k, self.experts)
        unread = sorted(batch.keys() - _READ)
        if unread:
            raise ValueError(f"ReplayedModel: the batch has {unread}, and this model reads input_ids alone")
        if self.model.training and any(getattr(one, "gradient_checkpointing", False) for one in self.model.modules()):
            raise ValueError(
                "ReplayedModel: gradient checkpointing is on, and runs the routers again in the backward pass, when "
                "the record is gone; switch it off"
            )
        device = next(self.model.parameters()).device
        routing = batch[FORWARD_REPLAY_BATCH_KEY].to(device)

        def recorded(layer: int, _scores: Any, natural: Any) -> Any:
            ids = routing[:, :, layer].reshape(natural.shape).to(natural.dtype)
            return torch.where((ids >= 0).all(-1, keepdim=True), ids, natural)

        with choosing(self._routers, recorded):
            return self(batch["input_ids"].to(device))

    def __getattr__(self, name: str) -> Any:
        if name == "model":  # a copy in the making has none yet
            raise AttributeError(name)
        return getattr(self.model, name)
