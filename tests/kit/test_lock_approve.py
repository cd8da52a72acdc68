"""Which changes an update takes, and what it makes of a lock."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from lock_entries import entry, fresh, lock

from packer_schemas import Lock
from packproof.lock.approve import Approval, Update, ci_says, updated
from packproof.lock.compare import compare
from packproof.lock.file import lock_text, read_lock
from packproof.lock.fresh import Fresh, NotMeasured
from packproof.lock.identity_lock import LockFile
from packproof.lock_cases.places import full_disk
from packproof.violation import UsageError

BOTH, NARROW = entry({"tiny": (1, 1)}), entry({"tiny": (0, 1)})
ALL = ("new", "changed", "obsolete")


def update(pinned: Lock | None, now: Fresh, *kinds: str, reason: str = "") -> Update:
    """The update of these kinds."""
    return updated(pinned, now, compare(pinned, now), Approval(kinds, reason or "why" * ("changed" in kinds)))


@pytest.fixture(autouse=True)
def at_a_desk(monkeypatch: pytest.MonkeyPatch) -> None:
    """No CI, wherever the tests run."""
    monkeypatch.delenv("CI", raising=False)


@pytest.mark.parametrize(
    ("kinds", "written"),
    [
        ((), ""),
        (("new",), "n"),
        (("changed",), "c"),
        (("obsolete",), "o"),
        (("new", "obsolete"), "no"),
        (ALL, "cno"),
    ],
)
def test_an_update_takes_what_was_approved(kinds: Sequence[str], written: str) -> None:
    """Each kind by itself; entries of the others stay as they were, and the dangerous case stays always."""
    pinned = lock(c=entry(reason="before"), o=entry(reason="before"), s=entry(reason="before"), x=entry())
    made = update(pinned, fresh(c=BOTH, n=entry(), s=entry(), x=NARROW), *kinds)
    assert made.written == set(written)
    expected = dict(pinned.subjects)
    if "n" in written:
        expected["n"] = entry()
    if "c" in written:
        expected["c"] = entry({"tiny": (1, 1)}, reason="why")
    if "o" in written:
        del expected["o"]
    assert made.lock.subjects == expected


def test_the_head_is_the_writers() -> None:
    """Versions are renewed with a write, and only with one."""
    pinned = lock(a=entry()).model_copy(update={"versions": {"python": "2.7"}})
    assert update(pinned, fresh(a=entry()), *ALL).lock == pinned
    assert update(pinned, fresh(a=entry(), b=entry()), "new").lock.versions == {"python": "3.11.7"}


def test_what_was_noted_goes_along_with_changed() -> None:
    """A source or a target that is another one is renewed by `changed`, and by nothing else; equal entries stay."""
    pinned = lock(a=entry(reason="before"), b=entry(reason="before"))
    now = fresh(a=entry(source="1" * 64, target="n:g"), b=entry())
    assert update(pinned, now, "new", "obsolete").written == frozenset()
    made = update(pinned, now, "changed")
    assert made.written == {"a"}
    assert made.lock.subjects["a"] == entry(source="1" * 64, target="n:g", reason="why")
    assert made.lock.subjects["b"].reason == "before"


def test_a_reason_is_kept_as_it_was_given() -> None:
    """The reason stands in every entry changed, and in no first entry."""
    made = update(lock(a=entry()), fresh(a=BOTH, b=entry()), *ALL, reason=" für später ")
    assert {label: one.reason for label, one in made.lock.subjects.items()} == {"a": " für später ", "b": ""}


@pytest.mark.parametrize("reason", ["", " ", "\n\t\u3000"])
def test_a_change_without_a_reason_is_refused(reason: str) -> None:
    """Nothing but white space is no reason."""
    with pytest.raises(UsageError, match="--update changed: needs --reason"):
        Approval(("new", "changed"), reason)
    assert Approval(("new",), reason).kinds == ("new",)


def test_what_is_no_kind_and_no_text_is_refused() -> None:
    """Another word for a kind, and a reason of bytes that no file can hold."""
    with pytest.raises(ValueError, match=r"--update 'chnged': expected new, changed, obsolete"):
        Approval(("chnged",))
    with pytest.raises(ValueError, match="bytes that are no UTF-8"):
        Approval(("changed",), "why\udcff")


def test_another_corpus_is_renewed_as_a_whole() -> None:
    """`changed` renews all entries at once; the number follows."""
    pinned = lock(1, a=entry(), b=entry())
    made = update(pinned, fresh(2, a=NARROW, b=entry()), "changed")
    assert made.written == {"a", "b"}
    assert made.lock.probe_corpus == 2


@pytest.mark.parametrize(
    ("now", "kinds", "says"),
    [
        (fresh(2, a=entry(), c=entry()), ("new",), "a and b"),
        (fresh(2, a=entry()), ("changed", "new"), "b"),
        (fresh(2, complete=False, a=entry()), ALL, "b"),
        (Fresh(lock(2, a=entry()), {"b": NotMeasured("m:f", [], "it raised")}), ALL, "b"),
    ],
)
def test_two_corpora_are_never_mixed(now: Fresh, kinds: Sequence[str], says: str) -> None:
    """Where an entry would stay with the old corpus, nothing of the new one is written, and the update says why."""
    pinned = lock(1, a=entry(), b=entry())
    made = update(pinned, now, *kinds)
    assert (made.lock, made.written) == (pinned, frozenset())
    assert f"{says} would stay with probe corpus 1" in made.note


def test_what_goes_from_an_old_corpus_may_go_alone() -> None:
    """An obsolete entry is removed from a lock of another corpus, and with the last one the number follows."""
    pinned = lock(1, a=entry(), b=entry())
    alone = update(pinned, fresh(2, a=entry()), "obsolete")
    assert (alone.written, alone.lock.probe_corpus) == ({"b"}, 1)
    swapped = update(pinned, fresh(2, c=entry()), "obsolete", "new")
    assert (swapped.written, list(swapped.lock.subjects), swapped.lock.probe_corpus) == ({"a", "b", "c"}, ["c"], 2)


@pytest.mark.parametrize("value", ["true", "1", "yes", "TRUE", "no", " "])
def test_under_ci_an_update_is_a_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    """Whatever CI says, the file is as it was or still not there, and the findings are those of a check."""
    monkeypatch.setenv("CI", value)
    file = LockFile(tmp_path / "lock.json")
    findings, note = file.update(fresh(a=entry()), Approval(("new",)))
    assert not file.path.exists()
    assert (findings["a"].passes, findings["a"].written) == (False, False)
    assert f"the environment variable CI is {value!r}" in note


@pytest.mark.parametrize("value", ["", "0", "false", "False", "FALSE"])
def test_some_values_say_that_this_is_no_ci(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    """The empty text, `0` and `false` in any case."""
    monkeypatch.setenv("CI", value)
    assert ci_says() == ""


def test_an_update_of_nothing_leaves_the_bytes_alone(tmp_path: Path) -> None:
    """Where all is as pinned, or nothing was approved that differs, the file keeps its layout and its time."""
    file = LockFile(tmp_path / "lock.json")
    file.path.write_bytes(b" " + lock_text(lock(a=entry(), b=entry())))
    before = file.path.stat()
    file.update(fresh(a=entry(), b=BOTH), Approval(("new", "obsolete")))
    after = file.path.stat()
    assert (after.st_mtime_ns, after.st_ino, after.st_size) == (before.st_mtime_ns, before.st_ino, before.st_size)


def test_an_update_reads_the_file_anew(tmp_path: Path) -> None:
    """What another one wrote while the packers were measured is not lost."""
    file = LockFile(tmp_path / "lock.json")
    file.update(fresh(a=entry()), Approval(("new",)))
    file.update(fresh(complete=False, b=entry()), Approval(("new",)))
    assert read_lock(file.path) == lock(a=entry(), b=entry())


def test_files_that_cannot_be_written_are_told(tmp_path: Path) -> None:
    """A missing folder is named, and so is a write-protected file, which a rename could replace all the same."""
    with pytest.raises(UsageError, match=r"there is no folder .*sub; make it first"):
        LockFile(tmp_path / "sub" / "lock.json").update(fresh(a=entry()), Approval(("new",)))
    file = LockFile(tmp_path / "lock.json")
    file.path.write_bytes(lock_text(lock()))
    file.path.chmod(0o444)
    with pytest.raises(UsageError, match=r"is write-protected; it is as it was"):
        file.update(fresh(a=entry()), Approval(("new",)))
    assert read_lock(file.path) == lock()


def test_a_full_disk_is_told(tmp_path: Path) -> None:
    """A write that fails is a mistake of nobody's, in one line, and the old lock is there."""
    file = LockFile(tmp_path / "lock.json")
    file.path.write_bytes(lock_text(lock()))
    with full_disk(), pytest.raises(UsageError, match=r"cannot be written: File too large; it is as it was"):
        file.update(fresh(a=entry()), Approval(("new",)))
    assert read_lock(file.path) == lock()
