"""Small parts of the kit on their own: failure text, verdict, labels, loading, witnesses, limits."""

import asyncio
import datetime as dt
import json
import os
import re
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from transformers import AutoTokenizer

from packer_schemas.cases import PolicyCase, Sample
from packer_schemas.known import KnownFailure
from packer_schemas.report import Counterexample, Outcome, Row, SubjectReport, Verdict
from packproof import limits
from packproof.failure_text import failure_text, table
from packproof.known import expired
from packproof.load import describe
from packproof.models import model_path
from packproof.option_values import label_targets
from packproof.registry import check_for
from packproof.run import Run
from packproof.runner import replay_case, run_check
from packproof.subject import Subject
from packproof.verdict import breaks_gate, verdict_of, worded
from packproof.violation import CaseTimeout, PackerExit, UsageError


def rows(count: int, difference: int, *, ids: int = 100_000) -> list[Row]:
    """A table of `count` positions whose masks differ at one of them."""
    mask = [0] * count
    got = [int(index == difference) for index in range(count)]
    streams = {"position": list(range(count)), "input_ids": [ids + index for index in range(count)]}
    return [Row(name=name, values=[*values]) for name, values in (streams | {"expected": mask, "got": got}).items()]


@pytest.mark.parametrize("difference", [0, 1, 7, 250, 498, 499])
@pytest.mark.parametrize("fault", ["", "shifted right by one", "decoded and tokenised again, with special tokens"])
def test_a_long_table_is_windowed_around_the_first_difference(difference: int, fault: str) -> None:
    """Of 500 positions as many are shown as 100 columns hold, the first difference among them and aligned."""
    lines = table(rows(500, difference), fault)
    assert max(map(len, lines)) <= 100
    position, _, expected, got = (line.split() for line in lines[:4])
    assert str(difference) in position
    assert "1" in got
    assert "1" not in expected
    at = lines[0].index(f" {difference}") + len(str(difference))
    assert lines[3][at] == "1"
    assert any("500 positions" in line for line in lines)
    assert not fault or any(fault in line for line in lines)


def test_a_short_table_is_shown_whole() -> None:
    """A table that fits is shown without dots or counts, the fault behind its last line."""
    lines = table(rows(3, 1, ids=110), "shifted right by one")
    assert lines == [
        "  position        0    1    2",
        "  input_ids     110  111  112",
        "  expected        0    0    0",
        "  got             0    1    0      <- shifted right by one",
    ]


def test_a_row_too_short_is_shown_at_its_end() -> None:
    """Where nothing is expected, the window stands where a row ends before the others."""
    lines = table([Row(name="position", values=[*range(500)]), Row(name="got", values=[0] * 480)])
    assert " 480" in lines[0]
    assert max(map(len, lines)) <= 100


def test_long_values_are_folded() -> None:
    """Long calls and values are folded into 100 columns, and the fault goes where there is room."""
    found = Counterexample(
        call=f"get_policy_input({[*range(60)]})", expected="word " * 40, got="word " * 18 + "!", fault="changed"
    )
    outcome = Outcome(requirement="MASK-2", level="MUST", status="fail", counterexample=found)
    text = failure_text(outcome, "m:f", "pytest --packer m:f")
    assert max(map(len, text.splitlines())) <= 100
    assert "changed" in text


def outcome(status: Any, level: Any = "MUST", id: str = "MASK-2") -> Outcome:
    """An outcome without more."""
    return Outcome(requirement=id, level=level, status=status, cases=3)


VERDICTS: dict[str, tuple[list[Outcome], bool, Verdict, str]] = {
    "all passed": ([outcome("pass"), outcome("not applicable")], True, "conformant", ": CONFORMANT"),
    "SHOULD broken": ([outcome("pass"), outcome("fail", "SHOULD")], True, "conformant", ": CONFORMANT"),
    "MUST broken": ([outcome("fail")], True, "not conformant", ": NOT CONFORMANT, 1 broken: MASK-2"),
    "MAY broken": ([outcome("fail", "MAY")], True, "conformant", ": CONFORMANT"),
    "known": ([outcome("known"), outcome("pass")], True, "partial", ": PARTIAL, 1 known failure"),
    "known twice": ([outcome("known"), outcome("known")], True, "partial", ": PARTIAL, 2 known failures"),
    "known SHOULD": ([outcome("known", "SHOULD")], True, "conformant", ": CONFORMANT"),
    "stale": ([outcome("stale", "SHOULD")], True, "not conformant", ": NOT CONFORMANT, 1 broken: MASK-2"),
    "not tested": ([outcome("not tested")], True, "not conformant", ": NOT CONFORMANT, 1 broken: MASK-2"),
    "nothing applies": ([outcome("not applicable")] * 2, True, "incomplete", ": no rule applies, no verdict"),
    "left out": ([outcome("pass")], False, "incomplete", ": incomplete run, no verdict"),
    "broken and left out": ([outcome("fail")], False, "incomplete", ", 1 broken: MASK-2: incomplete run, no verdict"),
    "error": (
        [outcome("error"), outcome("known")],
        True,
        "incomplete",
        ": packproof itself failed on MASK-2, no verdict",
    ),
}


@pytest.mark.parametrize("case", VERDICTS)
def test_the_verdict_and_its_words(case: str) -> None:
    """One function gives the verdict, one words it, denominator first."""
    outcomes, complete, verdict, words = VERDICTS[case]
    assert verdict_of(outcomes, complete=complete) == verdict
    text = worded(SubjectReport(label="a", target="m:f", models=[], verdict=verdict, outcomes=outcomes))
    assert text.endswith(words)
    applied = sum(one.status != "not applicable" for one in outcomes)
    assert f" of {applied} applicable rules ran, {3 * len(outcomes)} cases" in text


def test_what_turns_a_run_red() -> None:
    """A broken MUST, a stale entry and an untested claim break the gate; a broken SHOULD and a known failure do not."""
    assert [breaks_gate(outcome(status)) for status in ("fail", "stale", "not tested")] == [True] * 3
    assert not breaks_gate(outcome("fail", "SHOULD"))
    assert not any(breaks_gate(outcome(status)) for status in ("pass", "known", "not applicable", "error"))


def test_labels() -> None:
    """One packer is `packer`; several go by their factories' names unless they are labelled."""
    assert label_targets(["m.n:f"]) == {"packer": "m.n:f"}
    assert label_targets(["mine=m.n:f"]) == {"mine": "m.n:f"}
    assert label_targets(["m:f", "m.g", "h.1=m:h"]) == {"f": "m:f", "g": "m.g", "h.1": "m:h"}
    with pytest.raises(UsageError, match="give each one its own: label=n:f"):
        label_targets(["m:f", "n:f"])


def test_an_exception_is_described_in_one_line() -> None:
    """An exception reads as one line with its type, its message cut short, and the user's last frame."""
    with pytest.raises(ZeroDivisionError) as caught:
        _divide()
    assert re.fullmatch(r"ZeroDivisionError: \w.* \(test_kit_parts.py:\d+ in _divide\)", describe(caught.value))
    assert describe(ValueError("a\nb")) == "ValueError: a b"
    assert describe(KeyError()) == "KeyError:"
    assert len(describe(ValueError("x" * 900))) == 300


def _divide() -> float:
    return 1 / 0


def test_the_users_frame_is_shown_rather_than_the_librarys() -> None:
    """For an exception raised inside a library, the frame shown is the last one outside it."""
    with pytest.raises(ValueError, match="Expecting value") as caught:
        json.loads("")
    assert "(test_kit_parts.py:" in describe(caught.value)


def test_the_last_day_is_a_good_day() -> None:
    """An entry holds on its day of expiry and no longer."""
    case = PolicyCase(sample=Sample(prompt_ids=[1], completion=[2]))
    entry = KnownFailure(id="MASK-2", witness=case, reason="later", expires=dt.date(2030, 1, 31))
    assert not expired(entry, dt.date(2030, 1, 31))
    assert expired(entry, dt.date(2030, 2, 1))


class _Wild:
    """Answers every call with what `wild` does."""

    def get_policy_input(
        self, sample: Any, rollout_output: Any, n_ignore_prefix_tokens: int = 0, *, prompt_ids: Any = None
    ) -> Any:
        return self.wild()

    def wild(self) -> Any:
        raise NotImplementedError

    def policy_compute_max_len(self, processed_samples: Any) -> int:
        return 0

    def policy_collate_fn(self, processed_samples: Any, computed_max_len: int) -> dict[str, Any]:
        return {}


class _Cancelled(_Wild):
    def wild(self) -> Any:
        raise asyncio.CancelledError


class _Silent(_Wild):
    def wild(self) -> Any:
        return None


@pytest.mark.parametrize(
    ("factory", "got"),
    [
        (_Cancelled, "raised CancelledError: (test_kit_parts.py:"),
        (_Silent, "returned NoneType without input_ids"),
    ],
)
def test_whatever_a_call_does_is_a_failure_of_the_packer(factory: Any, got: str) -> None:
    """What a call raises, `BaseException` included, and an answer without streams, are failures with `crash` set."""
    found = run_check(check_for("MASK-2"), Subject(factory), Run([], []).settings)
    assert found.status == "fail"
    assert found.counterexample is not None
    assert found.counterexample.crash
    assert found.counterexample.got.startswith(got)


def test_a_replay_of_what_cannot_be_tried_is_no_pass() -> None:
    """A stored case that cannot show its rule on this packer is not applicable, and as a witness stale; not passed."""

    class TextOnly(_Silent):
        def get_rollout_input(self, item: Any) -> Any:
            return {"text": "a"}

        tokenizer = AutoTokenizer.from_pretrained(model_path("tiny-gpt2"))

    case = PolicyCase(sample=Sample(prompt="a", completion=[1]))
    found = replay_case(check_for("AUTH-4"), Subject(TextOnly), case)
    assert (found.status, found.reason) == ("not applicable", "the rollout input is not text")
    entry = KnownFailure(id="AUTH-4", witness=case, reason="later", expires=dt.date(2999, 1, 31))
    found = run_check(check_for("AUTH-4"), Subject(TextOnly), Run([], []).settings, [entry])
    assert (found.status, found.reason) == (
        "stale",
        "the witness cannot show the rule: the rollout input is not text",
    )


def test_a_limit_does_not_cut_an_import_in_two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An import inside a limit is let finish, for half a module would break later cases; then the time starts again."""
    (tmp_path / "slow_to_import.py").write_text("import time\ntime.sleep(0.5)\nwhole = True\n")
    monkeypatch.syspath_prepend(tmp_path)
    with limits.guarded(0.2):
        import slow_to_import  # pyright: ignore[reportMissingImports]
    assert slow_to_import.whole
    with pytest.raises(CaseTimeout), limits.guarded(0.2):
        time.sleep(5)


def test_a_limit_ends_a_block_and_leaves_other_alarms_alone() -> None:
    """The limit raises `CaseTimeout`, keeps `os._exit` from ending the process, and restores alarm and handler."""
    heard: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda *_: heard.append(1))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.6)
        with pytest.raises(CaseTimeout), limits.guarded(0.1):
            time.sleep(5)
        with pytest.raises(PackerExit), limits.guarded(5):
            os._exit(3)
        assert heard == []
        time.sleep(0.7)
        assert heard == [1]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
