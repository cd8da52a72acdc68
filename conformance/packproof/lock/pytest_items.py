"""The lock as pytest sees it: one item for each packer, and one for entries that no packer has any more."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from packer_schemas.lock import Lock
from packer_schemas.lock_report import LockFinding
from packproof.lock.compare import compare
from packproof.lock.fresh import Fresh
from packproof.lock.identity_lock import LockFile
from packproof.lock.measure import measure
from packproof.lock.report import finding_text, go_on
from packproof.subject import Subject
from packproof.wording import labelled, printable

__all__ = ["HeldLock", "LockItem", "ObsoleteItem", "lock_lines"]


@dataclass(frozen=True)
class HeldLock:
    """The lock file that a run holds its packers to.

    `folder` is the project's; `words` are those of the command that goes on from here; `complete` says that the run has
    every packer that is configured.
    """

    file: LockFile
    pinned: Lock | None
    folder: Path
    words: Sequence[str]
    complete: bool

    @classmethod
    def make(cls, path: Path, folder: Path, words: Sequence[str], *, complete: bool) -> "HeldLock":
        """The lock at `path`, read at once; `UsageError` for a file that is no lock."""
        file = LockFile(path)
        return cls(file, file.read(), folder, words, complete)

    def finding(self, subject: Subject) -> LockFinding:
        """What a packer is found to be."""
        return compare(self.pinned, measure([subject], self.folder, complete=False))[subject.label]

    def obsolete(self, labels: Sequence[str]) -> dict[str, LockFinding]:
        """The findings of entries that are none of these packers'."""
        if self.pinned is None:
            return {}
        others = {label: one for label, one in self.pinned.subjects.items() if label not in labels}
        fresh = Fresh(self.pinned.model_copy(update={"subjects": {}}))
        return compare(self.pinned.model_copy(update={"subjects": others}), fresh)

    def text(self, findings: Mapping[str, LockFinding]) -> str:
        """The findings in full, the file, and the command to go on with."""
        lines = [finding_text(label, one) for label, one in findings.items()]
        there = "" if self.pinned is not None else ", which is not there yet"
        lines += [labelled("lock", f"{self.file.path}{there}", wrap=False)]
        return "\n".join([*lines, labelled("go on", go_on(findings, self.words), wrap=False)])


class BrokenLock(Exception):
    """Carries the text of a finding to pytest's report."""


class _Item(pytest.Item):
    """An item that fails with the text of its findings; they go along with its report as plain data."""

    def __init__(self, *, held: HeldLock, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.held = held
        self.findings: dict[str, LockFinding] = {}

    def findings_now(self) -> dict[str, LockFinding]:
        """The findings by label."""
        raise NotImplementedError

    def runtest(self) -> None:
        """Find out, and fail with what does not pass."""
        self.findings = self.findings_now()
        self.user_properties += [("lock", f"{label}: {one.outcome}") for label, one in self.findings.items()]
        failing = {label: one for label, one in self.findings.items() if not one.passes}
        if failing:
            raise BrokenLock(self.held.text(failing))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Our own text for a finding; pytest's for anything else."""
        if isinstance(excinfo.value, BrokenLock):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)


class LockItem(_Item):
    """One packer against its entry."""

    def __init__(self, *, subject: Subject, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.subject = subject

    def findings_now(self) -> dict[str, LockFinding]:
        """The finding of the packer."""
        return {self.subject.label: self.held.finding(self.subject)}

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where pytest says the item is, and its headline."""
        return self.config.rootpath / self.subject.label, 0, f"{self.name} on {self.subject.label}"


class ObsoleteItem(_Item):
    """The entries without a packer; skipped where the run has not all packers, and cannot know."""

    def __init__(self, *, labels: Sequence[str], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.labels = labels
        self.complete = self.held.complete

    def findings_now(self) -> dict[str, LockFinding]:
        """The findings of obsolete entries."""
        if not self.complete:
            raise pytest.skip.Exception("an incomplete run cannot tell which entries are obsolete")
        return self.held.obsolete(self.labels)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where pytest says the item is, and its headline."""
        return self.held.file.path, 0, "obsolete entries"


def lock_lines(path: str, findings: Mapping[str, LockFinding]) -> list[str]:
    """The summary of the lock at the end of a run: the count, and what passes with a note."""
    held = [one for one in findings.values() if one.outcome != "obsolete"]
    passing = sum(one.passes for one in held)
    obsolete = len(findings) - len(held)
    more = f", {obsolete} obsolete" if obsolete else ""
    noted = [
        f"  {line}"
        for label, one in findings.items()
        if one.passes and one.notes
        for line in finding_text(label, one).splitlines()
    ]
    return [printable(f"lock {path}: {passing} of {len(held)} as pinned{more}"), *noted]
