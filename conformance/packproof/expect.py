"""What checks say when they compare: each helper raises a `Violation` with both sides next to each other."""

from collections.abc import Sequence
from typing import Any

from packproof.faults import name_id_fault, name_mask_fault
from packproof.views import PolicyView
from packproof.violation import Violation

__all__ = ["expect_equal", "expect_ids", "expect_mask", "expect_same_input"]


def expect_ids(
    call: str, expected: Sequence[int], got: Sequence[int], *, tokenizer: Any = None, at: int = 0, fault: str = ""
) -> None:
    """Ids of one stream, equal and in order; `at` is the position of the first one in its sequence."""
    if list(expected) == list(got):
        return
    positions = range(at, at + max(len(expected), len(got)))
    raise Violation.of(
        call,
        rows={"position": list(positions), "expected": list(expected), "got": list(got)},
        fault=fault or name_id_fault(expected, got, tokenizer),
    )


def expect_mask(
    call: str, ids: Sequence[int], expected: Sequence[int], got: Sequence[int], *, prompt_len: int = 0, fault: str = ""
) -> None:
    """A mask over `ids`, equal entry by entry."""
    if list(expected) == list(got):
        return
    raise Violation.of(
        call,
        rows={
            "position": list(range(max(len(ids), len(got)))),
            "input_ids": list(ids),
            "expected": list(expected),
            "got": list(got),
        },
        fault=fault or name_mask_fault(expected, got, prompt_len),
    )


def expect_equal(call: str, expected: Any, got: Any, *, fault: str = "") -> None:
    """Two plain values, equal and of the same type."""
    if type(expected) is type(got) and expected == got:
        return
    raise Violation.of(call, expected=_show(expected), got=_show(got), fault=fault)


def expect_same_input(call: str, first: PolicyView, second: PolicyView, fault: str) -> None:
    """Two policy inputs with equal ids and masks; `fault` says what differed between their calls."""
    expect_ids(call, first.ids, second.ids, fault=fault)
    expect_mask(call, first.ids, first.marks, second.marks, fault=fault)


def _show(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 400 else text[:397] + "..."
