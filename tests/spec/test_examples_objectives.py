"""The worked examples of the chapter on objectives, computed again from the logprobs, rewards and ids beside them."""

import math
import statistics
from collections.abc import Sequence
from itertools import pairwise

import pytest
import torch
from transformers import AutoTokenizer
from worked_tables import example, intro

from packer_spec.oracle.masks import mask
from packproof.models import model_path

CLIP = intro("objectives", "q, recorded")
RATIO = [math.exp(lp - q) for lp, q in zip(CLIP.numbers("lp, trainer"), CLIP.numbers("q, recorded"), strict=True)]
ADVANTAGE = CLIP.numbers("A")


def terms(ratios: Sequence[float], advantages: Sequence[float]) -> tuple[list[float], list[float], list[float]]:
    """The plain and the clipped product of every prediction, and the term, which is the smaller of both."""
    plain = [r * a for r, a in zip(ratios, advantages, strict=True)]
    clipped = [min(max(r, 0.8), 1.2) * a for r, a in zip(ratios, advantages, strict=True)]
    return plain, clipped, [min(pair) for pair in zip(plain, clipped, strict=True)]


def advantages(rewards: Sequence[float], deviation: float) -> list[float]:
    """Rewards less their mean, by a deviation and the eps outside of it."""
    mean = statistics.fmean(rewards)
    return [(reward - mean) / (deviation + 1e-6) for reward in rewards]


def test_the_clipped_terms_follow_from_the_logprobs() -> None:
    """Ratio, clipped ratio, term, gradient and loss of the introduction are recomputed from q, lp and A."""
    plain, clipped, term = terms(RATIO, ADVANTAGE)
    gradient = [-p / 3 if p == t else 0 for p, t in zip(plain, term, strict=True)]
    for head, values in (
        ("ratio", RATIO),
        ("ratio * A", plain),
        ("clipped ratio * A", clipped),
        ("term", term),
        ("gradient of the loss by lp", gradient),
    ):
        assert CLIP.numbers(head) == pytest.approx(values, abs=1e-6), head


def test_other_divisors_give_other_losses() -> None:
    """The four losses of the introduction, and those of OBJ-6 and OBJ-9, are the same terms divided in their ways."""
    _, _, term = terms(RATIO, ADVANTAGE)
    first = "N = 3, the selected predictions"
    table = intro("objectives", first)
    losses = {
        first: -sum(term) / 3,
        "4, with one token of the filler row counted": -sum(term) / 4,
        "9, all next-token predictions of the batch": -sum(term) / 9,
        "the mean of each row, then the mean of rows a and b": -((term[0] + term[1]) / 2 + term[2]) / 2,
    }
    assert {head: table.numbers(head) for head in table.rows} == {
        head: [pytest.approx(loss, abs=1e-6)] for head, loss in losses.items()
    }
    by_width = [-sum(term) / (3 * (width - 1)) for width in (4, 8)]
    widths = example("objectives", "OBJ-6")
    assert widths.numbers("expected loss") == pytest.approx([-sum(term) / 3] * 2, abs=1e-6)
    assert widths.numbers("got") == pytest.approx(by_width, abs=1e-6)
    rows_first = example("objectives", "OBJ-9")
    assert [*rows_first.numbers("expected"), *rows_first.numbers("got")] == pytest.approx(
        [losses[first], list(losses.values())[-1]], abs=1e-6
    )


def test_group_advantages_follow_from_the_rewards() -> None:
    """The introduction's and OBJ-12's advantages are those of the population's deviation, and of the sample's."""
    table, broken = intro("objectives", "reward less mean"), example("objectives", "OBJ-12")
    rewards = [float(cell) for cell in table.header]
    mean = statistics.fmean(rewards)
    assert table.numbers("reward less mean") == [reward - mean for reward in rewards]
    of_population = advantages(rewards, statistics.pstdev(rewards))
    of_sample = advantages(rewards, statistics.stdev(rewards))
    for printed, values in (
        (table.numbers("advantage"), of_population),
        (table.numbers("with the sample deviation 0.5"), of_sample),
        (broken.numbers("expected"), of_population),
        (broken.numbers("got"), of_sample),
    ):
        assert printed == pytest.approx(values, abs=1e-6)


def test_a_filler_row_changes_the_advantages_of_its_group() -> None:
    """OBJ-11's advantages are those of two rewards, and of three where the filler row is counted."""
    table = example("objectives", "OBJ-11")
    rewards = table.numbers("reward")
    *real, filler = table.row("expected")
    assert filler == "none"
    assert [float(one) for one in real] == pytest.approx(
        advantages(rewards[:2], statistics.pstdev(rewards[:2])), abs=1e-6
    )
    assert table.numbers("got") == pytest.approx(advantages(rewards, statistics.pstdev(rewards)), abs=1e-6)


def test_text_does_not_give_the_sampled_ids_back() -> None:
    """OBJ-1's row ends in 71 and 68, and in one id where their text is encoded on `tiny-qwen`."""
    tokenizer = AutoTokenizer.from_pretrained(model_path("tiny-qwen"))
    table = example("objectives", "OBJ-1")
    assert tokenizer.decode([71, 68]) == "he"
    assert table.numbers("expected `input_ids`") == [110, 71, 68]
    assert table.numbers("got") == [110, *tokenizer("he", add_special_tokens=False)["input_ids"]]


def test_masks_of_the_smallest_breaks_follow_from_the_formula() -> None:
    """OBJ-2's and OBJ-5's masks are those of P = 2 with C = 1 and C = 2; the others are shifted."""
    table = example("objectives", "OBJ-2")
    assert table.numbers("expected") == mask(2, 1)
    assert table.numbers("got") == [0, *mask(2, 1)[:-1]]
    table = example("objectives", "OBJ-5")
    assert table.numbers("expected") == mask(2, 2)
    assert table.numbers("got, with `mask[1:]`") == [*mask(2, 2)[1:], 0]


def test_ignored_predictions_take_their_logprobs_along() -> None:
    """OBJ-7's one selected prediction is of id 121 with the second logprob, and not with the first."""
    table = example("objectives", "OBJ-7")
    ids, recorded = [120, 121], [-0.7, -1.9]
    marked = [at for at, one in enumerate(mask(1, 2, 1)) if one]
    assert marked == [1]
    assert table.numbers("expected") == [ids[1], recorded[1]]
    assert table.numbers("got") == [ids[1], recorded[0]]


def test_zero_is_not_a_missing_logprob() -> None:
    """OBJ-8's other stream has 0.0 in the place of the entry that is no number, which is entry 1."""
    table = example("objectives", "OBJ-8")
    logprobs = [-0.1, math.nan, -0.3]
    assert table.row("expected")[0].endswith(f"entry {[math.isnan(one) for one in logprobs].index(True)}")
    assert table.numbers("got, ratio taken with") == [0.0 if math.isnan(one) else one for one in logprobs]


def test_a_cut_in_place_shows_in_the_second_call() -> None:
    """OBJ-16's lengths are those of a list of two that the first call cut at n = 1, or left alone."""
    table = example("objectives", "OBJ-16")
    logprobs = [-0.1, -0.2]
    assert table.numbers("expected, length of `logprobs` before") == [len(logprobs)] * 2
    before = len(logprobs)
    del logprobs[:1]
    assert table.numbers("got") == [before, len(logprobs)]


def test_a_mean_of_nothing_is_not_a_number() -> None:
    """OBJ-10's other loss is what torch gives for the mean of no predictions."""
    table = example("objectives", "OBJ-10")
    assert mask(1, 0) == [0]
    assert math.isnan(float(table.row("got")[0]))
    assert math.isnan(torch.zeros(0).mean().item())


def test_the_smaller_term_keeps_its_gradient() -> None:
    """OBJ-13's terms are those of both ratios and both signs, clipped where that is smaller and clipped always."""
    table = example("objectives", "OBJ-13")
    ratios = [float(cell) for cell in table.header]
    plain, clipped, term = terms(ratios, table.numbers("A"))
    assert table.numbers("ratio * A") == plain
    assert table.numbers("expected term") == term
    assert table.numbers("got term") == clipped
    assert table.row("has a gradient") == ["yes" if p == t else "no" for p, t in zip(plain, term, strict=True)]


def test_a_turn_that_does_not_continue_begins_a_row() -> None:
    """OBJ-14's masks are those of its two turns, each a prompt and a completion of its own."""
    table = example("objectives", "OBJ-14")
    turns = [([110, 111], [120, 121]), ([110, 111, 150, 130], [140])]
    assert turns[1][0][: len(turns[0][0]) + 2] != [*turns[0][0], *turns[0][1]]
    for number, (prompt, completion) in enumerate(turns, 1):
        assert table.numbers(f"row {number}") == prompt + completion
        assert table.numbers(f"expected, row {number}") == mask(len(prompt), len(completion))
    both = zip([*table.numbers("expected, row 1"), 0], table.numbers("expected, row 2"), strict=True)
    assert table.numbers("got, one row with the ids of row 2") == [max(pair) for pair in both]


def test_only_sampled_tokens_are_selected() -> None:
    """OBJ-15's mask marks the prediction before each sampled token, and the other marks the tool's tokens too."""
    table = example("objectives", "OBJ-15")
    sampled = [0, *(1, 1, 0, 0, 1)]
    assert table.numbers("expected") == [after for _, after in pairwise(sampled)] + [0]
    assert table.numbers("got") == mask(1, 5)


def test_the_gap_is_a_mean_of_absolute_values() -> None:
    """OBJ-17's metrics are those of 0.3 and -0.3, and the mean with the sign is 0."""
    table = example("objectives", "OBJ-17")
    gaps = [0.3, -0.3]
    absolute = [abs(gap) for gap in gaps]
    assert table.numbers("expected") == [statistics.fmean(absolute), max(absolute)]
    assert table.row("got")[0] == str(statistics.fmean(gaps))
