"""What the rollout hooks of a packer answer: one entry for each that was handed over."""

from collections.abc import Mapping
from typing import Any

from packer_schemas import RolloutHooks

__all__ = ["collated_inputs", "shaped_completions"]


def collated_inputs(packer: Any, inputs: list[Any], where: str) -> list[Any]:
    """What `rollout_collate_fn` makes of a call's inputs; the inputs, where the packer has no hooks.

    `ValueError` with both lengths for an answer of another one, `TypeError` for one that is no list. Spec: BODY-3.
    """
    if not isinstance(packer, RolloutHooks):
        return inputs
    return _entries(
        packer.rollout_collate_fn(inputs), len(inputs), f"{where}: {type(packer).__name__}.rollout_collate_fn"
    )


def shaped_completions(packer: Any, completions: list[list[int]], where: str) -> list[Any]:
    """What `get_rollout_output` makes of a call's completions, likewise. Spec: BODY-3."""
    if not isinstance(packer, RolloutHooks):
        return list(completions)
    shaped, count = packer.get_rollout_output(completions), len(completions)
    return _entries(shaped, count, f"{where}: {type(packer).__name__}.get_rollout_output")


def _entries(answer: Any, count: int, hook: str) -> list[Any]:
    if isinstance(answer, str | bytes | Mapping) or not hasattr(answer, "__iter__"):
        raise TypeError(
            f"{hook} returned a {type(answer).__name__}, expected a list of {count} entries, in their order"
        )
    entries = list(answer)
    if len(entries) != count:
        raise ValueError(
            f"{hook} returned {len(entries)} entries for {count}; a body needs one for each, in their order"
        )
    return entries
