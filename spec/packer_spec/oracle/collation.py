"""Chapter collation: rows of different lengths, filled up on the right to one width."""

from collections.abc import Mapping, Sequence

__all__ = ["Batch", "Sample", "batch", "longest"]

Sample = Mapping[str, Sequence[int]]
"""A policy input: `input_ids` and `logprob_masks`, of equal length L_i."""

Batch = dict[str, list[list[int]]]
"""`input_ids`, int64, and `logprob_masks`, bool written as 0 and 1; both `[B, max_len]` (COLL-1, COLL-2)."""


def longest(samples: Sequence[Sample]) -> int:
    """`policy_compute_max_len`: the length of the longest sample, for one sample or more (COLL-15)."""
    return max(len(sample["input_ids"]) for sample in samples)


def batch(samples: Sequence[Sample], max_len: int, pad_token_id: int) -> Batch:
    """`policy_collate_fn`: every row is a sample's ids and mask, then pad ids and zeros up to `max_len`.

    So filler stands on the right (COLL-3 to COLL-7), rows do not depend on one another (COLL-8, COLL-9), and one sample
    makes one row (COLL-10). `ValueError` for zero samples (COLL-11) and for a sample longer than `max_len` (COLL-12).
    """
    if not samples:
        raise ValueError("there are 0 samples to collate")
    for at, sample in enumerate(samples):
        length = len(sample["input_ids"])
        if length > max_len:
            raise ValueError(f"sample {at} has {length} input_ids, more than max_len {max_len}")
    return {
        "input_ids": [_filled(sample["input_ids"], max_len, pad_token_id) for sample in samples],
        "logprob_masks": [_filled(sample["logprob_masks"], max_len, 0) for sample in samples],
    }


def _filled(values: Sequence[int], width: int, filler: int) -> list[int]:
    return list(values) + [filler] * (width - len(values))
