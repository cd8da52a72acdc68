"""From a recorded trajectory to a policy input."""

from typing import Any

from packer_schemas import ROLLOUT_ROUTED_EXPERTS_KEY, RoutedPolicyInput

__all__ = ["shape_policy_input"]


def shape_policy_input(packer: Any, trajectory: Any, n_ignore_prefix_tokens: int = 0) -> Any:
    """The policy input of one trajectory, made by `packer` from what the rollout recorded.

    Stored `prompt_ids` and `completion_ids` outrank the text; `completion_ids=[]` is an empty completion, not an absent
    one. A `rollout_routed_experts` record, integer `[L-1, layers, top_k]`, is attached as `forward_routing` once it has
    one row per input id but the last; otherwise `ValueError`. `TypeError` if the packer's policy input has no such
    field. Errors of `get_policy_input` pass through. Spec: authority; design, routing.
    """
    info = trajectory.policy_info or {}
    completion = info.get("completion_ids")
    if completion is None:
        completion = trajectory.completion
    shaped = packer.get_policy_input(
        trajectory.obs, completion, n_ignore_prefix_tokens, prompt_ids=info.get("prompt_ids")
    )
    routed = info.get(ROLLOUT_ROUTED_EXPERTS_KEY)
    if routed is None:
        return shaped
    if not isinstance(shaped, RoutedPolicyInput):
        raise TypeError(
            f"shape_policy_input: the rollout recorded {ROLLOUT_ROUTED_EXPERTS_KEY}, and {type(shaped).__name__} "
            "cannot carry it; give the policy input a forward_routing field"
        )
    expected = len(shaped.input_ids) - 1
    if len(routed) != expected:
        raise ValueError(
            f"shape_policy_input: {ROLLOUT_ROUTED_EXPERTS_KEY} has {len(routed)} rows, expected {expected}: one per "
            f"input id but the last, for {expected + 1} input_ids; were these the ids generated from?"
        )
    shaped.forward_routing = routed
    return shaped
