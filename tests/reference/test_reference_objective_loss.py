"""The loss: which logits it reads, what each term is, and what their sum is divided by."""

import math
from typing import Any

import pytest
import torch
from objective_probes import assigned, by_hand, random_probe, recorded

from packer_reference import DecoderOnlyLLMDataPacker
from packer_reference.objectives import make_objective
from packer_reference.objectives.loss import clipped_terms
from packer_schemas import Trajectory

ROW_A = recorded([110, 111], [120, 121], [-1.0, -2.0])
ROW_B = recorded([210], [220], [-0.5])
FILLER = recorded([110, 111], [120, 121], [-1.0, -2.0], filler=True)
LP = {(0, 1, 120): -0.9, (0, 2, 121): -1.7, (1, 0, 220): -0.5}


def several(count: int = 5, sampled_from: int = 30) -> list[Trajectory]:
    """Trajectories of different lengths with distinct ids and logprobs near those of random logits."""
    made = []
    for at in range(count):
        prompt, length = list(range(10 * at, 10 * at + 1 + at % 3)), 1 + (2 * at) % 5
        completion = [sampled_from + 7 * at + one for one in range(length)]
        made.append(recorded(prompt, completion, [-5.9 - 0.07 * one - 0.1 * at for one in range(length)]))
    return made


def test_the_chapters_example() -> None:
    """Three rows of width 4, one of them a filler row, have the loss, gradients and gaps of the chapter."""
    probe = assigned(3, 4, LP)
    result = make_objective()(probe, [ROW_A, ROW_B, FILLER], advantages=[1, -1, 5])
    assert result.loss.item() == pytest.approx(-0.435057, abs=1e-6)
    assert result.loss.shape == ()
    assert result.metrics == pytest.approx(
        {"logprob_gap_mean": 0.133333, "logprob_gap_max": 0.3, "selected": 3, "clipped": 1 / 3}, abs=1e-6
    )
    assert all(type(number) is float for number in result.metrics.values())
    result.loss.backward()
    # d loss / d logit of the target is d loss / d lp times 1 - p
    slope = {key: probe.logits.grad[key].item() / (1 - math.exp(lp)) for key, lp in LP.items()}  # type: ignore[index]
    assert list(slope.values()) == pytest.approx([-0.368390, 0, 0.333333], abs=1e-6)
    assert probe.reached() == [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]]


@pytest.mark.parametrize("kind", ["clipped", "policy_gradient"])
@pytest.mark.parametrize("with_packer", [False, True])
def test_bit_for_bit_as_by_hand(kind: str, with_packer: bool, packer: DecoderOnlyLLMDataPacker) -> None:
    """Loss and gradient are, bit for bit, those of the formula written out position by position."""
    made = several()
    made[2].policy_info["n_ignore_prefix_tokens"] = 2
    made[3].policy_info["n_ignore_prefix_tokens"] = 2  # all of its ids
    advantages: list[Any] = [1.5, -0.25, [0.5, -1.0, 0.75, 2.0, -2.0], 3.0, -1.0]
    width = max(len(one.policy_info["prompt_ids"] + one.policy_info["completion_ids"]) for one in made)
    probe, other = random_probe(5, width), random_probe(5, width)
    result = make_objective(packer if with_packer else None, kind=kind)(probe, made, advantages=advantages)
    expected = by_hand(other.logits, made, advantages, kind)
    result.loss.backward()
    expected.backward()
    assert torch.equal(result.loss, expected)
    assert torch.equal(probe.logits.grad, other.logits.grad)  # type: ignore[arg-type]


def test_the_gradient_reaches_selected_positions_alone() -> None:
    """OBJ-5: for P = 2 and C = 2 the gradient is not zero at positions 1 and 2, in all entries zero elsewhere."""
    probe = random_probe(1, 4)
    q = probe.logits.detach().log_softmax(-1)
    made = recorded([110, 111], [120, 121], [q[0, 1, 120].item(), q[0, 2, 121].item()])
    make_objective()(probe, [made], advantages=[1]).loss.backward()
    assert probe.reached() == [[0, 1, 1, 0]]


@pytest.mark.parametrize("broken", [math.nan, math.inf, -math.inf])
def test_logits_that_are_not_selected_are_not_read(broken: float) -> None:
    """OBJ-5: NaN and infinities there change neither the loss nor the gradients of the others."""
    made, clean, probe = several(), random_probe(5, 8), random_probe(5, 8)
    mask = torch.zeros(5, 8, dtype=torch.bool)
    for row, one in enumerate(made):
        first = len(one.policy_info["prompt_ids"]) - 1
        mask[row, first : first + len(one.policy_info["completion_ids"])] = True
    with torch.no_grad():
        probe.logits[~mask] = broken
    results = [make_objective(kind="policy_gradient")(one, made, advantages=[1] * 5) for one in (probe, clean)]
    for result in results:
        result.loss.backward()
    assert torch.equal(results[0].loss, results[1].loss)
    assert torch.equal(probe.logits.grad, clean.logits.grad)  # type: ignore[arg-type]


def test_width_does_not_count(packer: DecoderOnlyLLMDataPacker) -> None:
    """OBJ-6: collated to a width of 4 and of 8, the chapter's example has the same loss and metrics."""

    class Wider:
        get_policy_input = staticmethod(packer.get_policy_input)
        policy_compute_max_len = staticmethod(packer.policy_compute_max_len)

        def policy_collate_fn(self, samples: Any, max_len: int) -> Any:
            return packer.policy_collate_fn(samples, max_len + 4)

    made, advantages = [ROW_A, ROW_B, FILLER], [1, -1, 0]
    narrow = make_objective(packer)(assigned(3, 4, LP), made, advantages=advantages)
    wide = make_objective(Wider())(assigned(3, 8, LP), made, advantages=advantages)
    assert wide.loss.item() == pytest.approx(-0.435057, abs=1e-6)
    assert wide.metrics == narrow.metrics


def test_order_does_not_count() -> None:
    """OBJ-6: rows in another order, each with its advantage, have the same loss and metrics."""
    one = make_objective()(assigned(2, 4, LP), [ROW_A, ROW_B], advantages=[1, -1])
    swapped = {(1 - row, position, target): lp for (row, position, target), lp in LP.items()}
    other = make_objective()(assigned(2, 4, swapped), [ROW_B, ROW_A], advantages=[-1, 1])
    assert other.loss.item() == pytest.approx(one.loss.item(), abs=1e-6)
    assert other.metrics == pytest.approx(one.metrics)


def test_parts_of_a_step_add_up() -> None:
    """OBJ-9: with the step's N for a denominator, losses and gradients of any split are those of the whole."""
    made, advantages, whole = several(), [1.0, -1.0, 0.5, 2.0, -0.5], random_probe(5, 8)
    result = make_objective()(whole, made, advantages=advantages)
    result.loss.backward()
    parts, n, total = random_probe(5, 8), int(result.metrics["selected"]), 0.0
    for places in ([0, 1, 2], [3], [4]):
        width = max(len(made[at].policy_info["prompt_ids"] + made[at].policy_info["completion_ids"]) for at in places)
        loss = make_objective()(
            lambda ids, places=places, width=width: parts.logits[places, :width],
            [made[at] for at in places],
            advantages=[advantages[at] for at in places],
            denominator=n,
        ).loss
        loss.backward()
        total += loss.item()
    assert total == pytest.approx(result.loss.item(), abs=1e-6)
    assert torch.allclose(parts.logits.grad, whole.logits.grad, atol=1e-7)  # type: ignore[arg-type]


def test_clipped_and_worthless_predictions_count() -> None:
    """OBJ-9: N counts predictions that are clipped and those whose advantage is 0."""
    made = [recorded([110], [120, 121], [-1.0, -1.0])]
    probe = assigned(1, 3, {(0, 0, 120): -0.5, (0, 1, 121): -1.0})
    result = make_objective()(probe, made, advantages=[[1.0, 0.0]])
    assert result.loss.item() == pytest.approx(-1.2 / 2, abs=1e-6)


@pytest.mark.parametrize("denominator", [4, 4.0, torch.tensor(4)])
def test_a_denominator_is_any_number(denominator: Any) -> None:
    """OBJ-9: the number of predictions may come as an int, a float or a tensor, as a sum over ranks does."""
    loss = make_objective()(assigned(2, 4, LP), [ROW_A, ROW_B], advantages=[1, -1], denominator=denominator).loss
    assert loss.item() == pytest.approx(-1.305171 / 4, abs=1e-6)


@pytest.mark.parametrize(("denominator", "error"), [(-1, ValueError), (0, ValueError), (True, TypeError)])
def test_a_denominator_that_is_none_is_refused(denominator: Any, error: type) -> None:
    """OBJ-9: below 0, and 0 while something is selected, is refused before the model runs."""
    probe = assigned(2, 4, LP)
    with pytest.raises(error, match="denominator is"):
        make_objective()(probe, [ROW_A, ROW_B], advantages=[1, -1], denominator=denominator)
    assert probe.seen == []


@pytest.mark.parametrize("kind", ["clipped", "policy_gradient"])
@pytest.mark.parametrize("denominator", [None, 0, 7])
@pytest.mark.parametrize(
    "made",
    [
        [recorded([110], [], [])],
        [recorded([110, 111], [120], [-1.0], n_ignore_prefix_tokens=1), recorded([110], [])],
        [recorded([110], [120], [-1.0], filler=True)],
        [recorded([110], [120], sampled=[0])],
    ],
    ids=["empty", "ignored", "filler", "unsampled"],
)
def test_nothing_selected_is_a_loss_of_zero(made: list[Trajectory], kind: str, denominator: Any) -> None:
    """OBJ-10: such a batch has the loss 0.0 with a graph, zero gradients, and no NaN, in anomaly mode either."""
    width = max(len(one.policy_info["prompt_ids"] + one.policy_info["completion_ids"]) for one in made)
    probe = random_probe(len(made), width)
    with torch.autograd.set_detect_anomaly(True, check_nan=True):
        result = make_objective(kind=kind)(probe, made, advantages=[1.0] * len(made), denominator=denominator)
        result.loss.backward()
    assert str(result.loss.item()) == "0.0"
    assert probe.logits.grad is not None
    assert not probe.logits.grad.any()
    assert all(math.isfinite(one) for one in result.metrics.values())
    assert (result.metrics["logprob_gap_mean"], result.metrics["logprob_gap_max"]) == (0.0, 0.0)


def test_a_row_without_weight_adds_nothing() -> None:
    """OBJ-10: beside a row of prompt ids alone, loss and gradient of the others are as they were."""
    probe, result = assigned(3, 4, LP), make_objective()(assigned(2, 4, LP), [ROW_A, ROW_B], advantages=[1, -1])
    more = make_objective()(probe, [ROW_A, ROW_B, recorded([110], [], [])], advantages=[1, -1, 9])
    assert more.loss.item() == result.loss.item()
    assert more.metrics == result.metrics
    more.loss.backward()
    assert probe.reached()[2] == [0, 0, 0, 0]


def test_the_reward_of_an_empty_answer_counts() -> None:
    """OBJ-10: an empty completion is part of its group."""
    made = [recorded([110], [120], [-6.0], 1.0), recorded([110], [121], [-6.0], 1.0), recorded([110], [], [], 0.0)]
    loss = make_objective()(random_probe(3, 2), made, groups=["a"] * 3).loss
    assert loss.item() != 0


def test_no_trajectories_are_refused() -> None:
    """OBJ-10: a call with nothing to score is a mistake of its caller."""
    with pytest.raises(ValueError, match="0 trajectories"):
        make_objective()(random_probe(1, 2), [], advantages=[])


def test_only_the_smaller_term_is_clipped() -> None:
    """OBJ-13: terms and gradients of both ratios with both signs are those of the chapter."""
    ratios, signs, expected = [1.35, 1.35, 0.65, 0.65], [1.0, -1.0, 1.0, -1.0], [1.20, -1.35, 0.65, -0.80]
    for ratio, sign, term, moved in zip(ratios, signs, expected, [0, 1, 1, 0], strict=True):
        probe = assigned(1, 2, {(0, 0, 120): -1.0})
        result = make_objective()(probe, [recorded([110], [120], [-1.0 - math.log(ratio)])], advantages=[sign])
        result.loss.backward()
        assert result.loss.item() == pytest.approx(-term, abs=1e-6)
        assert result.metrics["clipped"] == 1 - moved
        assert probe.reached() == [[moved, 0]]


@pytest.mark.parametrize("advantage", [1.0, 0.0])
def test_a_ratio_that_overflows_gives_no_nan(advantage: float) -> None:
    """OBJ-13: where a recorded logprob is so low that the ratio is infinite, a clipped term has a gradient of zero."""
    probe = assigned(1, 2, {(0, 0, 120): -0.1})
    result = make_objective()(probe, [recorded([110], [120], [-200.0])], advantages=[advantage])
    result.loss.backward()
    assert result.loss.item() == pytest.approx(-1.2 * advantage)
    assert probe.reached() == [[0, 0]]


def test_borders_of_the_clip_are_the_callers() -> None:
    """OBJ-13: `clip_low` and `clip_high` bound their own side."""
    objective = make_objective(clip_low=0.5, clip_high=0.1)
    for ratio, sign, term in ((1.35, 1.0, 1.1), (0.65, -1.0, -0.65), (0.4, -1.0, -0.5)):
        probe = assigned(1, 2, {(0, 0, 120): -1.0})
        made = recorded([110], [120], [-1.0 - math.log(ratio)])
        assert objective(probe, [made], advantages=[sign]).loss.item() == pytest.approx(-term, abs=1e-6)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"kind": "ppo"}, "kind is 'ppo', expected one of clipped, policy_gradient"),
        ({"clip_low": 1.0}, "clip_low is 1.0"),
        ({"clip_low": -0.1}, "clip_low is -0.1"),
        ({"clip_high": -0.1}, "clip_high is -0.1"),
        ({"clip_high": math.nan}, "clip_high is nan"),
    ],
)
def test_settings_outside_of_their_borders_are_refused(settings: Any, message: str) -> None:
    """OBJ-13: the objective is not made."""
    with pytest.raises(ValueError, match=message):
        make_objective(**settings)


def test_a_gap_has_no_sign() -> None:
    """OBJ-17: gaps of 0.3 and -0.3 have the mean 0.3 and the maximum 0.3."""
    probe = assigned(1, 3, {(0, 0, 120): -1.0, (0, 1, 121): -1.0})
    result = make_objective()(probe, [recorded([110], [120, 121], [-1.3, -0.7])], advantages=[1])
    assert result.metrics["logprob_gap_mean"] == pytest.approx(0.3, abs=1e-6)
    assert result.metrics["logprob_gap_max"] == pytest.approx(0.3, abs=1e-6)


@pytest.mark.parametrize("logprobs", [None, [-1.3], [-1.3, -0.7, -0.1], [-1.3, None], [-1.3, math.nan], "text"])
def test_the_policy_gradient_reads_no_logprobs(logprobs: Any) -> None:
    """OBJ-8 and OBJ-17: it refuses none, and its gap is of the predictions that have one."""
    probe = assigned(1, 3, {(0, 0, 120): -1.0, (0, 1, 121): -2.0})
    result = make_objective(kind="policy_gradient")(probe, [recorded([110], [120, 121], logprobs)], advantages=[0.5])
    assert result.loss.item() == pytest.approx(0.75, abs=1e-6)
    known = isinstance(logprobs, list) and len(logprobs) == 2
    assert result.metrics["logprob_gap_max"] == pytest.approx(0.3 if known else 0.0, abs=1e-6)
    assert "clipped" not in result.metrics


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
def test_logits_of_other_types(dtype: torch.dtype) -> None:
    """Half logits are scored in float32, double ones in float64, and the gradient has the type of the logits."""
    made, probe = several(), random_probe(5, 8)
    probe.logits = probe.logits.detach().to(dtype).requires_grad_()
    loss = make_objective()(probe, made, advantages=[1.0] * 5).loss
    wide = torch.promote_types(dtype, torch.float32)
    assert loss.dtype == wide
    assert loss.item() == pytest.approx(by_hand(probe.logits.to(wide), made, [1.0] * 5).item(), rel=1e-6)
    loss.backward()
    assert probe.logits.grad is not None
    assert probe.logits.grad.dtype == dtype


def test_an_id_beyond_the_logits_is_refused() -> None:
    """A tokenizer of another model is told from its ids, and not by a traceback from an index."""
    with pytest.raises(ValueError, match=r"the id 300 is to be predicted.*for 300 ids only"):
        make_objective()(random_probe(1, 2), [recorded([110], [300], [-1.0])], advantages=[1])


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
def test_the_bound_of_the_clip_does_not_depend_on_the_default_type(dtype: torch.dtype) -> None:
    """A ratio of e is bounded at 1.2 of the scores' own type, whatever type torch makes numbers of."""
    one = torch.ones(1)
    torch.set_default_dtype(dtype)
    try:
        terms, _ = clipped_terms(one, 0 * one, one, 0.2, 0.2)
    finally:
        torch.set_default_dtype(torch.float32)
    assert terms == torch.tensor(1.2, dtype=torch.float32)
