"""Weights of a tiny model changed so that it has no logprob at some places."""

from collections.abc import Sequence
from typing import Any, Literal

from packproof.rollouts.own_run import greedy

__all__ = ["spoil"]


def spoil(model: Any, prompt: Sequence[int], value: Literal["NaN", "an infinity"], at: int) -> None:
    """Let logits be NaN once the id at place `at` of the greedy completion was read, or infinite for that id there."""
    import torch

    ids = greedy(model, prompt, (), at + 1).ids
    with torch.no_grad():
        if value == "NaN":
            model.get_input_embeddings().weight[ids[at]] = float("nan")
            return
        row = torch.tensor([[*prompt, *ids[:at]]])
        hidden = model.base_model(input_ids=row, use_cache=False).last_hidden_state[0, -1]
        weights = model.lm_head.weight[ids[at]]
        weights[0] = float("inf") if hidden[0] > 0 else float("-inf")
