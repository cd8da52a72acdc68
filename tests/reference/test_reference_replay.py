"""What the routers of a real model chose is recorded while it generates, and replayed where it is scored."""

import copy
from typing import Any

import pytest
import torch
from reference_samples import observe, packer_on
from tiny_models import EXPERT_KINDS, dense, experts

from packer_reference import DecoderOnlyLLMDataPacker, shape_policy_input
from packer_reference.moe import ReplayedModel, RoutingRecorder
from packer_reference.rollouts import HFRollout
from packer_schemas import FORWARD_REPLAY_BATCH_KEY, ROLLOUT_ROUTED_EXPERTS_KEY

TEXTS = ["Hi", "What is 6 times 7? Answer in one word.", "a b c"]
SAMPLING = {"n": 3, "max_tokens": 12, "seed": 1}


@pytest.fixture(scope="module")
def text_packer() -> DecoderOnlyLLMDataPacker:
    """A packer on tiny-qwen; shared, so leave it as it is."""
    return packer_on("tiny-qwen")


def recorded(packer: Any, model: Any, **sampling: Any) -> list[Any]:
    """Trajectories of the three texts, with routing."""
    body = HFRollout(model, packer=packer, sampling={**SAMPLING, **sampling}, routing_replay=True)
    return body.generate([observe(text) for text in TEXTS])


def collated(packer: Any, trajectories: list[Any]) -> dict[str, Any]:
    """Their policy batch, three places wider than it has to be."""
    rows = [shape_policy_input(packer, each) for each in trajectories]
    return packer.policy_collate_fn(rows, packer.policy_compute_max_len(rows) + 3)


def gap(logits: Any, trajectories: list[Any]) -> float:
    """The largest difference between recorded logprobs and those of these logits."""
    scores, largest = logits.detach().float().log_softmax(-1), 0.0
    for row, each in enumerate(trajectories):
        info = each.policy_info
        first = len(info["prompt_ids"]) - 1
        for at, (token, score) in enumerate(zip(info["completion_ids"], info["logprobs"], strict=True)):
            largest = max(largest, abs(scores[row, first + at, token].item() - score))
    return largest


def perturbed(model: Any, size: float = 0.1) -> Any:
    """The model with other routers: noise of this size on their weights."""
    other = copy.deepcopy(model)
    noise = torch.Generator().manual_seed(9)
    with torch.no_grad():
        for name, weights in other.named_parameters():
            if name.endswith(("gate.weight", "router.weight")):
                weights.add_(torch.randn(weights.shape, generator=noise) * size)
    return other


@pytest.mark.parametrize("kind", EXPERT_KINDS)
def test_a_replayed_batch_has_the_logprobs_of_the_rollout(text_packer: Any, kind: str) -> None:
    """Generated, recorded, collated and replayed, logprobs agree; a record moved by one row is far off."""
    model = experts(kind)
    made = recorded(text_packer, model)
    batch = collated(text_packer, made)
    replayed = ReplayedModel(model)
    right = gap(replayed.forward_policy_batch(batch), made)
    moved = {**batch, FORWARD_REPLAY_BATCH_KEY: batch[FORWARD_REPLAY_BATCH_KEY].roll(1, 1)}
    wrong = gap(replayed.forward_policy_batch(moved), made)
    assert right < 1e-5
    assert wrong > 1000 * right


class Watched(ReplayedModel):
    """A replayed model that keeps what its routers went on with."""

    def __init__(self, model: Any) -> None:
        super().__init__(model)
        self.recorder = RoutingRecorder(model)

    def __call__(self, input_ids: Any) -> Any:
        with self.recorder.recording():
            return super().__call__(input_ids)


@pytest.mark.parametrize("kind", EXPERT_KINDS)
def test_replay_uses_the_recorded_experts_where_the_routers_would_use_others(text_packer: Any, kind: str) -> None:
    """With other routers the natural choice differs from the record, and the replayed one is the record."""
    made = recorded(text_packer, experts(kind))
    other = perturbed(experts(kind))
    info = made[0].policy_info
    record = info[ROLLOUT_ROUTED_EXPERTS_KEY]
    ids = torch.tensor([info["prompt_ids"] + info["completion_ids"]])
    batch = {
        "input_ids": ids,
        FORWARD_REPLAY_BATCH_KEY: torch.nn.functional.pad(record, (0, 0, 0, 0, 0, 1), value=-1)[None],
    }
    taken = {}
    with torch.no_grad():
        recorder = RoutingRecorder(other)
        with recorder.recording():
            other(ids)
        (taken["natural"],) = recorder.rows([0], [len(record)])
        watched = Watched(other)
        watched.forward_policy_batch(batch)
        (taken["replayed"],) = watched.recorder.rows([0], [len(record)])
    assert torch.equal(taken["replayed"], record)
    assert not torch.equal(taken["natural"].sort(-1).values, record.sort(-1).values)


@pytest.mark.parametrize("kind", EXPERT_KINDS)
def test_the_record_is_what_one_forward_pass_chooses(text_packer: Any, kind: str) -> None:
    """Row i holds, for every layer with experts, the ids at place i; batches, caches and fill leave no trace."""
    model = experts(kind)
    config = model.config
    layers = config.num_hidden_layers - getattr(config, "first_k_dense_replace", 0)
    for each in recorded(text_packer, model):
        info = each.policy_info
        record = info[ROLLOUT_ROUTED_EXPERTS_KEY]
        row = info["prompt_ids"] + info["completion_ids"]
        assert record.dtype == torch.int8
        assert list(record.shape) == [len(row) - 1, layers, 2]
        recorder = RoutingRecorder(model)
        with torch.no_grad(), recorder.recording():
            model(torch.tensor([row]))
        (whole,) = recorder.rows([0], [len(row) - 1])
        assert torch.equal(record.sort(-1).values, whole.sort(-1).values)


def test_places_without_a_record_route_by_themselves(text_packer: Any) -> None:
    """A record that is -1 throughout gives the model's own logits, and a place that is -1 in part its own choice."""
    model = experts()
    made = recorded(text_packer, model)
    batch = collated(text_packer, made)
    natural = ReplayedModel(model)(batch["input_ids"])
    nothing = {**batch, FORWARD_REPLAY_BATCH_KEY: torch.full_like(batch[FORWARD_REPLAY_BATCH_KEY], -1)}
    assert torch.equal(ReplayedModel(model).forward_policy_batch(nothing), natural)
    wrong = batch[FORWARD_REPLAY_BATCH_KEY].roll(1, 1)
    wrong[..., 0] = -1
    assert torch.equal(ReplayedModel(model).forward_policy_batch({**batch, FORWARD_REPLAY_BATCH_KEY: wrong}), natural)


@pytest.mark.parametrize("kind", ["qwen3_moe", "olmoe", "deepseek_v3"])
def test_gradients_reach_the_routers_through_the_replayed_weights(text_packer: Any, kind: str) -> None:
    """The weights at the recorded experts are the router's own scores, so that training moves it."""
    model = perturbed(experts(kind))
    batch = collated(text_packer, recorded(text_packer, experts(kind)))
    ReplayedModel(model).forward_policy_batch(batch).log_softmax(-1)[..., 7].mean().backward()
    routers = [weights for name, weights in model.named_parameters() if name.endswith("gate.weight")]
    assert routers
    assert all(weights.grad is not None and weights.grad.abs().sum() > 0 for weights in routers)


def test_what_the_hooks_changed_is_changed_back(text_packer: Any) -> None:
    """After recording, replaying and a failure within, the model routes by itself and has no hooks."""
    model = experts()
    ids = torch.tensor([[71, 68, 75]])
    with torch.no_grad():
        before = model(ids).logits
        made = recorded(text_packer, model)
        replayed = ReplayedModel(model)
        replayed.forward_policy_batch(collated(text_packer, made))
        with pytest.raises(IndexError):
            replayed.forward_policy_batch(
                {
                    "input_ids": torch.tensor([[9999]]),
                    FORWARD_REPLAY_BATCH_KEY: torch.full((1, 1, 2, 2), -1).to(torch.int8),
                }
            )
        assert torch.equal(model(ids).logits, before)
    assert not any(module._forward_hooks or module._forward_pre_hooks for module in model.modules())


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        (lambda batch: batch.pop(FORWARD_REPLAY_BATCH_KEY), f"{FORWARD_REPLAY_BATCH_KEY} is missing"),
        (lambda batch: batch.update({FORWARD_REPLAY_BATCH_KEY: batch[FORWARD_REPLAY_BATCH_KEY][:, :-1]}), "has shape"),
        (lambda batch: batch.update({FORWARD_REPLAY_BATCH_KEY: batch[FORWARD_REPLAY_BATCH_KEY][:, :, :1]}), "layers=2"),
        (lambda batch: batch[FORWARD_REPLAY_BATCH_KEY].fill_(8), "holds expert 8, and the model has experts=8"),
        (lambda batch: batch.update(pixel_values=torch.zeros(1)), r"the batch has \['pixel_values'\]"),
    ],
)
def test_a_batch_that_cannot_be_replayed_is_refused(text_packer: Any, edit: Any, says: str) -> None:
    """No record, another layout, experts that are not there and fields that nobody reads are refused by name."""
    model = experts()
    batch = collated(text_packer, recorded(text_packer, model, max_tokens=2))
    edit(batch)
    with pytest.raises(ValueError, match=says):
        ReplayedModel(model).forward_policy_batch(batch)


def test_gradient_checkpointing_is_refused(text_packer: Any) -> None:
    """Layers that are run again in the backward pass would route by themselves there."""
    model = experts()
    batch = collated(text_packer, recorded(text_packer, model, max_tokens=2))
    model.train()
    getattr(model, "activation_checkpointing_enable", model.gradient_checkpointing_enable)()
    with pytest.raises(ValueError, match="gradient checkpointing is on"):
        ReplayedModel(model).forward_policy_batch(batch)


def test_a_dense_model_can_be_neither_recorded_nor_replayed(text_packer: Any) -> None:
    """Without routed experts the construction fails, and says what was looked for."""
    with pytest.raises(ValueError, match="Qwen2ForCausalLM has no routed experts"):
        HFRollout(dense(), packer=text_packer, routing_replay=True)
    with pytest.raises(ValueError, match="no module in it has top_k and num_experts"):
        ReplayedModel(dense())


def test_routers_of_different_layouts_have_no_record() -> None:
    """One record has one top_k, and a model with two of them is refused with both."""
    model = experts()
    first = next(module for module in model.modules() if hasattr(module, "top_k") and hasattr(module, "num_experts"))
    first.top_k = 3
    with pytest.raises(ValueError, match=r"routers of different layouts.*top_k 3.*top_k 2"):
        ReplayedModel(model)


def test_without_replay_nothing_is_recorded(text_packer: Any) -> None:
    """The key is absent where recording was not asked for."""
    made = HFRollout(experts(), packer=text_packer, sampling=SAMPLING).generate([observe("Hi")])
    assert ROLLOUT_ROUTED_EXPERTS_KEY not in made[0].policy_info


def test_a_replayed_model_is_the_model_otherwise() -> None:
    """Its parameters and its mode are the model's, it can be copied, and it declares the layout of its records."""
    model = experts()
    replayed = ReplayedModel(model)
    assert all(one is other for one, other in zip(replayed.parameters(), model.parameters(), strict=True))
    assert (replayed.layers, replayed.top_k, replayed.experts) == (2, 2, 8)
    assert copy.deepcopy(replayed).model is not model
