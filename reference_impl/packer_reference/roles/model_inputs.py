"""The one policy input of a trajectory, that policy, reference and critic read."""

from collections.abc import Mapping, Sequence
from typing import Any

from packer_reference.routing.attach import shape_policy_input, with_fields
from packer_schemas import PolicyBatch

__all__ = ["MODEL_INPUTS_KEY", "attach_model_inputs", "role_batch"]

MODEL_INPUTS_KEY = "model_inputs"
"""Key in `policy_info`: the policy input, as the packer of the rollout side made it with n = 0."""


def attach_model_inputs(packer: Any, trajectories: Sequence[Any]) -> None:
    """Put the policy input of every trajectory under `policy_info["model_inputs"]`, made once, from the stored ids.

    `packer` is the rollout side's. A recorded routing is carried, and a policy input that cannot carry it is refused.
    Either all trajectories get theirs or, on an error, none. Raises `ValueError` for a trajectory that has one or no
    `prompt_ids`, and what `shape_policy_input` raises. Spec: bodies, BODY-17; routing, ROUTE-5.
    """
    where = "attach_model_inputs: trajectory"
    for at, trajectory in enumerate(trajectories):
        if MODEL_INPUTS_KEY in trajectory.policy_info:
            raise ValueError(f"{where} {at} has {MODEL_INPUTS_KEY}; they are made once, where it was generated")
        if not trajectory.policy_info.get("prompt_ids"):
            raise ValueError(f"{where} {at} has no prompt_ids; the input is made of the ids that were generated from")
    shaped = [shape_policy_input(packer, trajectory) for trajectory in trajectories]
    for trajectory, policy_input in zip(trajectories, shaped, strict=True):
        trajectory.policy_info[MODEL_INPUTS_KEY] = policy_input


def role_batch(packer: Any, trajectories: Sequence[Any]) -> PolicyBatch:
    """The batch of a role, from the trajectories' `model_inputs`; nothing is encoded, and no trajectory changes.

    Each mask begins `n_ignore_prefix_tokens` predictions later, as MASK-3 says; the ids and all other fields are those
    that were made. Roles that collate the same trajectories get equal tensors. Raises `ValueError` for a trajectory
    without `model_inputs` or `prompt_ids`, and for n outside 0 to C; errors of the packer's collation pass through.
    Spec: bodies, BODY-17; masks, MASK-3 and MASK-4.
    """
    inputs = [_as_scored(trajectory, f"role_batch: trajectory {at}") for at, trajectory in enumerate(trajectories)]
    return packer.policy_collate_fn(inputs, packer.policy_compute_max_len(inputs))


def _as_scored(trajectory: Any, where: str) -> Any:
    info = trajectory.policy_info
    made, prompt_ids = info.get(MODEL_INPUTS_KEY), info.get("prompt_ids")
    if made is None or not prompt_ids:
        missing = "prompt_ids" if made is not None else MODEL_INPUTS_KEY
        raise ValueError(
            f"{where} has no {missing}; the rollout side calls attach_model_inputs(packer, trajectories) once"
        )
    ignored = info.get("n_ignore_prefix_tokens") or 0
    mapping = isinstance(made, Mapping)
    mask = list(made["logprob_masks"] if mapping else made.logprob_masks)
    length = len(mask) - len(prompt_ids)
    if type(ignored) is not int or not 0 <= ignored <= length:
        raise ValueError(f"{where}: n_ignore_prefix_tokens is {ignored!r}, expected an integer from 0 to {length}")
    first = len(prompt_ids) - 1
    mask[first : first + ignored] = [0] * ignored
    return {**made, "logprob_masks": mask} if mapping else with_fields(made, logprob_masks=mask)
