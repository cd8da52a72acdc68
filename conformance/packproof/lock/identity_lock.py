"""The kit's own identity lock: checks a lock file against the packers of now, and updates it as a whole."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from packer_schemas.lock import Lock
from packer_schemas.lock_report import LockFinding
from packproof.lock.approve import Approval, ci_says, updated
from packproof.lock.compare import compare
from packproof.lock.file import lock_text, read_lock
from packproof.lock.fresh import Fresh
from packproof.storing import alone, refuse_irreplaceable, replace_file
from packproof.violation import UsageError

__all__ = ["KitLock", "LockFile"]


class LockFile:
    """A lock file by its path, which need not be there yet."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> Lock | None:
        """What is pinned; None where there is no file yet. `UnreadableLock` for a file that is no lock."""
        return read_lock(self.path)

    def check(self, fresh: Fresh) -> dict[str, LockFinding]:
        """What every packer and every entry is found to be (IDENT-17); reads only.

        `UnreadableLock` for a file that is no lock.
        """
        return compare(self.read(), fresh)

    def update(self, fresh: Fresh, approval: Approval) -> tuple[dict[str, LockFinding], str]:
        """The findings once the approved kinds are written, and what kept more from being written, if anything did.

        Under CI nothing is written, and the findings are those of `check` (IDENT-18). `UnreadableLock` as there, and
        `UsageError` where the file cannot be written; it is then as it was.
        """
        if value := ci_says():
            told = f"nothing was written, for this is CI: the environment variable CI is {value!r}"
            return self.check(fresh), f"{told}. Update at a desk, and commit the file"
        self.refuse_unwritable()
        try:
            with alone(self.path):
                pinned = self.read()
                findings = compare(pinned, fresh)
                made = updated(pinned, fresh, findings, approval)
                if made.written:
                    replace_file(self.path, lock_text(made.lock))
        except OSError as error:
            raise UsageError(f"{self.path}: cannot be written: {error.strerror}; it is as it was.") from error
        done = {"passes": True, "written": True, "advice": ""}
        for label in made.written:
            findings[label] = findings[label].model_copy(update=done)
        return findings, made.note

    def refuse_unwritable(self) -> None:
        """`UsageError` where the folder is not there, or the file is one that a rename must not go over."""
        if not self.path.parent.is_dir():
            raise UsageError(f"{self.path}: there is no folder {self.path.parent}; make it first.")
        refuse_irreplaceable(self.path, str(self.path))


class KitLock:
    """`LockFile` with plain JSON data on either side, as the protocol `IdentityLock` has it."""

    def check(self, path: str, fresh: Mapping[str, Any], complete: bool = True) -> dict[str, Any]:
        """The findings by label; `ValueError` for a file that is refused."""
        return _plain(LockFile(Path(path)).check(_fresh(fresh, complete)))

    def update(
        self, path: str, fresh: Mapping[str, Any], approve: Collection[str], reason: str = "", complete: bool = True
    ) -> dict[str, Any]:
        """The findings by label after an update; `ValueError` for a file or an approval that is refused."""
        return _plain(LockFile(Path(path)).update(_fresh(fresh, complete), Approval(tuple(approve), reason))[0])


def _fresh(document: Mapping[str, Any], complete: bool) -> Fresh:
    return Fresh(Lock.model_validate(document), complete=complete)


def _plain(findings: Mapping[str, LockFinding]) -> dict[str, Any]:
    return {label: one.model_dump(mode="json") for label, one in findings.items()}
