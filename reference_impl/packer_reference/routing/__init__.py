"""Recorded expert routing on its way from the rollout into the model: attached, cut, joined, sent, and batched."""

from packer_reference.routing.attach import shape_policy_input
from packer_reference.routing.batch import add_forward_routing
from packer_reference.routing.cutting import cut_policy_input, join_policy_inputs
from packer_reference.routing.replay import expect_replay_batch
from packer_reference.routing.transport import flatten_routing
from packer_reference.routing.turns import join_turn_routing

__all__ = [
    "add_forward_routing",
    "cut_policy_input",
    "expect_replay_batch",
    "flatten_routing",
    "join_policy_inputs",
    "join_turn_routing",
    "shape_policy_input",
]
