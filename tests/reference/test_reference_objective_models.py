"""The objective with real models of transformers: what a rollout recorded is what the trainer computes."""

from typing import Any

import pytest
import torch
from objective_probes import recorded
from reference_samples import observe
from tiny_models import dense, experts, forward_logprobs

from packer_reference import DecoderOnlyLLMDataPacker, make_objective
from packer_reference.moe import ReplayedModel
from packer_reference.rollouts import HFRollout
from packer_schemas import Trajectory

ROWS = [([110, 111, 112], [120, 121]), ([7], [8, 9, 10, 11, 12]), ([40, 41], [50])]


@pytest.fixture(scope="module")
def model() -> Any:
    """A random Qwen2 of two small layers."""
    return dense()


def rollout(model: Any) -> list[Trajectory]:
    """Trajectories with the logprobs that the model itself gives, each computed alone and unpadded."""
    return [recorded(*row, forward_logprobs(model, *row)) for row in ROWS]


def gradients(model: Any, result: Any) -> dict[str, torch.Tensor]:
    """The gradient of every weight."""
    model.zero_grad(set_to_none=True)
    result.loss.backward()
    return {name: one.grad.clone() for name, one in model.named_parameters()}


def farthest(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> float:
    """The largest difference of two gradients, as a part of the largest entry."""
    largest = max(grad.abs().max().item() for grad in one.values())
    return max((one[name] - other[name]).abs().max().item() for name in one) / largest


def test_the_rollouts_logprobs_are_the_trainers(model: Any, packer: DecoderOnlyLLMDataPacker) -> None:
    """OBJ-17: in float32 on the CPU, padded rows in one batch are within 1e-5 of rows scored alone."""
    for given in (None, packer):
        metrics = make_objective(given)(model, rollout(model), advantages=[1, -1, 1]).metrics
        assert metrics["logprob_gap_max"] < 1e-5
        assert metrics["selected"] == 8


def test_a_shift_shows_in_the_gap(model: Any) -> None:
    """OBJ-17: logprobs that stand one id late are orders of magnitude away."""
    made = rollout(model)
    for one in made:
        one.policy_info["logprobs"] = [-5.0, *one.policy_info["logprobs"][:-1]]
    assert make_objective()(model, made, advantages=[1, -1, 1]).metrics["logprob_gap_mean"] > 1e-2


def test_loss_and_gradient_are_those_of_the_inline_loop(model: Any) -> None:
    """OBJ-9: one batch gives what a loop over trajectories gives that scores each alone."""
    made, advantages = rollout(model), [1.5, -0.5, 1.0]
    batched = gradients(model, make_objective()(model, made, advantages=advantages))
    terms = []
    for (prompt, completion), one, advantage in zip(ROWS, made, advantages, strict=True):
        ids = torch.tensor([prompt + completion])
        lp = model(ids).logits[0, :-1].log_softmax(-1).gather(1, ids[0, 1:, None])[len(prompt) - 1 :, 0]
        ratio = (lp - torch.tensor(one.policy_info["logprobs"])).exp()
        terms += torch.minimum(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage)
    model.zero_grad(set_to_none=True)
    (-torch.stack(terms).sum() / 8).backward()
    inline = {name: one.grad.clone() for name, one in model.named_parameters() if one.grad is not None}
    assert farthest(inline, batched) < 1e-5


def test_a_packer_and_none_are_one(model: Any, packer: DecoderOnlyLLMDataPacker) -> None:
    """OBJ-2: loss and gradient equal those with a conforming text packer, whose pad id is another, within 1e-6."""
    made = rollout(model)
    with_packer = make_objective(packer)(model, made, advantages=[1, -1, 1])
    without = make_objective()(model, made, advantages=[1, -1, 1])
    assert packer.pad_token_id != 0
    assert with_packer.loss.item() == pytest.approx(without.loss.item(), abs=1e-6)
    assert farthest(gradients(model, with_packer), gradients(model, without)) < 1e-6


def test_order_and_width_change_no_gradient(model: Any) -> None:
    """OBJ-6: reversed rows, beside a longer filler row, have the same loss, metrics and gradient of every weight."""
    made, advantages = rollout(model), [1, -1, 0.5]
    one = make_objective()(model, made, advantages=advantages)
    filler = recorded(list(range(9)), [1, 2], None, filler=True)
    other = make_objective()(model, [filler, *made[::-1]], advantages=[None, *advantages[::-1]])
    assert other.loss.item() == pytest.approx(one.loss.item(), rel=1e-6, abs=1e-6)
    assert other.metrics == pytest.approx(one.metrics, abs=1e-6)
    assert farthest(gradients(model, one), gradients(model, other)) < 1e-6


def test_parts_of_a_step_add_up(model: Any) -> None:
    """OBJ-9: with the step's N, the gradients of three calls add up to that of one."""
    made, advantages = rollout(model), [1.0, -1.0, 0.5]
    whole = gradients(model, make_objective()(model, made, advantages=advantages))
    model.zero_grad(set_to_none=True)
    for one, advantage in zip(made, advantages, strict=True):
        make_objective()(model, [one], advantages=[advantage], denominator=8).loss.backward()
    assert farthest(whole, {name: one.grad for name, one in model.named_parameters()}) < 1e-6


@pytest.mark.parametrize("kind", ["clipped", "policy_gradient"])
def test_nothing_selected_leaves_zero_gradients(model: Any, kind: str) -> None:
    """OBJ-10: every weight has a gradient that is zero and not None, in anomaly mode too."""
    model.zero_grad(set_to_none=True)
    with torch.autograd.set_detect_anomaly(True, check_nan=True):
        made = [recorded([110], []), recorded([110], [120], filler=True)]
        result = make_objective(kind=kind)(model, made, advantages=[1, None])
        result.loss.backward()
    assert result.loss.item() == 0.0
    grads = [one.grad for one in model.parameters()]
    assert all(grad is not None and not grad.any() for grad in grads)


def test_a_step_makes_the_better_answer_likelier(model: Any) -> None:
    """Some steps on two answers of one group move the logprob of the rewarded one up and of the other down."""
    made = [*rollout(model)[:1], recorded([110, 111, 112], [130, 131])]
    made[1].policy_info["logprobs"] = forward_logprobs(model, [110, 111, 112], [130, 131])
    made[0].reward, made[1].reward = 1.0, 0.0
    before = {name: one.clone() for name, one in model.state_dict().items()}
    optimiser = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(5):
        optimiser.zero_grad()
        make_objective()(model, made, groups=["g", "g"]).loss.backward()
        optimiser.step()
    better, worse = (sum(forward_logprobs(model, [110, 111, 112], answer)) for answer in ([120, 121], [130, 131]))
    model.load_state_dict(before)
    assert better > sum(made[0].policy_info["logprobs"])
    assert worse < sum(made[1].policy_info["logprobs"])


def test_a_real_rollout_is_scored_as_it_was_sampled(model: Any, packer: DecoderOnlyLLMDataPacker) -> None:
    """What HFRollout recorded of a text is within 1e-4 of what the objective computes, with a packer and without."""
    body = HFRollout(model, packer=packer, sampling={"n": 3, "max_tokens": 8, "seed": 1})
    made = body.generate([observe("Hi"), observe("What is 6 times 7?")])
    for given in (None, packer):
        assert make_objective(given)(model, made, advantages=[1] * 6).metrics["logprob_gap_max"] < 1e-4


def test_replayed_experts_keep_the_logprobs(packer: DecoderOnlyLLMDataPacker) -> None:
    """ROUTE-13: replaying its own record, a mixture of experts gives the recorded logprobs; a shifted one does not."""
    model = experts("qwen3_moe")
    body = HFRollout(model, packer=packer, sampling={"n": 2, "max_tokens": 8, "seed": 1}, routing_replay=True)
    made = body.generate([observe("Hi"), observe("a b c")])
    objective, replayed = make_objective(packer, routing_replay=True), ReplayedModel(model)
    result = objective(replayed, made, advantages=[1, -1, 1, -1])
    result.loss.backward()
    assert result.metrics["logprob_gap_max"] < 1e-4
    assert all(one.grad is not None for name, one in model.named_parameters() if "gate.weight" in name)
    for one in made:
        one.policy_info["rollout_routed_experts"] = one.policy_info["rollout_routed_experts"].roll(1, 0)
    assert objective(replayed, made, advantages=[1, -1, 1, -1]).metrics["logprob_gap_max"] > 1e-2


def test_ids_of_another_tokenizer_are_named(model: Any) -> None:
    """An id beyond the model's vocabulary is refused before the model is asked to look it up."""
    with pytest.raises(ValueError, match="the id 640, and Qwen2ForCausalLM has a vocabulary of 640"):
        make_objective()(model, [recorded([640], [120], [-5.0])], advantages=[1])


def test_frozen_weights_stay_out_of_it(model: Any) -> None:
    """A weight that is frozen has no gradient, and the rest has one."""
    model.requires_grad_(False)
    model.lm_head.requires_grad_(True)
    model.zero_grad(set_to_none=True)
    make_objective()(model, rollout(model), advantages=[1, -1, 1]).loss.backward()
    touched = [name for name, one in model.named_parameters() if one.grad is not None]
    model.requires_grad_(True)
    assert touched == ["lm_head.weight"]
