"""Chapter identity, the lock: how entries and packers compare, and what an update may write."""

from collections.abc import Mapping
from typing import Any

from packer_schemas.lock_cases import LockCase, LockRow
from packproof.driver import short
from packproof.lock_cases.documents import FIELD, NOW_CORPUS, PROBES
from packproof.lock_cases.expected import expected_outcome
from packproof.lock_cases.strategies import locks
from packproof.lock_cases.trial import LockTrial, UpdateTrial, told_sides
from packproof.registry import check
from packproof.subject import Subject
from packproof.violation import Violation


@check("IDENT-17", cases=locks)
def ident_17(subject: Subject, case: LockCase) -> None:
    """A lock check tells apart the four combinations of same and changed identity with same and changed behaviour."""
    trial = LockTrial(subject, case)
    for layout in ("plain", "other"):
        for complete in (True, False):
            found = trial.checked(layout, complete=complete)
            for row in case.rows:
                where = f"{trial.call}; {row.label!r}: {told_sides(row, case)}"
                wanted = expected_outcome(row, case.probe_corpus, complete=complete)
                _expect_finding(where, wanted, found.get(row.label))
                if wanted is not None:
                    _expect_told(where, row, case.probe_corpus, found[row.label])


@check("IDENT-18", cases=locks)
def ident_18(subject: Subject, case: LockCase) -> None:
    """A lock file is written only when asked, for the approved kinds of change only, never under CI, and as a whole."""
    trial = UpdateTrial(subject, case)
    trial.expect_refusal_of_what_is_no_lock()
    trial.expect_reading_only()
    trial.expect_refusal_under_ci()
    trial.expect_refusal_without_reason()
    trial.expect_old_file_on_full_disk()
    trial.expect_approved_changes()


def _expect_finding(where: str, wanted: str | None, told: Mapping[str, Any] | None) -> None:
    """The outcome of one label, and whether it passes; no finding where none can be known."""
    if wanted is None and told is None:
        return
    got = "no finding" if told is None else repr(told.get("outcome"))
    if wanted is None or told is None or told.get("outcome") != wanted:
        expected = "no finding, for not every packer is there" if wanted is None else repr(wanted)
        raise Violation.of(where, expected=expected, got=got)
    if told.get("passes") is not (wanted == "same"):
        expected = f"{wanted!r}, passes: {wanted == 'same'}"
        raise Violation.of(where, expected=expected, got=f"passes: {told.get('passes')!r}")


def _expect_told(where: str, row: LockRow, corpus: int, told: Mapping[str, Any]) -> None:
    """The finding says what differs, by field and by probe, and what to do about it."""
    text, wanted = f"{told.get('message', '')} {told.get('advice', '')}", []
    if told["outcome"] != "same" and not told.get("advice"):
        raise Violation.of(where, expected="an advice", got="none")
    then, now = row.pinned, row.now
    if then is not None and now is not None:
        if then.identity != now.identity:
            one_sided = None in (then.identity, now.identity)
            wanted.append(FIELD.partition(".")[0] if one_sided else f"{FIELD}: {then.identity} -> {now.identity}")
        if then.source != now.source:
            wanted.append("source")
        if corpus == NOW_CORPUS and then.behaviour != now.behaviour:
            wanted.append(PROBES[1])
            if PROBES[0] in text:
                raise Violation.of(where, expected=f"{PROBES[1]} alone is named", got=f"{PROBES[0]} as well")
            if then.identity is None and now.identity is None:
                wanted.append("no identity is declared")
    absent = [one for one in wanted if one not in text]
    if absent:
        raise Violation.of(where, expected=f"a finding that says {absent[0]!r}", got=short(text.strip()))
