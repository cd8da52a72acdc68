"""What checks say when they compare: each helper raises a `Violation` with both sides next to each other."""

from collections.abc import Callable, Collection, Sequence
from numbers import Integral
from typing import Any

from packproof.driver import finished
from packproof.faults import name_id_fault, name_mask_fault
from packproof.same import same
from packproof.views import PolicyView
from packproof.violation import Violation

__all__ = ["as_integer", "expect_equal", "expect_ids", "expect_mask", "expect_same_input"]


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
    call: str,
    ids: Sequence[int],
    expected: Sequence[int],
    got: Sequence[int],
    *,
    prompt_len: int = 0,
    special: Collection[int] = (),
    fault: str = "",
) -> None:
    """A mask over `ids`, equal entry by entry; `special` are the ids that a fault may have singled out."""
    if list(expected) == list(got):
        return
    if _only_special_lost(ids, expected, got, special):
        fault = fault or "special token untrained"
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


def _only_special_lost(
    ids: Sequence[int], expected: Sequence[int], got: Sequence[int], special: Collection[int]
) -> bool:
    """Whether all that is wrong is that predictions of special tokens were lost, and others were kept."""
    if len(got) != len(expected) or any(have > want for want, have in zip(expected, got, strict=True)):
        return False
    predicted = [*ids[1:], None]  # a mask that ends in a one marks a prediction of nothing
    marked = [(id, have) for id, want, have in zip(predicted, expected, got, strict=False) if want]
    lost = {id for id, have in marked if not have}
    return bool(lost) and lost <= set(special) and any(have for _, have in marked)


def expect_equal(call: str, expected: Any, got: Any, *, fault: str = "") -> None:
    """Two plain values, equal and of the same type."""
    got = finished(got, call)
    if type(expected) is type(got) and expected == got:
        return
    show = ascii if fault == "another Unicode normal form" else repr
    raise Violation.of(call, expected=_show(expected, show), got=_show(got, show), fault=fault)


def expect_same_input(call: str, first: PolicyView, second: PolicyView, fault: str) -> None:
    """Two policy inputs, equal in every field; `fault` says what differed between their calls."""
    expect_ids(call, first.ids, second.ids, fault=fault)
    expect_mask(call, first.ids, first.marks, second.marks, fault=fault)
    before, after = first.others, second.others
    for name in dict.fromkeys([*before, *after]):
        if name not in before or name not in after or not same(before[name], after[name]):
            expected, got = (_show(fields[name]) if name in fields else "absent" for fields in (before, after))
            raise Violation.of(f"{call}: {name}", expected=expected, got=got, fault=fault)


def as_integer(value: Any) -> Any:
    """An integer of NumPy as the int that it is; anything else, a bool too, as it came."""
    return int(value) if isinstance(value, Integral) and not isinstance(value, bool) else value


def _show(value: Any, show: Callable[[Any], str] = repr) -> str:
    text = show(value)
    return text if len(text) <= 400 else text[:397] + "..."
