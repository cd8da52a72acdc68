"""Policy, reference and critic read one policy input, made once by the rollout side's packer."""

import copy
import dataclasses
import json
from typing import Any

import pytest
import torch
from reference_samples import observe, packer_on
from tiny_models import dense, experts

from packer_reference import DecoderOnlyLLMDataPacker
from packer_reference.rewards import ignore_shared_prefixes
from packer_reference.roles import attach_model_inputs, role_batch
from packer_reference.rollouts import HFRollout
from packer_schemas import FORWARD_REPLAY_BATCH_KEY, Trajectory


class Counting(DecoderOnlyLLMDataPacker):
    """Counts the policy inputs that it makes."""

    made = 0

    def get_policy_input(self, *args: Any, **kwargs: Any) -> Any:
        self.made += 1
        return super().get_policy_input(*args, **kwargs)


class AsMapping(DecoderOnlyLLMDataPacker):
    """Makes mappings, with a field of its own."""

    def get_policy_input(self, *args: Any, **kwargs: Any) -> Any:
        shaped = super().get_policy_input(*args, **kwargs)
        return {"input_ids": shaped.input_ids, "logprob_masks": shaped.logprob_masks, "extra": "kept"}

    def policy_compute_max_len(self, processed_samples: Any) -> int:
        return max(len(one["input_ids"]) for one in processed_samples)

    def policy_collate_fn(self, processed_samples: Any, computed_max_len: int) -> Any:
        return list(processed_samples)


@dataclasses.dataclass(frozen=True)
class Frozen:
    """A policy input that cannot be written to."""

    input_ids: list[int]
    logprob_masks: list[int]
    forward_routing: Any = None


class AsFrozen(DecoderOnlyLLMDataPacker):
    """Makes frozen dataclasses."""

    def get_policy_input(self, *args: Any, **kwargs: Any) -> Any:
        shaped = super().get_policy_input(*args, **kwargs)
        return Frozen(shaped.input_ids, shaped.logprob_masks)


def trajectory(completion: list[int], **info: Any) -> Trajectory:
    """A trajectory that was generated with a BOS which the packer's own encoding lacks."""
    return Trajectory(
        obs=observe("Hi"),
        completion=completion,
        policy_info={"prompt_ids": [555, 40, 73], "completion_ids": completion, **info},
    )


def test_three_roles_read_one_input_with_the_stored_ids() -> None:
    """The input has the BOS of the record and is made once, and all roles have equal batches of their own."""
    packer = packer_on("tiny-llama3", Counting)
    made = [trajectory([120]), trajectory([120, 121])]
    attach_model_inputs(packer, made)
    assert made[0].policy_info["model_inputs"].input_ids == [555, 40, 73, 120]
    roles = [packer_on("tiny-llama3", Counting), packer_on("tiny-llama3"), packer_on("tiny-llama3")]
    batches = [role_batch(role, made) for role in roles]
    assert batches[0]["input_ids"].tolist()[1] == [555, 40, 73, 120, 121]
    for other in batches[1:]:
        assert other.keys() == batches[0].keys()
        assert all(torch.equal(other[key], batches[0][key]) for key in other)
        assert other["input_ids"] is not batches[0]["input_ids"]
    assert (packer.made, roles[0].made) == (2, 0)


@pytest.mark.parametrize("kind", [DecoderOnlyLLMDataPacker, AsMapping, AsFrozen])
@pytest.mark.parametrize("ignored", [0, 1, 2, 3])
def test_what_is_ignored_moves_the_mask_and_nothing_else(kind: type[Any], ignored: int) -> None:
    """With n the mask is the one that the packer makes with n, whatever the policy input is, and the input stays."""
    packer = packer_on("tiny-llama3", kind)
    (one,) = made = [trajectory([120, 121, 122])]
    attach_model_inputs(packer, made)
    before = copy.deepcopy(one.policy_info["model_inputs"])
    one.policy_info["n_ignore_prefix_tokens"] = ignored
    (row,) = rows = (
        role_batch(packer, made) if kind is AsMapping else role_batch(packer, made)["logprob_masks"].tolist()
    )
    shaped = packer_on("tiny-llama3").get_policy_input(one.obs, [120, 121, 122], ignored, prompt_ids=[555, 40, 73])
    assert (row["logprob_masks"] if kind is AsMapping else row) == shaped.logprob_masks
    assert len(rows) == 1
    assert one.policy_info["model_inputs"] == before
    if kind is AsMapping:
        assert (row["extra"], row["input_ids"]) == ("kept", shaped.input_ids)


def test_the_routing_of_the_rollout_is_carried(packer: Any) -> None:
    """With replay on the batch of a role holds the record, and a mapping, which has no room for it, is refused."""
    made = HFRollout(experts(), packer=packer, sampling={"max_tokens": 4}, routing_replay=True).generate(
        [observe("Hi")]
    )
    unwilling = packer_on("tiny-qwen", AsMapping)
    with pytest.raises(TypeError, match=r"rollout_routed_experts.*dict cannot carry it"):
        attach_model_inputs(unwilling, made)
    assert "model_inputs" not in made[0].policy_info
    attach_model_inputs(packer, made)
    record = made[0].policy_info["rollout_routed_experts"]
    assert role_batch(packer, made)[FORWARD_REPLAY_BATCH_KEY][0, :-1].tolist() == record.tolist()


def test_a_step_from_the_rollout_to_the_roles(packer: Any) -> None:
    """Groups are generated, shaped once, scored and filtered, and every role's mask leaves out the common beginning."""
    body = HFRollout(dense(), packer=packer, sampling={"n": 2, "max_tokens": 6, "temperature": 0})
    made = body.generate([observe("Hi")])
    attach_model_inputs(packer, made)
    made[0].policy_info["completion_ids"][-1] += 1  # as if the second had gone another way at its end
    made[0].reward, made[1].reward = 1.0, 0.0
    assert ignore_shared_prefixes(made, 2, 1) == [5, 5]
    assert role_batch(packer, made)["logprob_masks"].sum(1).tolist() == [1, 1]


@pytest.mark.parametrize(
    ("info", "says"),
    [
        ({"model_inputs": None}, "trajectory 1 has no model_inputs"),
        ({"prompt_ids": None}, "trajectory 1 has no prompt_ids"),
        ({"n_ignore_prefix_tokens": 3}, "trajectory 1: n_ignore_prefix_tokens is 3, expected an integer from 0 to 2"),
        ({"n_ignore_prefix_tokens": -1}, "n_ignore_prefix_tokens is -1"),
        ({"n_ignore_prefix_tokens": True}, "n_ignore_prefix_tokens is True"),
    ],
)
def test_what_no_role_can_read_is_refused(packer: Any, info: dict[str, Any], says: str) -> None:
    """An input that nobody made, a prompt that nobody recorded, and an n outside the completion name the trajectory."""
    made = [trajectory([120]), trajectory([120, 121])]
    attach_model_inputs(packer, made)
    made[1].policy_info.update(info)
    with pytest.raises(ValueError, match=says):
        role_batch(packer, made)


def test_inputs_are_made_once_and_from_recorded_ids(packer: Any) -> None:
    """A second call, and a trajectory without prompt ids, are refused, and then none of the call has an input."""
    made = [trajectory([120]), trajectory([121])]
    attach_model_inputs(packer, made[:1])
    with pytest.raises(ValueError, match="trajectory 1 has model_inputs; they are made once"):
        attach_model_inputs(packer, made[::-1])
    bare = [trajectory([120]), Trajectory(obs=observe("Hi"), completion="text")]
    with pytest.raises(ValueError, match="trajectory 1 has no prompt_ids"):
        attach_model_inputs(packer, bare)
    assert not any("model_inputs" in each.policy_info for each in [made[1], *bare])


def test_what_bodies_and_roles_write_is_a_trajectory(packer: Any) -> None:
    """A record with routing, policy input, reward and n is one that the published model takes, and becomes JSON."""
    body = HFRollout(experts(), packer=packer, sampling={"n": 2, "max_tokens": 4, "seed": 1}, routing_replay=True)
    made = body.generate([observe("Hi")])
    attach_model_inputs(packer, made)
    made[0].reward, made[1].reward = 1.0, 0.0
    ignore_shared_prefixes(made, 2, 1)
    for each in made:
        read = Trajectory.model_validate(dict(each))
        assert read.obs is each.obs
        assert json.loads(read.model_dump_json())["policy_info"]["prompt_ids"] == each.policy_info["prompt_ids"]
