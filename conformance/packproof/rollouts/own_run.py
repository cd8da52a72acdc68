"""The kit's own run of a model: what it takes under greedy decoding, how it scores ids, and where it routes them."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from packproof.rollouts.tiny_models import TOP_K

__all__ = ["CLEAR", "Greedy", "all_logprobs", "greedy", "routed"]

CLEAR = 0.1
"""By how much the likeliest id leads in its logits, where nobody can take another for it."""


@dataclass(frozen=True)
class Greedy:
    """A greedy completion; it is `clear` up to the first id whose lead is small, or to the first broken place."""

    ids: list[int]
    clear: int
    broken: int | None
    """The first place without a finite logprob."""

    @property
    def settled(self) -> bool:
        """Whether every id is clear."""
        return self.clear == len(self.ids)


def greedy(model: Any, prompt: Sequence[int], stop: Collection[int], most: int) -> Greedy:
    """What `model` takes after `prompt`, an id at a time, without a cache and alone in its batch."""
    import torch

    ids, clear, broken = list(prompt), None, None
    for place in range(most):
        with torch.no_grad():
            logits = model(input_ids=torch.tensor([ids]), use_cache=False).logits[0, -1].float()
        chosen = int(logits.argmax())
        first, second = logits.topk(2).values.tolist()
        if not math.isfinite(float(logits.log_softmax(-1)[chosen])):
            broken = place if broken is None else broken
            clear = place if clear is None else clear
        elif first - second < CLEAR and clear is None:
            clear = place
        ids.append(chosen)
        if chosen in stop:
            break
    own = ids[len(prompt) :]
    return Greedy(own, len(own) if clear is None else clear, broken)


def all_logprobs(model: Any, prompt: Sequence[int], completion: Sequence[int]) -> Any:
    """`[C, V]`: entry j holds the natural logprobs of every id after the prompt and completion[:j], in float32."""
    import torch

    row, first = [*prompt, *completion[:-1]], len(prompt) - 1  # without the last id, which nothing is scored after
    with torch.no_grad():
        logits = model(input_ids=torch.tensor([row]), use_cache=False).logits[0].float()
    return logits.log_softmax(-1)[first : first + len(completion)]


def routed(model: Any, ids: Sequence[int]) -> tuple[Any, Any]:
    """The experts of every place, integer `[L, layers, top_k]`, the likelier first, and by how much the last leads."""
    import torch

    with torch.no_grad():
        out = model(input_ids=torch.tensor([list(ids)]), output_router_logits=True)
    scores = torch.stack([layer.reshape(len(ids), -1).float() for layer in out.router_logits], 1)
    best = scores.topk(TOP_K + 1, -1)
    return best.indices[..., :TOP_K], (best.values[..., TOP_K - 1] - best.values[..., TOP_K])
