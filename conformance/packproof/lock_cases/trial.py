"""Tries a lock on a case: every call in a folder of its own, under a name, and with the file looked at afterwards."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from packer_schemas.lock import Lock
from packer_schemas.lock_cases import LockCase, LockRow, LockSide
from packproof.driver import Driver, finished, short
from packproof.lock_cases.documents import NOW_CORPUS, file_text, fresh_document, pinned_document
from packproof.lock_cases.expected import expected_corpus, expected_entries
from packproof.lock_cases.places import ci_set_to, full_disk, lock_folder
from packproof.subject import Subject
from packproof.violation import Violation

__all__ = ["LockTrial", "UpdateTrial", "told_sides"]

Findings = Mapping[str, Mapping[str, Any]]
_CI, _NO_CI = ("true", "1", "yes", " "), (None, "", "0", "false", "False")
"""What the environment variable CI says where this is one, and where it is none; None: it is not set."""

_REASON, _BLANK = "f\u00fcr sp\u00e4ter, \n und so", ("", " ", "\n\u3000")
_KINDS = ("new", "changed", "obsolete")
_APPROVALS = (("changed",), ("new",), ("obsolete",), _KINDS, ())


class LockTrial:
    """A lock, and the file and the packers of a case; `call` names the last call that was made."""

    def __init__(self, subject: Subject, case: LockCase) -> None:
        self.lock = subject.lock
        self.pinned = pinned_document(case.rows, case.probe_corpus)
        self.fresh = fresh_document(case.rows)
        self.driver = Driver(None, "a lock", subject.note)

    @property
    def call(self) -> str:
        """The last call."""
        return self.driver.last_call

    def checked(self, layout: str = "plain", *, complete: bool = True) -> Findings:
        """The findings of a check of the file in this layout."""
        with lock_folder(file_text(self.pinned, layout)) as path:
            return self._check(path, "" if layout == "plain" else ", the file's keys turned round", complete=complete)

    def _check(self, path: Path, told: str = "", *, complete: bool = True) -> Findings:
        call = f"check(file, fresh{'' if complete else ', complete=False'}){told}"
        return self._asked(call, lambda: self.lock.check(str(path), self.fresh, complete=complete))

    def _asked(self, call: str, run: Callable[[], Any]) -> Findings:
        with self.driver.calling(call):
            answer = finished(run(), call)
        if not isinstance(answer, Mapping) or not all(isinstance(one, Mapping) for one in answer.values()):
            raise Violation.of(call, expected="findings by label, each a mapping", got=short(answer))
        return answer


class UpdateTrial(LockTrial):
    """An update, tried where it is to write nothing, and where it is to write."""

    def __init__(self, subject: Subject, case: LockCase) -> None:
        super().__init__(subject, case)
        self.case = case
        self.text = file_text(self.pinned)

    def expect_refusal_of_what_is_no_lock(self) -> None:
        """A file that breaks off, and one of another version, are refused and left alone, whatever is asked."""
        files = {
            "half a lock": self.text[: len(self.text) // 2],
            "a lock of version 2": file_text({**self.pinned, "schema_version": 2}),
        }
        for told, text in files.items():
            with self._untouched(text) as path:
                run = partial(self.lock.check, str(path), self.fresh)
                self.driver.refuses(f"check(file, fresh), the file being {told}", run, (ValueError,))
            with self._untouched(text) as path:
                call, run = self._update(path, _KINDS)
                self.driver.refuses(f"{call}, the file being {told}", run, (ValueError,))

    def expect_reading_only(self) -> None:
        """A check writes nothing."""
        with self._untouched(self.text) as path:
            self._check(path)

    def expect_refusal_under_ci(self) -> None:
        """Nothing is written under CI, however it says that it is one; the check itself runs."""
        for value in _CI:
            with self._untouched(self.text) as path, ci_set_to(value):
                call, run = self._update(path, _KINDS)
                self._asked(f"{call} with CI={value!r}", run)

    def expect_refusal_without_reason(self) -> None:
        """A change without a reason, or with a blank one, is refused."""
        for reason in _BLANK:
            with self._untouched(self.text) as path:
                self.driver.refuses(*self._update(path, ("changed",), reason), (ValueError,))

    def expect_old_file_on_full_disk(self) -> None:
        """An update that breaks off leaves the old file."""
        with self._untouched(self.text) as path:
            call, run = self._update(path, _KINDS)
            self.driver.last_call = f"{call} on a full disk"
            with full_disk() as full, suppress(Exception):  # what it is told with is not the rule's
                if full:
                    run()

    def expect_approved_changes(self) -> None:
        """What was approved is written and nothing else, also where CI says that this is none."""
        for approve, value in zip(_APPROVALS, _NO_CI, strict=True):
            self._expect_approved_changes(approve, value, complete=True)
        self._expect_approved_changes(_KINDS, None, complete=False)

    def _expect_approved_changes(self, approve: Sequence[str], ci: str | None, *, complete: bool) -> None:
        told = "" if ci is None else f" with CI={ci!r}"
        with lock_folder(self.text) as path, ci_set_to(ci):
            before = self._check(path, complete=complete)
            call, run = self._update(path, approve, complete=complete)
            with path.open("rb") as reader:  # opened before the update, and read after it
                after = self._asked(f"{call}{told}", run)
                if reader.read() != self.text.encode():
                    got = "the new text, or parts of both: it was written over in place"
                    where = f"{self.call}; what a reader sees who had the file open"
                    raise Violation.of(where, expected="the old file", got=got)
            self._expect_written(path, approve, before, after)

    def _expect_written(self, path: Path, approve: Sequence[str], before: Findings, after: Findings) -> None:
        document = self._read(path)
        entries = document["subjects"]
        told = {label: str(one.get("outcome")) for label, one in before.items()}
        allowed = expected_entries(self.case, told, approve, _REASON)
        for row in self.case.rows:
            was, got = self.pinned["subjects"].get(row.label), entries.get(row.label)
            where = f"{self.call}; {row.label!r}: {told_sides(row, self.case)}"
            if got not in allowed[row.label]:
                raise Violation.of(where, expected=_told_of(allowed[row.label][0], was), got=_told_of(got, was))
            passes = bool(before.get(row.label, {}).get("passes")) or got != was
            if row.label in after and bool(after[row.label].get("passes")) is not passes:
                got = f"passes: {after[row.label].get('passes')!r}"
                raise Violation.of(f"{where}; its finding", expected=f"passes: {passes}", got=got)
        if extra := sorted(entries.keys() - allowed.keys()):
            raise Violation.of(self.call, expected="no other entries", got=f"an entry {extra[0]!r}")
        if path.read_bytes() != self.text.encode() and list(entries) != sorted(entries):
            raise Violation.of(self.call, expected=f"entries in order: {sorted(entries)}", got=str(list(entries)))
        corpus = expected_corpus(self.case, told, approve)
        if corpus not in (None, document["probe_corpus"]):
            where = f"{self.call}; probe_corpus, which was {self.case.probe_corpus}"
            raise Violation.of(where, expected=str(corpus), got=str(document["probe_corpus"]))

    def _read(self, path: Path) -> dict[str, Any]:
        try:
            document = json.loads(path.read_bytes())
            Lock.model_validate(document)
        except (OSError, ValueError) as error:
            got = f"none: {str(error).splitlines()[0]}"
            raise Violation.of(f"{self.call}; the file", expected="a lock file", got=got) from None
        return document

    @contextmanager
    def _untouched(self, text: str) -> Iterator[Path]:
        """A lock file with this text, which is to be as it was at the end."""
        with lock_folder(text) as path, ci_set_to(None):
            yield path
            got = path.read_bytes() if path.is_file() else None
            if got != text.encode():
                cut = got and text.encode().startswith(got)
                told = "no file" if got is None else "its first part" if cut else "another text" if got else "nothing"
                raise Violation.of(f"{self.call}; the file", expected="as it was", got=told)

    def _update(
        self, path: Path, approve: Sequence[str], reason: str = _REASON, *, complete: bool = True
    ) -> tuple[str, Callable[[], Any]]:
        """An update's name, and the update."""
        more = "" if complete else ", complete=False"
        told = f"update(file, fresh, approve={list(approve)!r}, reason={reason!r}{more})"
        return told, lambda: self.lock.update(str(path), self.fresh, list(approve), reason, complete=complete)


def told_sides(row: LockRow, case: LockCase) -> str:
    """What a row of a case holds, in words."""
    corpus = "" if case.probe_corpus == NOW_CORPUS else f" with probe corpus {case.probe_corpus}"
    return f"pinned{corpus} {_side(row.pinned)}, now {_side(row.now)}"


def _side(side: LockSide | None) -> str:
    if side is None:
        return "nothing"
    return f"(identity {side.identity}, behaviour {side.behaviour}, source {side.source})"


def _told_of(entry: Any, was: Any) -> str:
    if entry is None:
        return "no entry"
    return "the entry as it was" if entry == was else f"the packer of now, reason {entry.get('reason')!r}"
