"""What a lock is to make of a case, reckoned from the numbers of the case and not from any document."""

from collections.abc import Collection, Mapping
from typing import Any

from packer_schemas.lock_cases import LockCase, LockRow
from packproof.lock_cases.documents import NOW_CORPUS, REASON, entry

__all__ = ["expected_corpus", "expected_entries", "expected_outcome"]

_KINDS: Mapping[str, str] = {
    "missing": "new",
    "obsolete": "obsolete",
    "both changed": "changed",
    "only identity changed": "changed",
    "undeclared changed": "changed",
    "other probe corpus": "changed",
}
"""The kind of change that an outcome is of; `only behaviour changed` is of none."""


def expected_outcome(row: LockRow, probe_corpus: int, *, complete: bool = True) -> str | None:
    """The outcome of one label by IDENT-17; None where the run is not complete and cannot know.

    `probe_corpus` is that of the file.
    """
    then, now = row.pinned, row.now
    if then is None:
        return "missing"
    if now is None:
        return "obsolete" if complete else None
    if probe_corpus != NOW_CORPUS:
        return "other probe corpus"
    behaviour = then.behaviour != now.behaviour
    if then.identity is None and now.identity is None:
        return "undeclared changed" if behaviour else "same"
    if then.identity != now.identity:
        return "both changed" if behaviour else "only identity changed"
    return "only behaviour changed" if behaviour else "same"


def expected_entries(
    case: LockCase, told: Mapping[str, str], approve: Collection[str], reason: str
) -> dict[str, list[Any]]:
    """What may stand under every label after an update by IDENT-18, an entry or None for none.

    `told` are the outcomes by label that the lock itself gave before: whether they are right is IDENT-17's.
    """
    mixing = expected_corpus(case, told, approve) != NOW_CORPUS
    entries: dict[str, list[Any]] = {}
    for row in case.rows:
        then = None if row.pinned is None else entry(row.pinned, REASON)
        now = None if row.now is None else entry(row.now, "" if then is None else reason)
        takes = _takes(row, told, approve)
        entries[row.label] = [then if not takes or (now is not None and mixing) else now]
        open_ = told.get(row.label) == "same" and "changed" in approve  # a source that changed may be taken along
        if open_ or (takes and mixing and "other probe corpus" not in told.values()):
            entries[row.label] = [then, now]
    return entries


def expected_corpus(case: LockCase, told: Mapping[str, str], approve: Collection[str]) -> int | None:
    """The probe corpus of the file after an update by IDENT-18; None where it is not known."""
    if case.probe_corpus == NOW_CORPUS:
        return NOW_CORPUS
    if "other probe corpus" not in told.values():
        return None  # nothing is pinned and measured alike, or IDENT-17 speaks
    stays = any(row.pinned is not None and not _takes(row, told, approve) for row in case.rows)
    return case.probe_corpus if stays else NOW_CORPUS


def _takes(row: LockRow, told: Mapping[str, str], approve: Collection[str]) -> bool:
    return _KINDS.get(told.get(row.label, "")) in approve
