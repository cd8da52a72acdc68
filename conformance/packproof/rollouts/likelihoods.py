"""Whether ids were drawn as they should: how much likelier they are under other ways of drawing."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

__all__ = ["SURE", "likelier"]

SURE = 20.0
"""The natural logarithm of a ratio that draws as they should be reach in fewer than one case of ten million."""

_FEWEST, _SHARES = (20, 50), (0.5, 0.8, 0.9, 0.95)


def likelier(scores: Any, ids: Sequence[int], temperature: float) -> tuple[str, float]:
    """The way of drawing under which `ids` are likeliest, and the logarithm of the ratio to drawing as asked.

    `scores`, `[N, V]`, are logprobs of a model for every id at each of N draws. A ratio of likelihoods has the mean 1
    where the draws are as asked, however they depend on each other, so it exceeds e^x with a chance of e^-x at most.
    """
    import torch

    asked = (scores / temperature).log_softmax(-1)
    drawn = torch.tensor(ids)[:, None]
    own = asked.gather(-1, drawn).double().sum()
    found = (
        (name, float(other.gather(-1, drawn).double().sum() - own))
        for name, other in _others(scores, asked, temperature)
    )
    return max(found, key=lambda one: one[1])


def _others(scores: Any, asked: Any, temperature: float) -> Iterator[tuple[str, Any]]:
    import torch

    heats = {1.0, 1 / temperature, *(temperature * factor for factor in (temperature, 0.25, 0.5, 2.0, 4.0))}
    for heat in sorted(heats - {temperature}):
        yield f"at temperature {heat:g}", (scores / heat).log_softmax(-1)
    ranked, order = asked.sort(-1, descending=True)
    before = ranked.exp().cumsum(-1) - ranked.exp()
    fewest = {f"among the {count} likeliest": count for count in _FEWEST} | {"as the likeliest alone": 1}
    cuts = {name: torch.arange(ranked.shape[-1]) >= count for name, count in fewest.items()}
    cuts |= {f"among the likeliest ids with {share:.0%} in all": before >= share for share in _SHARES}
    for name, cut in cuts.items():
        kept = ranked.masked_fill(cut, -math.inf).log_softmax(-1)
        yield name, torch.empty_like(asked).scatter(-1, order, kept)
