"""Names for the fault shapes one meets again and again, told from what was expected and what was got."""

from collections.abc import Sequence
from typing import Any

__all__ = ["name_id_fault", "name_mask_fault"]


def name_mask_fault(expected: Sequence[int], got: Sequence[int], prompt_len: int = 0) -> str:
    """The shape of a wrong mask, or an empty string when it has no name. `prompt_len` is P."""
    want, have = list(expected), list(got)
    if want == have:
        return ""
    if len(want) != len(have):
        return f"{len(have)} entries for {len(want)} ids"
    if have == [0, *want[:-1]]:
        return "shifted right by one"
    if have == [*want[1:], 0]:
        return "shifted left by one"
    if not any(have):
        return "nothing marked"
    if all(have):
        return "everything marked"
    if have == [1 - value for value in want]:
        return "inverted"
    first, last = want.index(1) if 1 in want else len(want), len(want) - 1 - want[::-1].index(1) if 1 in want else -1
    if prompt_len and any(have[: prompt_len - 1]) and have[first:] == want[first:]:
        return "prompt trained"
    lost = [index for index, value in enumerate(want) if value and not have[index]]
    extra = [index for index, value in enumerate(have) if value and not want[index]]
    if lost == [last] and not extra:
        return "last token lost"
    if lost and not extra and lost == list(range(first, first + len(lost))):
        return f"first {len(lost)} lost"
    if lost and not extra:
        return "tokens lost"
    if extra and not lost and min(extra) > last:
        return "trained past the completion"
    if extra and not lost and max(extra) < first:
        return "starts too early"
    return ""


def name_id_fault(expected: Sequence[int], got: Sequence[int], tokenizer: Any = None) -> str:
    """The shape of wrong ids, or an empty string; with a tokenizer also what re-tokenising would give."""
    want, have = list(expected), list(got)
    if want == have:
        return ""
    if tokenizer is not None and have and have == _again(tokenizer, want, special=False):
        return "decoded and tokenised again"
    if tokenizer is not None and have and have == _again(tokenizer, want, special=True):
        return "decoded and tokenised again, with special tokens"
    if have and have[1:] == want:
        return "one id added in front" if not _special(tokenizer, have[0]) else "special token added in front"
    if have and have[:-1] == want:
        return "one id added at the end" if not _special(tokenizer, have[-1]) else "special token added at the end"
    if want and have == want[:-1]:
        return "last id lost"
    if len(have) < len(want) and have == want[: len(have)]:
        return f"cut to {len(have)}"
    if len(have) < len(want) and have == want[len(want) - len(have) :]:
        return f"cut to the last {len(have)}"
    if len(have) > len(want) and want and have[len(have) - len(want) :] == want:
        return "something added in front"
    if len(have) == len(want) and sorted(have) == sorted(want):
        return "same ids in another order"
    return ""


def _again(tokenizer: Any, ids: list[int], *, special: bool) -> list[int]:
    try:
        return list(tokenizer(tokenizer.decode(ids), add_special_tokens=special).input_ids)
    except Exception:
        return []  # ids that the tokenizer cannot decode were not decoded and tokenised again either


def _special(tokenizer: Any, id: int) -> bool:
    return tokenizer is not None and id in tokenizer.all_special_ids
