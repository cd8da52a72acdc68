"""Trajectories, models whose logits are leaves, and the arithmetic of an objective written out by hand."""

import math
from typing import Any

import torch

from packer_schemas import ObsBundle, Trajectory

__all__ = ["OBS", "VOCABULARY", "Probe", "assigned", "by_hand", "random_probe", "recorded", "turned"]

OBS = ObsBundle(representations={"prompt": "x"})
VOCABULARY = 300


class Probe:
    """A model that answers any ids with its logits, which are a leaf; what it was given stays in `seen`."""

    def __init__(self, logits: torch.Tensor) -> None:
        self.logits = logits.requires_grad_()
        self.seen: list[Any] = []

    def __call__(self, input_ids: torch.Tensor) -> torch.Tensor:
        """The logits."""
        self.seen.append(input_ids)
        return self.logits

    def reached(self) -> list[list[int]]:
        """Where the gradient is not zero, by row and position."""
        assert self.logits.grad is not None
        return self.logits.grad.ne(0).any(-1).int().tolist()


class BatchProbe(Probe):
    """A probe that takes whole batches."""

    def forward_policy_batch(self, batch: Any) -> torch.Tensor:
        """The logits."""
        self.seen.append(batch)
        return self.logits


def random_probe(rows: int, width: int, seed: int = 0, whole: bool = False) -> Probe:
    """A probe of normal logits `[rows, width, VOCABULARY]`."""
    logits = torch.randn(rows, width, VOCABULARY, generator=torch.Generator().manual_seed(seed))
    return BatchProbe(logits) if whole else Probe(logits)


def assigned(rows: int, width: int, logprobs: dict[tuple[int, int, int], float]) -> Probe:
    """A probe under which row b gives id t the logprob at (b, position, t), and all other ids the same rest."""
    logits = torch.zeros(rows, width, VOCABULARY)
    for (row, position, target), logprob in logprobs.items():
        logits[row, position] = math.log((1 - math.exp(logprob)) / (VOCABULARY - 1))
        logits[row, position, target] = logprob
    return Probe(logits)


def recorded(prompt: Any, completion: Any, logprobs: Any = None, reward: Any = None, **info: Any) -> Trajectory:
    """A trajectory of one turn, also one that breaks the schema; None leaves a key out."""
    keys = {"prompt_ids": prompt, "completion_ids": completion, "logprobs": logprobs, **info}
    present = {key: value for key, value in keys.items() if value is not None}
    return Trajectory.model_construct(obs=OBS, completion="never read", policy_info=present, reward=reward)


def turned(*turns: tuple[list[int], list[int]], **info: Any) -> Trajectory:
    """A trajectory of turns of prompt and completion, whose logprobs are -0.01, -0.02 and so on through all of them."""
    records, count = [], 0
    for prompt, completion in turns:
        logprobs = [-0.01 * (count + at + 1) for at in range(len(completion))]
        records.append({"prompt_ids": prompt, "completion_ids": completion, "logprobs": logprobs})
        count += len(completion)
    return Trajectory.model_construct(obs=OBS, completion="", policy_info={"turns": records, **info}, reward=None)


def by_hand(
    logits: torch.Tensor, trajectories: list[Trajectory], advantages: list[Any], kind: str = "clipped"
) -> torch.Tensor:
    """The loss of stored ids, position by position over all logits, as the chapter writes it."""
    terms = []
    for row, (one, advantage) in enumerate(zip(trajectories, advantages, strict=True)):
        info = one.policy_info
        prompt, completion = info["prompt_ids"], info["completion_ids"]
        ids = torch.tensor(prompt + completion)
        following = logits[row, : len(ids) - 1].log_softmax(-1).gather(1, ids[1:, None])[:, 0]
        for at in range(info.get("n_ignore_prefix_tokens", 0), len(completion)):
            weight = torch.tensor(advantage[at] if isinstance(advantage, list) else advantage)
            lp = following[len(prompt) - 1 + at]
            if kind == "policy_gradient":
                terms.append(lp * weight)
                continue
            ratio = (lp - torch.tensor(info["logprobs"][at])).exp()
            terms.append(torch.minimum(ratio * weight, ratio.clamp(0.8, 1.2) * weight))
    return -torch.stack(terms).sum() / len(terms)
