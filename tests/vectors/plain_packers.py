"""Packers whose rows are plain mappings, asked what a vector of the core chapters asks."""

from types import SimpleNamespace
from typing import Any

from outcomes import ids_of

from packer_spec.oracle import masks

__all__ = ["batch_of", "mask_of", "row_of"]


def mask_of(packer: Any, given: Any) -> dict[str, Any]:
    """What a packer gives for the input of a vector in `masks`."""
    ids, completion = list(given.prompt_ids), list(given.completion)
    row = packer.get_policy_input(None, completion, given.n_ignore_prefix_tokens, prompt_ids=ids)
    picked = masks.selected(row["input_ids"], row["logprob_masks"])
    return {"logprob_masks": row["logprob_masks"], "selected": picked}


def row_of(packer: Any, given: Any) -> dict[str, Any]:
    """What it gives for one in `authority`."""
    prompt, completion = ids_of(given.prompt_ids), ids_of(given.completion)
    return {"input_ids": packer.get_policy_input(None, completion, prompt_ids=prompt)["input_ids"]}


def batch_of(packer: Any, given: Any) -> dict[str, Any]:
    """What it gives for one in `collation`, with the vector's pad id."""
    packer.tokenizer = SimpleNamespace(pad_token_id=given.tokenizer.pad_token_id)
    samples = [one.model_dump() for one in given.samples]
    batch = packer.policy_collate_fn(samples, given.max_len)
    values = {"input_ids": batch["input_ids"].tolist(), "logprob_masks": batch["logprob_masks"].int().tolist()}
    return {**values, "longest": packer.policy_compute_max_len(samples)}
