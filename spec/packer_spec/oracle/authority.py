"""Chapter authority: ids are data, so a row is the stored prompt ids and then the sampled completion ids."""

from typing import Any

__all__ = ["row"]


def row(prompt_ids: Any, completion: Any) -> list[int]:
    """`input_ids` of the row: both streams verbatim, one after the other (AUTH-1, AUTH-2).

    `ValueError` for an empty prompt (AUTH-6), `ValueError` or `TypeError` for entries that are bools, floats or
    negative (AUTH-8) and for a completion that is no list of ids (AUTH-9). Text is no matter of this function.
    """
    prompt = _ids("prompt_ids", prompt_ids)
    if not prompt:
        raise ValueError("prompt_ids is empty; absent and empty are different")
    return prompt + _ids("completion", completion)


def _ids(name: str, given: Any) -> list[int]:
    if type(given) is not list:
        raise TypeError(f"{name} is a {type(given).__name__}, expected a list of token ids")
    for at, entry in enumerate(given):
        if type(entry) is not int:
            raise TypeError(f"{name}[{at}] is a {type(entry).__name__}, expected a token id")
        if entry < 0:
            raise ValueError(f"{name}[{at}] is {entry}, expected a token id")
    return list(given)
