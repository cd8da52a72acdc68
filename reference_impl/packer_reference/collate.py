"""Right padding of policy inputs into one batch of tensors."""

import operator
from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np

from packer_reference.token_ids import token_ids
from packer_schemas import PolicyBatch

__all__ = ["longest", "pad_samples"]


def longest(samples: Any) -> int:
    """The length of the longest `input_ids`; `ValueError` for zero samples."""
    lengths = [len(ids) for ids, _ in map(_streams, range(len(samples)), samples)]
    if not lengths:
        raise ValueError("policy_compute_max_len got 0 samples; fix the batch source")
    return max(lengths)


def pad_samples(samples: Sequence[Any], max_len: int, pad_id: int) -> PolicyBatch:
    """`{"input_ids": int64 [B, max_len], "logprob_masks": bool [B, max_len]}` on CPU, in memory of its own.

    Filler is `pad_id` and False, on the right. Raises `ValueError` for zero samples, a sample longer than `max_len`, or
    streams that cannot be rows: other lengths, mask entries beside 0 and 1, ids that are none.
    """
    import torch  # here, so that importing the package stays cheap

    if not samples:
        raise ValueError(
            "policy_collate_fn got 0 samples; fix the batch source, a degenerate tensor would hide the mistake"
        )
    if isinstance(max_len, bool):
        raise TypeError(f"policy_collate_fn: max_len is {max_len}, expected a number of tokens")
    shape = len(samples), operator.index(max_len)
    # Rows are written through NumPy views: array("Q") reads a list of ints many times faster than torch.tensor, refuses
    # floats and negative numbers on the way, and torch.from_numpy stays on CPU whatever torch's default device is.
    ids = np.full(shape, pad_id, np.int64)
    masks = np.zeros(shape, np.uint8)
    unsigned = ids.view(np.uint64)
    for at, sample in enumerate(samples):
        row, mask = _streams(at, sample)
        length = len(row)
        if len(mask) != length:
            raise ValueError(
                f"policy_collate_fn: sample {at} has {len(mask)} logprob_masks for {length} input_ids; "
                "the mask needs one entry per id"
            )
        if length > max_len:
            raise ValueError(
                f"policy_collate_fn: sample {at} has {length} input_ids, more than max_len={max_len}; "
                "nothing is truncated, pass at least policy_compute_max_len(samples)"
            )
        if type(row) is not list:
            row = token_ids(row, f"policy_collate_fn: sample {at}, input_ids")
        try:
            unsigned[at, :length] = array("Q", row)
        except (TypeError, OverflowError):
            token_ids(row, f"policy_collate_fn: sample {at}, input_ids")  # names the entry
            raise
        try:
            # bytearray of anything but a list may mean "so many zero bytes" or "this memory"
            masks[at, :length] = bytearray(mask if type(mask) is list else list(mask))
        except (TypeError, ValueError) as error:
            raise ValueError(f"policy_collate_fn: sample {at}, logprob_masks: {error}; expected 0 or 1") from error
    if masks.max(initial=0) > 1:
        at, position = np.argwhere(masks > 1)[0].tolist()
        raise ValueError(
            f"policy_collate_fn: sample {at}, logprob_masks[{position}] is {masks[at, position]}, expected 0 or 1"
        )
    return {"input_ids": torch.from_numpy(ids), "logprob_masks": torch.from_numpy(masks.view(np.bool_))}


def _streams(at: int, sample: Any) -> tuple[Any, Any]:
    try:
        return sample.input_ids, sample.logprob_masks
    except AttributeError as error:
        raise TypeError(
            f"sample {at} is a {type(sample).__name__}, expected a policy input with input_ids and logprob_masks: "
            f"{error}"
        ) from None
