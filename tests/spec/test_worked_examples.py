"""Numbers printed in the chapters' worked examples, computed again from the words beside them."""

import math
import re
import statistics
from pathlib import Path

import pytest
import torch

import packer_spec
from packer_schemas import identity_digest

FOLDER = Path(packer_spec.__file__).parent / "chapters"


def row(chapter: str, head: str) -> list[str]:
    """The cells behind the first table row of a chapter that begins with `head`."""
    text = (FOLDER / f"{chapter}.md").read_text(encoding="utf-8")
    found = re.search(rf"^\| {re.escape(head)} \| (.*) \|$", text, re.MULTILINE)
    assert found is not None, head
    return [cell.strip() for cell in found[1].split("|")]


def numbers(chapter: str, head: str) -> list[float]:
    """The same, as numbers."""
    return [float(cell) for cell in row(chapter, head)]


@pytest.mark.parametrize("length", [12, 13])
def test_a_fingerprint_is_that_of_the_words_and_the_length(length: int) -> None:
    """The digests of the sources chapter are those of the canonical JSON that it gives."""
    assert row("sources", str(length)) == [f"`{identity_digest({'fingerprint': 'sums-v1', 'length': length})}`"]


def test_the_clipped_terms_follow_from_the_logprobs() -> None:
    """Ratio, clipped ratio, term, gradient and loss of the objectives chapter are recomputed from q, lp and A."""
    recorded, trainer = numbers("objectives", "q, recorded"), numbers("objectives", "lp, trainer")
    advantage = numbers("objectives", "A")
    ratio = [math.exp(lp - q) for lp, q in zip(trainer, recorded, strict=True)]
    plain = [r * a for r, a in zip(ratio, advantage, strict=True)]
    clipped = [min(max(r, 0.8), 1.2) * a for r, a in zip(ratio, advantage, strict=True)]
    term = [min(pair) for pair in zip(plain, clipped, strict=True)]
    gradient = [-p / 3 if p == t else 0 for p, t in zip(plain, term, strict=True)]
    for head, values in (
        ("ratio", ratio),
        ("ratio * A", plain),
        ("clipped ratio * A", clipped),
        ("term", term),
        ("gradient of the loss by lp", gradient),
    ):
        assert numbers("objectives", head) == pytest.approx(values, abs=1e-6), head
    for head, divisor in (
        ("N = 3, the selected predictions", 3),
        ("4, with one token of the filler row counted", 4),
        ("9, all next-token predictions of the batch", 9),
    ):
        assert numbers("objectives", head) == pytest.approx([-sum(term) / divisor], abs=1e-6)
    rows = "the mean of each row, then the mean of rows a and b"
    assert numbers("objectives", rows) == pytest.approx([-((term[0] + term[1]) / 2 + term[2]) / 2], abs=1e-6)


def test_group_advantages_follow_from_the_rewards() -> None:
    """The advantages of the objectives chapter are recomputed with the population's deviation, and the sample's."""
    rewards = numbers("objectives", "reward")
    centred = [reward - statistics.fmean(rewards) for reward in rewards]
    assert numbers("objectives", "reward less mean") == centred
    for head, deviation in (
        ("advantage", statistics.pstdev(rewards)),
        ("with the sample deviation 0.5", statistics.stdev(rewards)),
    ):
        assert numbers("objectives", head) == pytest.approx([one / (deviation + 1e-6) for one in centred], abs=1e-6)


def test_the_values_of_a_patch_stand_by_channel_row_and_column() -> None:
    """The two patches of the container chapter are cut from the tile that it describes, as a convolution cuts it."""
    tile = torch.arange(16, dtype=torch.float32).reshape(1, 2, 2, 4)
    patches = torch.nn.functional.unfold(tile, kernel_size=2, stride=2)[0].T
    assert [numbers("container", f"patch {number}") for number in (0, 1)] == patches.tolist()
