"""Faults of the lock: it compares too little or too much, or it writes what nobody approved."""

import json
import shutil
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from packproof.zoo.member import fault
from packproof.zoo.miniature_lock import Entry, Finding, MiniatureLock

__all__: list[str] = []


@fault("IDENT-17")
class IdentityAloneCompared(MiniatureLock):
    """Only what is declared is compared, so a template that the declaration forgot changes and nothing is red."""

    def _probes(self, then: Entry, now: Entry) -> list[str]:
        return []


@fault("IDENT-17")
class BehaviourAloneCompared(MiniatureLock):
    """Only outputs are compared: a field that the probes do not reach changes, and old checkpoints stop to resume."""

    def _fields(self, then: Entry, now: Entry) -> list[str]:
        return []


@fault("IDENT-17")
class AnyChangeIsALineage(MiniatureLock):
    """Every difference is told as a new lineage, so nobody learns that a declaration is too narrow or too wide."""

    def _outcome(self, identity: bool, behaviour: bool, declared: bool) -> str:
        return "both changed" if identity or behaviour else "same"


@fault("IDENT-17")
class UndeclaredIsTooNarrow(MiniatureLock):
    """A packer that declares nothing is told that it declares too little, and can never be updated."""

    def _outcome(self, identity: bool, behaviour: bool, declared: bool) -> str:
        return super()._outcome(identity, behaviour, declared=True)


@fault("IDENT-17")
class FirstModelCompared(MiniatureLock):
    """Of several models only the first is compared."""

    def _finding(self, then: Entry | None, now: Entry | None, same_corpus: bool) -> Finding:
        first, second = (side and {**side, "models": side["models"][:1]} for side in (then, now))
        return super()._finding(first, second, same_corpus)


@fault("IDENT-17")
class LayoutCompared(MiniatureLock):
    """Entries are compared as text, so a formatter that turns the keys round makes every packer a changed one."""

    def _probes(self, then: Entry, now: Entry) -> list[str]:
        before, after = (json.dumps(side["behaviour"]) for side in (then, now))
        return [] if before == after else super()._probes(then, now) or ["probe-changed"]


@fault("IDENT-17")
class SourceDecides(MiniatureLock):
    """A comment in the class counts as a change, so people learn to update without looking."""

    def _with_source(self, outcome: str, same_source: bool) -> str:
        return "both changed" if outcome == "same" and not same_source else outcome


@fault("IDENT-17")
class OtherCorpusCompared(MiniatureLock):
    """Digests of two probe corpora are compared, so an upgrade of the tool reads as a fault of every packer."""

    def _same_corpus(self, then: int, now: int) -> bool:
        return True


@fault("IDENT-17")
class ObsoleteIgnored(MiniatureLock):
    """An entry without a packer passes in silence, and so does a packer that was renamed by mistake."""

    def _labels(self, then: Collection[str], now: Collection[str], complete: bool) -> list[str]:
        return sorted(now)


@fault("IDENT-17")
class ObsoleteOnEveryRun(MiniatureLock):
    """A run of one packer of three calls the other two obsolete."""

    def _labels(self, then: Collection[str], now: Collection[str], complete: bool) -> list[str]:
        return sorted({*then, *now})


@fault("IDENT-17")
class DigestsWithoutFields(MiniatureLock):
    """The message says that the identity changed and leaves it to the reader to find out where."""

    def _fields(self, then: Entry, now: Entry) -> list[str]:
        return ["the identity changed"] if super()._fields(then, now) else []


@fault("IDENT-18")
class HealsItself(MiniatureLock):
    """A check writes what it found, so the run after the fault is green."""

    def check(self, path: str, fresh: Mapping[str, Any], complete: bool = True) -> dict[str, Finding]:
        """As the miniature, and the file follows."""
        found = super().check(path, fresh, complete)
        if not all(one["passes"] for one in found.values()):
            self._put(Path(path), self._text(fresh))
        return found


@fault("IDENT-18")
class NewTakesAll(MiniatureLock):
    """An update that approves new entries writes the whole file anew, changed entries among them."""

    def _takes(self, finding: Finding, approve: Collection[str]) -> bool:
        return super()._takes(finding, (*approve, "changed") if "new" in approve else approve)


@fault("IDENT-18")
class TooNarrowTaken(MiniatureLock):
    """An update takes behaviour that changed under the same identity, and old checkpoints resume into it."""

    def _takes(self, finding: Finding, approve: Collection[str]) -> bool:
        narrow = finding["outcome"] == "only behaviour changed" and "changed" in approve
        return narrow or super()._takes(finding, approve)


@fault("IDENT-18")
class ObsoleteGoesAlong(MiniatureLock):
    """An update of anything also removes the entries that no packer matches."""

    def _takes(self, finding: Finding, approve: Collection[str]) -> bool:
        return super()._takes(finding, (*approve, "obsolete") if approve else approve)


@fault("IDENT-18")
class WritesUnderCi(MiniatureLock):
    """CI is a machine like any other, and updates what it was told to."""

    def _is_ci(self, value: str) -> bool:
        return False


@fault("IDENT-18")
class OnlyTrueIsCi(MiniatureLock):
    """Only `CI=true` counts, and some services say `1`."""

    def _is_ci(self, value: str) -> bool:
        return value == "true"


@fault("IDENT-18")
class AnyValueIsCi(MiniatureLock):
    """`CI=false`, as a developer's machine has it, counts as one, and nothing can be updated there."""

    def _is_ci(self, value: str) -> bool:
        return bool(value)


@fault("IDENT-18")
class BlankReasonAccepted(MiniatureLock):
    """A reason of spaces is a reason."""

    def _check_reason(self, reason: str) -> None:
        if not reason:
            super()._check_reason(reason)


@fault("IDENT-18")
class ReasonLost(MiniatureLock):
    """A reason is asked for, and not kept."""

    def _take(
        self, entries: dict[str, Any], label: str, finding: Finding, now: Mapping[str, Entry], reason: str
    ) -> None:
        super()._take(entries, label, finding, now, "")


@fault("IDENT-18")
class WritesInPlace(MiniatureLock):
    """The file is opened and written over, so a reader finds half of it, and so does the next run after a crash."""

    def _put(self, path: Path, text: str) -> None:
        path.write_text(text, encoding="utf-8")


@fault("IDENT-18")
class CopiedOver(MiniatureLock):
    """The new text is written beside the file and then copied over it, so a reader finds parts of both."""

    def _put(self, path: Path, text: str) -> None:
        beside = path.with_suffix(".new")
        try:
            beside.write_text(text, encoding="utf-8")
            shutil.copyfile(beside, path)
        finally:
            beside.unlink(missing_ok=True)


@fault("IDENT-18")
class RemovesFirst(MiniatureLock):
    """The old file is removed before the new one is written, and a full disk leaves neither."""

    def _put(self, path: Path, text: str) -> None:
        path.unlink()
        super()._put(path, text)


@fault("IDENT-18")
class PassesOnceAsked(MiniatureLock):
    """After an update every entry passes, those that were not approved among them."""

    def update(
        self, path: str, fresh: Mapping[str, Any], approve: Collection[str], reason: str = "", complete: bool = True
    ) -> dict[str, Finding]:
        """As the miniature, and all is well."""
        found = super().update(path, fresh, approve, reason, complete)
        return {label: {**one, "passes": True} for label, one in found.items()}


@fault("IDENT-18")
class EntriesInOrderOfArrival(MiniatureLock):
    """Entries stand as they came, so two people who pin the same packers get two files."""

    def _sorted(self, entries: dict[str, Any]) -> dict[str, Any]:
        return entries


@fault("IDENT-18")
class BrokenFileReplaced(MiniatureLock):
    """A file that does not parse counts as none, and the next update writes over what a merge left in it."""

    def _read(self, path: str) -> dict[str, Any]:
        try:
            return super()._read(path)
        except json.JSONDecodeError:
            return {"subjects": {}, "probe_corpus": 1}


@fault("IDENT-18")
class OtherVersionRead(MiniatureLock):
    """A file of another layout is read as far as its fields have the names of this one."""

    def _expect_version(self, version: int) -> None:
        """Take it."""


@fault("IDENT-18")
class CorpusNumberKept(MiniatureLock):
    """All entries are renewed on other probes, and the number of the old ones stands above them."""

    def _put(self, path: Path, text: str) -> None:
        number = json.loads(path.read_text(encoding="utf-8"))["probe_corpus"]
        super()._put(path, self._text({**json.loads(text), "probe_corpus": number}))


@fault("IDENT-18")
class CorporaMixed(MiniatureLock):
    """Entries of two probe corpora are put into one file, under the number of the old one."""

    def _may_mix(self, then: int, now: int) -> bool:
        return True
