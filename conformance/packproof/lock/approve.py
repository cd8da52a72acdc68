"""Which findings an update takes, and the lock that comes of it; nothing here reads or writes a file."""

import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from packer_schemas.lock import Lock, LockedSubject
from packer_schemas.lock_report import LockFinding, LockOutcome
from packproof.lock.fresh import Fresh
from packproof.lock.words import listing
from packproof.violation import UsageError

__all__ = ["KINDS", "Approval", "Update", "ci_says", "kinds_of", "updated"]

KINDS = ("new", "changed", "obsolete")
"""What an update can approve."""

_KIND: Mapping[LockOutcome, str] = {
    "missing": "new",
    "obsolete": "obsolete",
    "both changed": "changed",
    "only identity changed": "changed",
    "undeclared changed": "changed",
    "other probe corpus": "changed",
    "other models": "changed",
}
"""The kind that takes an outcome; what is not here no update takes."""


class RefusedApproval(UsageError, ValueError):
    """An approval that is none: another kind, or a change without a reason (IDENT-18)."""


@dataclass(frozen=True)
class Approval:
    """The kinds of change that were approved, and why."""

    kinds: Collection[str] = ()
    reason: str = ""

    def __post_init__(self) -> None:
        if strange := [kind for kind in self.kinds if kind not in KINDS]:
            raise RefusedApproval(f"--update {strange[0]!r}: expected {', '.join(KINDS)}, or several of them.")
        try:
            self.reason.encode()
        except UnicodeEncodeError:
            raise RefusedApproval("--reason: expected text, got bytes that are no UTF-8.") from None
        if "changed" in self.kinds and not self.reason.strip():
            raise RefusedApproval("--update changed: needs --reason, which is kept in every entry that changes.")


@dataclass(frozen=True)
class Update:
    """What an update came to: the lock as it is to be, the labels written or removed, and what kept it from more."""

    lock: Lock
    written: frozenset[str] = field(default_factory=frozenset)
    note: str = ""


def ci_says() -> str:
    """The value of the environment variable `CI` where it means that this is one, else an empty text (IDENT-18)."""
    value = os.environ.get("CI", "")
    return "" if value.lower() in ("", "0", "false") else value


def kinds_of(findings: Iterable[LockFinding]) -> list[str]:
    """The kinds that would have to be approved for these findings to pass, as far as an update takes them."""
    needed = {_KIND.get(one.outcome) for one in findings if not one.passes}
    return [kind for kind in KINDS if kind in needed]


def updated(pinned: Lock | None, fresh: Fresh, findings: Mapping[str, LockFinding], approval: Approval) -> Update:
    """The lock with the approved changes, entries of other kinds as they were (IDENT-18).

    An entry that passes with a note counts as changed. All entries of a lock are of one probe corpus: where that of
    `fresh` is another one, its entries are written only when no old entry stays.
    """
    old = {} if pinned is None else dict(pinned.subjects)
    gone = {label for label, one in findings.items() if one.outcome == "obsolete" and "obsolete" in approval.kinds}
    entries = {label: entry for label, entry in old.items() if label not in gone}
    taken = {}
    for label, one in findings.items():
        now = fresh.lock.subjects.get(label)
        if now is None:
            continue
        if one.outcome == "missing" and "new" in approval.kinds:
            taken[label] = now
        elif label in old and "changed" in approval.kinds and _takes(one, old[label], now):
            taken[label] = now.model_copy(update={"reason": approval.reason})
    note, corpus = "", fresh.lock.probe_corpus
    stay = sorted(entries.keys() - taken.keys())
    if pinned is not None and pinned.probe_corpus != corpus and stay:
        if taken:
            told = f"{listing(stay)} would stay with probe corpus {pinned.probe_corpus}"
            note = f"nothing was pinned with probe corpus {corpus}, for {told}, and a lock has one for all its entries"
        taken, corpus = {}, pinned.probe_corpus
    written = frozenset(taken) | gone
    if not written:
        return Update(pinned or fresh.lock, note=note)
    subjects = entries | taken
    return Update(fresh.lock.model_copy(update={"subjects": subjects, "probe_corpus": corpus}), written, note)


def _takes(finding: LockFinding, old: LockedSubject, now: LockedSubject) -> bool:
    if finding.outcome == "same":
        return old != now.model_copy(update={"reason": old.reason})
    return _KIND.get(finding.outcome) == "changed"
