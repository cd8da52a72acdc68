"""Right padding of policy inputs into one batch of tensors."""

import operator
from array import array
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from packer_reference.token_ids import token_ids
from packer_schemas import PolicyBatch

__all__ = ["longest", "pad_samples"]


def longest(samples: Any) -> int:
    """The length of the longest `input_ids`; `ValueError` for zero samples."""
    lengths = [len(_streams(at, sample)[0]) for at, sample in enumerate(samples)]
    if not lengths:
        raise ValueError("policy_compute_max_len got 0 samples; fix the batch source")
    return max(lengths)


def pad_samples(samples: Sequence[Any], max_len: int, pad_id: int) -> PolicyBatch:
    """`{"input_ids": int64 [B, max_len], "logprob_masks": bool [B, max_len]}` on CPU, in memory of its own.

    Filler is `pad_id` and False, on the right. Raises `ValueError` for zero samples, a sample longer than `max_len`,
    ids and mask of different lengths and mask entries beside 0 and 1; ids that are none raise as `token_ids` does.
    """
    import torch  # here, so that importing the package stays cheap

    if not samples:
        raise ValueError(
            "policy_collate_fn got 0 samples; fix the batch source, an empty tensor would hide its mistake"
        )
    if isinstance(max_len, bool):
        raise TypeError(f"policy_collate_fn: max_len is {max_len}, expected a number of tokens")
    shape = len(samples), operator.index(max_len)
    if shape[1] < 1:
        raise ValueError(f"policy_collate_fn: max_len is {max_len}, expected at least 1")
    # Both columns grow row by row in memory that becomes the tensor's own: array("Q") takes a list of ints many times
    # faster than torch.tensor and refuses floats and negative numbers on the way, and torch.frombuffer stays on CPU
    # whatever torch's default device.
    ids, masks = array("Q"), bytearray()
    filler, unset = array("Q", [pad_id]) * shape[1], bytes(shape[1])
    for at, sample in enumerate(samples):
        row, mask = _streams(at, sample)
        length = len(row)
        if len(mask) != length or length > max_len:
            _refuse_lengths(at, length, len(mask), max_len)
        _extend(ids, at, row)
        masks += _packed_mask(at, mask)
        ids += filler[length:]
        masks += unset[length:]
    _check_masks(np.frombuffer(masks, np.uint8).reshape(shape))
    return {
        "input_ids": torch.frombuffer(ids, dtype=torch.int64).view(shape),
        "logprob_masks": torch.frombuffer(masks, dtype=torch.bool).view(shape),
    }


def _streams(at: int, sample: Any) -> tuple[Any, Any]:
    try:
        return sample.input_ids, sample.logprob_masks
    except AttributeError as error:
        raise TypeError(
            f"sample {at} is a {type(sample).__name__}, expected a policy input with input_ids and logprob_masks: "
            f"{error}"
        ) from None


def _extend(ids: "array[int]", at: int, row: Any) -> None:
    if type(row) is list:
        try:
            return ids.fromlist(row)
        except (TypeError, OverflowError):
            pass  # the check below says which entry it was
    return ids.fromlist(token_ids(row, f"policy_collate_fn: sample {at}, input_ids"))


def _packed_mask(at: int, mask: Any) -> bytearray:
    try:
        # bytearray of anything but a list may mean "so many zero bytes" or "the bytes of this memory"
        return bytearray(mask if type(mask) is list else list(mask))
    except (TypeError, ValueError) as error:
        raise ValueError(f"policy_collate_fn: sample {at}, logprob_masks: {error}; expected 0 or 1") from error


def _check_masks(masks: np.ndarray) -> None:
    if masks.max() > 1:
        at, position = np.argwhere(masks > 1)[0].tolist()
        raise ValueError(
            f"policy_collate_fn: sample {at}, logprob_masks[{position}] is {masks[at, position]}, expected 0 or 1"
        )


def _refuse_lengths(at: int, ids: int, mask: int, max_len: int) -> NoReturn:
    if mask != ids:
        raise ValueError(
            f"policy_collate_fn: sample {at} has {mask} logprob_masks for {ids} input_ids; "
            "the mask needs one entry per id"
        )
    raise ValueError(
        f"policy_collate_fn: sample {at} has {ids} input_ids, more than max_len={max_len}; "
        "nothing is truncated, pass at least policy_compute_max_len(samples)"
    )
