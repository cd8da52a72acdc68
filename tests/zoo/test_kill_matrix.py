"""The kill matrix itself: what counts as a kill, what as a hole, and how it reads."""

from dataclasses import replace

import pytest
from failures import run_at

from packproof import kill_matrix
from packproof.kill_matrix import KillMatrix, render, selftest, size_of
from packproof.zoo import Member, member
from packproof.zoo.masks import MaskShiftedRight
from packproof.zoo.miniature import MiniaturePacker


class Crashes(MiniaturePacker):
    """Raises where it should answer."""

    def _mask(self, prompt_len: int, completion_len: int, ignored: int) -> list[int]:
        raise RuntimeError("no mask today")


def test_a_member_that_nothing_is_wrong_with_survives() -> None:
    """A declared fault that does not show is a hole."""
    result = run_at(0, Member("idle", MiniaturePacker, ("MASK-2",)))
    assert [(cell.requirement, cell.verdict) for cell in result.holes] == [("MASK-2", "survived")]


def test_a_crash_is_not_a_kill() -> None:
    """A packer that raises is caught, but not by the rule it was planted for."""
    result = run_at(0, Member("crashes", Crashes, ("MASK-2",)))
    assert [cell.verdict for cell in result.named] == ["crashed"]


def test_a_fault_that_trips_another_rule_is_a_hole() -> None:
    """A member that names the wrong rule gets two holes: one not caught, one tripped."""
    result = run_at(0, Member("misnamed", MaskShiftedRight, ("MASK-8",)))
    assert [(cell.requirement, cell.verdict) for cell in result.holes] == [
        ("MASK-8", "survived"),
        ("MASK-2", "tripped"),
    ]


def test_a_must_without_a_fault_of_its_own_is_a_hole() -> None:
    """A matrix without a member for some MUST is not matrix.ok and names that rule."""
    matrix = KillMatrix(0, "standard", (run_at(0, member("mask-shifted-right")),))
    assert not matrix.ok
    assert "MASK-2" not in matrix.uncovered
    assert "HOLE  MASK-3  no planted fault is caught by this rule alone" in render(matrix)


def test_size_counts_the_ids_of_the_smallest_counterexample() -> None:
    """Two prompt ids and one completion id are enough to show a shifted mask."""
    (cell,) = run_at(0, member("mask-shifted-right")).named
    assert cell.outcome is not None
    assert (cell.size, size_of(cell.outcome)) == (3, 3)


@pytest.fixture
def small_zoo(monkeypatch: pytest.MonkeyPatch) -> None:
    """A zoo of one."""
    monkeypatch.setattr(kill_matrix, "members", lambda: (member("mask-shifted-right"),))
    monkeypatch.setattr(kill_matrix, "good_members", lambda: ())


def test_selftest_says_that_the_kit_bites(small_zoo: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without holes the selftest is sound, and its text has a line per member and the counts."""
    monkeypatch.setattr(KillMatrix, "uncovered", ())
    text, matrix = selftest(seed=3)
    assert matrix.ok
    lines = text.splitlines()
    assert lines[0].split() == ["mask-shifted-right", "MASK-2", "case", "1,", "size", "3", "ok"]
    assert lines[2] == "1 planted fault against 1 rule, at seed 3 and standard effort: 1 of 1 killed."
    assert lines[-1] == "The kit bites."


def test_selftest_reports_progress_line_by_line(small_zoo: None) -> None:
    """With a progress function the member lines go there as they come, and not into the text."""
    seen: list[str] = []
    text, matrix = selftest(seed=3, progress=seen.append)
    assert [line.split()[0] for line in seen] == ["mask-shifted-right"]
    assert "mask-shifted-right" not in text
    assert not matrix.ok


def test_a_hole_is_told_in_words(small_zoo: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hole's line names the member, the rule and what was seen."""
    bad = replace(member("mask-shifted-right"), breaks=("MASK-8",))
    monkeypatch.setattr(kill_matrix, "members", lambda: (bad,))
    text, _ = selftest()
    assert "HOLE  mask-shifted-right  MASK-8 was not caught" in text
    assert "MASK-2 was tripped by a fault that does not break it" in text
    assert text.endswith("The kit has holes.")
