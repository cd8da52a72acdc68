"""From a recorded trajectory to a policy input, and a record onto any policy input."""

import copy
import dataclasses
from typing import Any

from packer_reference.routing.records import expect_experts, expect_rows, read_record
from packer_schemas import ROLLOUT_ROUTED_EXPERTS_KEY, RoutedPolicyInput

__all__ = ["shape_policy_input", "with_fields"]


def shape_policy_input(packer: Any, trajectory: Any, n_ignore_prefix_tokens: int = 0) -> Any:
    """The policy input of one trajectory, made by `packer` from what the rollout recorded.

    Stored `prompt_ids` and `completion_ids` outrank the text; `completion_ids=[]` is an empty completion, not an absent
    one. A `rollout_routed_experts` record, integer `[L-1, layers, top_k]`, is attached as `forward_routing` once it has
    one row per input id but the last; otherwise `ValueError`. `TypeError` if the packer's policy input has no such
    field, or the record is no integer array. Errors of `get_policy_input` pass through. Spec: authority; routing,
    ROUTE-2 to ROUTE-5.
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
    where, length = f"shape_policy_input: {ROLLOUT_ROUTED_EXPERTS_KEY}", len(shaped.input_ids)
    rows = read_record(where, routed)
    of = f"one per input id but the last, for {length} input_ids; were these the ids generated from?"
    expect_rows(where, rows, length - 1, of)
    expect_experts(where, rows)
    return with_fields(shaped, forward_routing=routed)


def with_fields(policy_input: Any, **fields: Any) -> Any:
    """A copy of the policy input with these attributes, of its own class; what it does not name is shared.

    Frozen ones too: models are copied by `model_copy`, dataclasses and named tuples by what Python has for them, and
    any other class by `copy.copy`, whose copy is then set.
    """
    if hasattr(policy_input, "model_copy"):
        return policy_input.model_copy(update=fields)
    if dataclasses.is_dataclass(policy_input) and not isinstance(policy_input, type):
        return dataclasses.replace(policy_input, **fields)
    if isinstance(policy_input, tuple) and hasattr(policy_input, "_replace"):
        return policy_input._replace(**fields)  # pyright: ignore[reportAttributeAccessIssue]  a named tuple
    changed = copy.copy(policy_input)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed
