"""Draws as asked are never taken for others, and others are told by name."""

import pytest
import torch

from packproof.rollouts.likelihoods import SURE, likelier


def scores_and_draws(seed: int, drawn_at: float, among: int = 640) -> tuple[torch.Tensor, list[int]]:
    """Logprobs of a model at 128 draws, `[128, 640]`, and ids drawn from its likeliest at some temperature."""
    generator = torch.Generator().manual_seed(seed)
    scores = (torch.randn(128, 640, generator=generator) * 3).log_softmax(-1)
    least = scores.topk(among).values[:, -1:]
    chances = (scores.masked_fill(scores < least, -torch.inf).double() / drawn_at).softmax(-1)
    return scores, torch.multinomial(chances, 1, generator=generator)[:, 0].tolist()


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_draws_as_asked_stay_far_below_the_bound(temperature: float) -> None:
    """In two hundred calls no other way of drawing is even e^12 times likelier."""
    found = [likelier(*scores_and_draws(seed, temperature), temperature)[1] for seed in range(200)]
    assert max(found) < 12 < SURE


@pytest.mark.parametrize(
    ("temperature", "drawn_at", "among", "said"),
    [
        (0.5, 1.0, 640, "at temperature 1"),
        (2.0, 1.0, 640, "at temperature 1"),
        (2.0, 4.0, 640, "at temperature 4"),
        (2.0, 2.0, 50, "among the 50 likeliest"),
        (1.0, 1.0, 1, "as the likeliest alone"),
    ],
)
def test_other_draws_are_told_by_name(temperature: float, drawn_at: float, among: int, said: str) -> None:
    """A temperature that was lost, one that was applied twice, and a top-k left on are named, with certainty."""
    for seed in range(20):
        found, by = likelier(*scores_and_draws(seed, drawn_at, among), temperature)
        assert (found, by > SURE) == (said, True)
