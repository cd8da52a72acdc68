"""What the message of a refusal has to name."""

import re
from collections.abc import Collection, Sequence

from packproof.load import describe
from packproof.violation import Violation

__all__ = ["expect_numbers", "names_a_call", "numbers_in"]


def numbers_in(text: str) -> set[int]:
    """The whole numbers in a text."""
    return {int(one) for one in re.findall(r"\d+", text)}


def expect_numbers(call: str, error: BaseException, choices: Sequence[Collection[int]], wanted: str) -> None:
    """Demand that the message of an error holds all numbers of one of `choices`."""
    found = numbers_in(str(error))
    if not any(set(one) <= found for one in choices):
        missing = min(min(set(one) - found) for one in choices)
        fault = f"the message does not name {missing}"
        raise Violation.of(call, expected=wanted, got=f"raised {describe(error)}", fault=fault)


def names_a_call(text: str, others: Collection[str]) -> bool:
    """Whether a text has `name(`, with a name that is none of `others`."""
    return any(name not in others for name in re.findall(r"(\w+)\(", text))
