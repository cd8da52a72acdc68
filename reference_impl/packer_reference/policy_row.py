"""One row of a decoder-only model: prompt ids, completion ids, and the mask over next-token predictions."""

import operator
from typing import Any

from packer_schemas import RLPolicyInput

__all__ = ["ignored_prefix", "policy_row"]


def policy_row(prompt: list[int], completion: list[int], n_ignore_prefix_tokens: Any, where: str) -> RLPolicyInput:
    """The policy input of checked ids, in lists of its own.

    With P prompt ids, C completion ids and n ignored ones the mask is `[0]*(P-1+n) + [1]*(C-n) + [0]`. P is at least 1.
    Raises as `ignored_prefix` does. Spec: masks, MASK-1 to MASK-6.
    """
    ignored = ignored_prefix(n_ignore_prefix_tokens, len(completion), where)
    mask = [0] * (len(prompt) - 1 + ignored)
    mask += [1] * (len(completion) - ignored)
    mask.append(0)
    # Unvalidated construction: everything was checked before, and validating each id again costs more than the rest.
    return RLPolicyInput.model_construct(
        None,
        input_ids=prompt + completion,
        logprob_masks=mask,
        forward_routing=None,
        mm_kwargs={},
        mm_units={},
        mm_ranges={},
    )


def ignored_prefix(given: Any, completion_length: int, where: str) -> int:
    """n, once it is an integer from 0 to C; `TypeError` or `ValueError` that begins with `where`. Spec: MASK-4."""
    if isinstance(given, bool):
        raise TypeError(f"{where}: n_ignore_prefix_tokens is {given}, expected a number of tokens")
    try:
        ignored = operator.index(given)
    except TypeError:
        raise TypeError(f"{where}: n_ignore_prefix_tokens is {given!r}, expected an integer") from None
    if not 0 <= ignored <= completion_length:
        raise ValueError(
            f"{where}: n_ignore_prefix_tokens is {ignored}, expected 0 to {completion_length}, "
            f"the completion's {completion_length} tokens"
        )
    return ignored
