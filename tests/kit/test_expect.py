"""How two masks are compared, and when a fault is named after special tokens."""

from typing import Any

import pytest
from user_packers import Plain

from packproof import check_packer
from packproof.expect import expect_mask
from packproof.violation import Violation

END = 3
MASKS: dict[str, tuple[list[int], list[int], str]] = {
    "only the end": ([0, 1, 1, 0], [0, 1, 0, 0], "special token untrained"),
    "everything": ([0, 0, 1, 0], [0, 0, 0, 0], "nothing marked"),
    "the end, and one too many": ([0, 1, 1, 0], [1, 1, 0, 0], "shifted left by one"),
    "another token": ([0, 1, 1, 0], [0, 0, 1, 0], "first 1 lost"),
    "a one at the last position": ([0, 1, 1, 1], [0, 1, 1, 0], "last token lost"),
    "too short": ([0, 1, 1, 0], [0, 1, 0], "3 entries for 4 ids"),
    "one entry": ([0, 1, 1, 0], [0], "1 entry for 4 ids"),
}


@pytest.mark.parametrize("case", MASKS)
def test_special_tokens_are_blamed_only_where_they_alone_were_lost(case: str) -> None:
    """A mask that lost more than predictions of special tokens, or all it had, gets another name."""
    expected, got, fault = MASKS[case]
    with pytest.raises(Violation) as caught:
        expect_mask("call", [110, 120, 121, END], expected, got, special=[END])
    assert caught.value.counterexample.fault == fault


class WrongAtEverySeventh(Plain):
    """Marks the last position, which predicts nothing, at every seventh call."""

    made = 0

    def mask(self, prompt: int, completion: int, ignored: int) -> list[int]:
        WrongAtEverySeventh.made += 1
        right = super().mask(prompt, completion, ignored)
        return right if WrongAtEverySeventh.made % 7 else [*right[:-1], 1]


def test_a_mark_at_the_last_position_is_the_packers_fault() -> None:
    """A packer that marks the last position now and then fails its rule, and does not break the kit."""
    words: dict[str, Any] = {"select": ["AUTH-7"], "raise_on_failure": False}
    [outcome] = check_packer(WrongAtEverySeventh, **words).subjects[0].outcomes
    assert outcome.status == "fail"
    assert outcome.counterexample is not None
    assert outcome.counterexample.fault.endswith("read differently, but not every time")


def test_a_bug_of_the_kit_is_named_where_the_packer_wavers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bug of the kit that does not show every time is told as it is, and not as a flaky case."""
    calls: list[int] = []

    def broken(self: Any, *_: Any) -> None:
        calls.append(1)
        if len(calls) == 7:
            raise KeyError("a bug of the kit")

    monkeypatch.setattr("packproof.checks.masks._expect_formula", broken)
    report = check_packer(Plain, select=["MASK-2"], raise_on_failure=False)
    [outcome] = report.subjects[0].outcomes
    assert outcome.status == "error"
    assert "KeyError: 'a bug of the kit'" in outcome.reason
    assert "unreliable" not in outcome.reason
