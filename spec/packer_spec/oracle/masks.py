"""Chapter masks: which predictions carry loss, as a function of three numbers."""

from collections.abc import Sequence

__all__ = ["mask", "selected"]


def mask(prompt_len: int, completion_len: int, ignored: int = 0) -> list[int]:
    """The mask of a row of P prompt ids and C completion ids with the first n of them left out of the loss.

    `[0] * (P - 1 + n) + [1] * (C - n) + [0]`, of length L = P + C (MASK-1 to MASK-3, MASK-5 to MASK-8). It is made from
    positions and never from ids. `ValueError` for n outside 0 to C (MASK-4), and for a prompt of no ids (AUTH-6).
    """
    if prompt_len < 1:
        raise ValueError("the prompt is empty: prompt_ids has 0 entries")
    if not 0 <= ignored <= completion_len:
        raise ValueError(f"n_ignore_prefix_tokens is {ignored}, expected 0 to {completion_len}")
    return [0] * (prompt_len - 1 + ignored) + [1] * (completion_len - ignored) + [0]


def selected(input_ids: Sequence[int], logprob_masks: Sequence[int]) -> list[int]:
    """The ids whose predictions the mask marks: the entry at i speaks of the id at i + 1 (MASK-9)."""
    return [input_ids[at + 1] for at in range(len(input_ids) - 1) if logprob_masks[at] == 1]
