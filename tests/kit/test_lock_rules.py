"""The rules on locks, tried on the kit's own lock and on some that nobody would write."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from packer_schemas import IdentityLock, LockCase
from packer_schemas.lock_cases import LockRow, LockSide
from packer_schemas.report import Outcome
from packproof.effort import Settings
from packproof.lock.identity_lock import KitLock
from packproof.registry import check_for
from packproof.runner import replay_case, run_check
from packproof.subject import Subject
from packproof.zoo.miniature import MiniaturePacker
from packproof.zoo.miniature_lock import MiniatureLock

CHANGED = LockCase(rows=[LockRow(now=LockSide(identity=1, behaviour=1))])


def tried(lock: Any, id: str, case: LockCase = CHANGED) -> Outcome:
    """What a rule says of a lock on one case."""
    return replay_case(check_for(id), Subject(MiniaturePacker, models=["tiny-gpt2"], lock=lock), case)


@pytest.mark.parametrize("id", ["IDENT-17", "IDENT-18"])
def test_the_kits_own_lock_keeps_the_rules(id: str) -> None:
    """Every subject has it unless it is given another, so the rules apply to all and pass at standard effort."""
    subject = Subject(MiniaturePacker, models=["tiny-gpt2"])
    assert isinstance(subject.lock, KitLock)
    assert "IdentityLock" in subject.capabilities
    outcome = run_check(check_for(id), subject, Settings.make("standard"))
    assert outcome.status == "pass", outcome
    assert outcome.cases > 50


def test_both_locks_have_the_protocol() -> None:
    """The kit's and the miniature are told by `isinstance`."""
    assert isinstance(KitLock(), IdentityLock)
    assert isinstance(MiniatureLock(), IdentityLock)
    assert not isinstance(object(), IdentityLock)


class AnswersNothing(MiniatureLock):
    """Finds out, and keeps it to itself."""

    def check(self, *given: Any, **named: Any) -> Any:
        super().check(*given, **named)


class Raises(MiniatureLock):
    """Cannot do it."""

    def check(self, *given: Any, **named: Any) -> Any:
        raise RuntimeError("no lock today")


class FindsNobody(MiniatureLock):
    """Answers with no findings at all."""

    def check(self, *given: Any, **named: Any) -> Any:
        return {}


class AddsAnEntry(MiniatureLock):
    """Writes an entry of its own beside the others."""

    def _put(self, path: Path, text: str) -> None:
        document = json.loads(text)
        document["subjects"]["zz"] = next(iter(document["subjects"].values()))
        super()._put(path, json.dumps(document))


class WritesOtherJson(MiniatureLock):
    """Writes what is no lock."""

    def _put(self, path: Path, text: str) -> None:
        super()._put(path, f"[{' ' * 99}]")


class NamesEveryProbe(MiniatureLock):
    """Says that some probe changed, and lists them all."""

    def _probes(self, then: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
        return list(now["behaviour"]["first"]) if super()._probes(then, now) else []


class AdvisesNothing(MiniatureLock):
    """Says what it found, and not what to do."""

    def _told(self, outcome: str, message: str) -> dict[str, Any]:
        return {**super()._told(outcome, message), "advice": ""}


class PassesWithADifference(MiniatureLock):
    """Tells a change by its name and lets it pass."""

    def _told(self, outcome: str, message: str) -> dict[str, Any]:
        return {**super()._told(outcome, message), "passes": True}


@pytest.mark.parametrize(
    ("lock", "id", "expected", "got"),
    [
        (AnswersNothing, "IDENT-17", "findings by label, each a mapping", "None"),
        (Raises, "IDENT-17", "an answer", "raised RuntimeError: no lock today"),
        (FindsNobody, "IDENT-17", "'both changed'", "no finding"),
        (NamesEveryProbe, "IDENT-17", "probe-changed alone is named", "probe-kept as well"),
        (AdvisesNothing, "IDENT-17", "an advice", "none"),
        (PassesWithADifference, "IDENT-17", "'both changed', passes: False", "passes: True"),
        (AddsAnEntry, "IDENT-18", "no other entries", "an entry 'zz'"),
        (WritesOtherJson, "IDENT-18", "a lock file", "none: 1 validation error for Lock"),
    ],
)
def test_odd_locks_are_told_by_what_they_do(lock: Callable[[], Any], id: str, expected: str, got: str) -> None:
    """A lock that answers nothing, raises, writes more or something else is told so, and the kit does not break."""
    outcome = tried(lock(), id)
    assert outcome.status == "fail", outcome
    assert outcome.counterexample is not None
    assert outcome.counterexample.expected == expected
    assert outcome.counterexample.got.startswith(got)


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([LockRow(), LockRow()], "it has the label 'a' twice"),
        ([LockRow(pinned=None, now=None)], "its label 'a' has neither an entry nor a packer"),
        ([LockRow()], ""),
    ],
)
def test_a_case_that_is_no_lock_is_none_of_the_rules(rows: list[LockRow], says: str) -> None:
    """A stored case with a label twice, or with nothing behind a label, is not tried."""
    subject = Subject(MiniaturePacker, models=["tiny-gpt2"])
    for id in ("IDENT-17", "IDENT-18"):
        told = check_for(id).misfit(subject, LockCase(rows=rows))
        assert told == (f"{id} is not tried on such a case: {says}" if says else "")
