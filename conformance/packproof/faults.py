"""Names for the fault shapes one meets again and again, told from what was expected and what was got."""

import unicodedata
from collections.abc import Sequence
from typing import Any

from packproof.wording import plural

__all__ = ["name_id_fault", "name_ignored_fault", "name_length_fault", "name_mask_fault", "name_text_fault"]

_MANY = 16  # ids from which on a lost one looks like a limit


def name_length_fault(ids: int, marks: int) -> str:
    """What is wrong with a mask of another length than the ids."""
    return f"{marks} {plural(marks, 'entry', 'entries')} for {ids} {plural(ids, 'id')}"


def name_mask_fault(expected: Sequence[int], got: Sequence[int], prompt_len: int = 0) -> str:
    """The shape of a wrong mask, or an empty string when it has no name. `prompt_len` is P."""
    want, have = list(expected), list(got)
    if want == have:
        return ""
    if len(want) != len(have):
        return name_length_fault(len(want), len(have))
    if not any(have):
        return "nothing marked"
    if not any(want):
        return "marked, where nothing is to be trained"
    if have == [0, *want[:-1]]:
        return "shifted right by one"
    if have == [*want[1:], 0]:
        return "shifted left by one"
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


def name_ignored_fault(got: Sequence[int], prompt_len: int, completion_len: int, ignored: int) -> str:
    """The shape of a mask that miscounts `n_ignore_prefix_tokens`, or an empty string."""
    body, have = completion_len - ignored, list(got)
    if have == [0] * (prompt_len - 1) + [1] * completion_len + [0]:
        return "n_ignore_prefix_tokens has no effect"
    if have == [0] * (prompt_len - 1) + [1] * body + [0] * (ignored + 1):
        return "taken off the end instead of the front"
    for name, other in (("one too few", ignored - 1), ("one too many", ignored + 1)):
        mask = [0] * (prompt_len - 1 + other) + [1] * (completion_len - other) + [0]
        if 0 <= other <= completion_len and have == mask:
            return name
    return ""


def name_text_fault(expected: object, got: object) -> str:
    """The shape of wrong text, or an empty string."""
    if not isinstance(expected, str):
        return ""
    if not isinstance(got, str):
        return f"returned {type(got).__name__}"
    if got == expected:
        return ""
    if got.strip() == expected.strip():
        return "white space at the ends changed"
    if unicodedata.normalize("NFC", got) == unicodedata.normalize("NFC", expected):
        return "another Unicode normal form"
    if expected in got:
        return "something added around it"
    if got and expected.endswith(got):
        return f"missing in front: {_brief(expected.removesuffix(got))}"
    if got and expected.startswith(got):
        return f"missing at the end: {_brief(expected.removeprefix(got))}"
    return ""


def name_id_fault(expected: Sequence[int], got: Sequence[int], tokenizer: Any = None) -> str:
    """The shape of wrong ids, or an empty string; with a tokenizer also what re-tokenising would give."""
    want, have = list(expected), list(got)
    if want == have:
        return ""
    if tokenizer is not None and have and have == _again(tokenizer, want, special=False):
        return "decoded and tokenised again"
    if have and have[1:] == want and want:
        return "one id added in front" if not _special(tokenizer, have[0]) else "special token added in front"
    if tokenizer is not None and have and have == _again(tokenizer, want, special=True):
        return "decoded and tokenised again, with special tokens"
    if have and have[:-1] == want:
        return "one id added at the end" if not _special(tokenizer, have[-1]) else "special token added at the end"
    if want and have == want[:-1] and len(want) < _MANY:
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


def _brief(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:18] + "..." + text[-18:])


def _again(tokenizer: Any, ids: list[int], *, special: bool) -> list[int]:
    try:
        return list(tokenizer(tokenizer.decode(ids), add_special_tokens=special).input_ids)
    except Exception:
        return []  # ids that the tokenizer cannot decode were not decoded and tokenised again either


def _special(tokenizer: Any, id: int) -> bool:
    return tokenizer is not None and id in tokenizer.all_special_ids
