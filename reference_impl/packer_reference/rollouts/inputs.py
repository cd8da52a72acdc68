"""From samples to what an engine is handed, one entry a sample."""

from collections.abc import Mapping, Sequence
from typing import Any

from packer_reference.rollouts.hooks import collated_inputs
from packer_reference.token_ids import token_ids
from packer_schemas import PretokenizedRolloutPacker

__all__ = ["engine_inputs", "refuse_long", "refuse_unknown"]


def engine_inputs(packer: Any, samples: Any, prompt_ids: Any, body: str) -> list[Any]:
    """What `packer` makes of the samples: texts and mappings, in their order, after `rollout_collate_fn`.

    Samples that come with ids go through `get_pretokenized_rollout_input`, the others through `get_rollout_input`.
    Raises `ValueError` for no samples, for a list of ids of another length, for an empty one and for a hook's answer of
    another length; `TypeError` for what are no lists and no ids, and for a packer that cannot take ids. Errors of the
    packer pass through. Spec: bodies, BODY-3, BODY-5 and BODY-11.
    """
    where = f"{body}.generate"
    if isinstance(samples, str | bytes | Mapping) or not isinstance(samples, Sequence):
        raise TypeError(f"{where}: samples is a {type(samples).__name__}, expected a list of samples")
    given = _ids_of_each(prompt_ids, len(samples), where)
    if not samples:
        raise ValueError(f"{where}: got 0 samples, expected at least 1; check the filter or shard that they come from")
    if any(ids is not None for ids in given):
        _expect_takes_ids(packer, where)
    inputs = [
        packer.get_rollout_input(sample) if ids is None else packer.get_pretokenized_rollout_input(sample, ids)
        for sample, ids in zip(samples, given, strict=True)
    ]
    return collated_inputs(packer, inputs, where)


def refuse_unknown(ids: Sequence[int], known: int | None, where: str) -> None:
    """`ValueError` for a prompt id that a model with `known` ids does not have; None stands for one that says nothing.

    Spec: bodies, BODY-2.
    """
    if known is None or max(ids) < known:
        return
    at = next(at for at, id in enumerate(ids) if id >= known)
    raise ValueError(
        f"{where}: prompt id {ids[at]} at position {at}, and the model knows the ids 0 to {known - 1}, a vocabulary of "
        f"{known}; is the packer's tokenizer the model's?"
    )


def refuse_long(length: int, limit: int | None, where: str) -> None:
    """`ValueError` for a prompt of `length` ids that leaves no room for one more. Spec: bodies, BODY-2."""
    if limit is not None and length >= limit:
        raise ValueError(
            f"{where} has {length} prompt ids, and the model takes {limit} in all, one of them generated; "
            "nothing is cut: shorten the prompt or take another model"
        )


def _expect_takes_ids(packer: Any, where: str) -> None:
    if not isinstance(packer, PretokenizedRolloutPacker):
        raise TypeError(
            f"{where}: prompt_ids were given, and {type(packer).__name__} has no get_pretokenized_rollout_input; "
            "only a packer knows which media belong to ids"
        )


def _ids_of_each(prompt_ids: Any, count: int, where: str) -> list[list[int] | None]:
    if prompt_ids is None:
        return [None] * count
    if not isinstance(prompt_ids, Sequence):
        raise TypeError(f"{where}: prompt_ids is a {type(prompt_ids).__name__}, expected a list with an entry a sample")
    if len(prompt_ids) != count:
        raise ValueError(f"{where}: got {len(prompt_ids)} entries of prompt_ids for {count} samples")
    given = [None if ids is None else token_ids(ids, f"{where}: prompt_ids[{at}]") for at, ids in enumerate(prompt_ids)]
    for at, ids in enumerate(given):
        if ids is not None and not ids:
            raise ValueError(f"{where}: prompt_ids[{at}] is empty; pass the ids of sample {at}, or None to encode it")
    return given
