"""From rows to policy inputs and a batch: by the packer where there is one, and by hand for ids of a text model."""

from collections.abc import Mapping, Sequence
from typing import Any

from packer_reference.collate import longest, pad_samples
from packer_reference.objectives.rows import Row
from packer_reference.policy_row import policy_row
from packer_reference.routing.attach import shape_policy_input
from packer_reference.token_ids import token_ids

__all__ = ["field_of", "packed", "packed_by_hand"]


def packed(packer: Any, rows: Sequence[Row], ids_only: bool) -> tuple[list[Any], Mapping[str, Any]]:
    """The packer's policy inputs and its batch of them; its errors pass through, with the trajectory noted.

    With `ids_only`, a policy input with media is refused with `ValueError`. Spec: objectives, OBJ-1 and OBJ-4.
    """
    inputs = []
    for row in rows:
        try:
            inputs.append(shape_policy_input(packer, row, row.ignored))
        except Exception as error:
            error.add_note(f"while shaping trajectory {row.trajectory}")
            raise
    for row, shaped in zip(rows, inputs, strict=True):
        for name in ("mm_kwargs", "media") if ids_only else ():
            media = field_of(shaped, name)
            if media is not None and (not hasattr(media, "__len__") or len(media)):
                raise ValueError(
                    f"trajectory {row.trajectory}: its policy input has {name}, and the policy gradient scores ids "
                    "alone; use make_objective(kind='clipped'), whose model takes the whole batch"
                )
    return inputs, packer.policy_collate_fn(inputs, packer.policy_compute_max_len(inputs))


def packed_by_hand(rows: Sequence[Row]) -> tuple[list[Any], Mapping[str, Any]]:
    """Policy inputs and batch of stored ids, padded with id 0, for a model that takes ids only.

    `ValueError` that names the trajectory for one without prompt ids, with a text for its completion, or with media in
    its prompt. Spec: objectives, OBJ-2 and OBJ-3.
    """
    inputs = []
    for row in rows:
        where = f"trajectory {row.trajectory}"
        prompt = [] if row.prompt_ids is None else token_ids(row.prompt_ids, f"{where}: prompt_ids")
        if not prompt:
            raise ValueError(
                f"{where} has no prompt_ids: record prompt_ids in the rollout, or pass make_objective(packer=...), "
                "which derives them from the sample"
            )
        if row.length is None:
            raise ValueError(
                f"{where} has a text completion and no completion_ids: record completion_ids, or pass "
                "make_objective(packer=...); text cannot be joined to ids"
            )
        kind = _media_in(row.obs)
        if kind is not None:
            raise ValueError(
                f"{where} has a part of type {kind!r} in its prompt, and ids alone do not hold it: pass "
                "make_objective(packer=...) with a media packer, which restores the media"
            )
        completion = token_ids(row.completion, f"{where}: completion_ids")
        inputs.append(policy_row(prompt, completion, row.ignored, where))
    return inputs, pad_samples(inputs, longest(inputs), 0)


def field_of(policy_input: Any, name: str) -> Any:
    """The field of a policy input, which is an attribute or a mapping's key; None where it is absent."""
    return policy_input.get(name) if isinstance(policy_input, Mapping) else getattr(policy_input, name, None)


def _media_in(obs: Any) -> Any:
    """The type of the first part of the sample's prompt that is no text; None where all is text."""
    representations = getattr(obs, "representations", None)
    prompt = representations.get("prompt") if isinstance(representations, Mapping) else None
    for message in prompt if isinstance(prompt, list | tuple) else ():
        content = message.get("content") if isinstance(message, Mapping) else None
        for part in content if isinstance(content, list | tuple) else ():
            if isinstance(part, Mapping) and part.get("type", "text" if "text" in part else None) != "text":
                return part.get("type", "unknown")
    return None
