"""A lock file is read strictly, refused with its place and a way out, and written alike for equal contents."""

import json
import os
from pathlib import Path

import pytest
from lock_entries import entry, lock

from packer_schemas import Lock
from packproof.lock.file import UnreadableLock, lock_text, read_lock

TEXT = lock_text(lock(b=entry(), a=entry({"tiny": (1, 1)}, reason="why"))).decode()


def refused(path: Path) -> str:
    """What is said of a file that is refused, its folder left out."""
    before = path.read_bytes()
    with pytest.raises(UnreadableLock) as caught:
        read_lock(path)
    assert path.read_bytes() == before
    return str(caught.value).replace(f"{path.parent}{os.sep}", "")


def test_what_is_written_reads_back(tmp_path: Path) -> None:
    """A lock is the same after it was written and read."""
    path = tmp_path / "lock.json"
    path.write_text(TEXT, encoding="utf-8")
    assert read_lock(path) == lock(a=entry({"tiny": (1, 1)}, reason="why"), b=entry())


def test_no_file_is_no_lock(tmp_path: Path) -> None:
    """Where there is no file yet, nothing is pinned, and that is no error."""
    assert read_lock(tmp_path / "lock.json") is None


def test_equal_contents_are_equal_bytes() -> None:
    """Whatever order labels, models, probes and declared fields come in, the file is the same; fields keep theirs."""
    one = {"big": ({"b": {"d": 1, "c": [{"f": 1.0, "e": "é"}]}, "a": None}, 0), "tiny": (0, 1)}
    other = {"big": ({"a": None, "b": {"c": [{"e": "é", "f": 1.0}], "d": 1}}, 0), "tiny": (0, 1)}
    texts = []
    for labels, declared in (("ab", one), ("ba", other)):
        made = lock(**{label: entry(declared) for label in labels}).model_dump()
        for subject in made["subjects"].values():
            subject["behaviour"] = dict(sorted(subject["behaviour"].items(), reverse=labels == "ba"))
            subject["identities"] = dict(sorted(subject["identities"].items(), reverse=labels == "ba"))
        texts.append(lock_text(Lock.model_validate(made)))
    assert texts[0] == texts[1]
    document = json.loads(texts[0])
    assert list(document) == ["schema_version", "spec", "packproof", "probe_corpus", "versions", "subjects"]
    assert list(document["subjects"]["a"])[:2] == ["target", "models"]
    assert list(document["subjects"]["a"])[-1] == "reason"
    assert texts[0].endswith(b"}\n")
    assert '"é"' in texts[0].decode()


def test_another_layout_is_the_same_lock(tmp_path: Path) -> None:
    """White space and the order of keys are not read."""
    path = tmp_path / "lock.json"
    path.write_text(json.dumps(json.loads(TEXT), sort_keys=True), encoding="utf-8")
    assert read_lock(path) == Lock.model_validate_json(TEXT)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "lock.json:1: is no lock file (expected a JSON document, got nothing). Restore it"),
        (TEXT[:200], "is no lock file (expected JSON, got text that breaks off at column"),
        ("[]", "lock.json: is no lock file ((document)  expected an object, got an empty array)"),
        (TEXT.replace("0.2.0", "0.2.0\x00"), "is no lock file (expected JSON"),
        (TEXT.replace('"spec"', '"reason": "", "spec"', 1), "reason"),
        (TEXT.replace('"reason": "why"', '"reason": "why", "reason": ""'), "the key once, got it 2 times"),
        (TEXT.replace('"target": "m:f",', "", 1), "subjects.a.target  expected a string, got nothing"),
        (TEXT.replace('"x": 1', '"x": 2'), "subjects.a.identities.tiny.parts.semantics  expected the sha256"),
        (TEXT.replace('"x": 1', '"x": NaN'), "got NaN, which is not JSON"),
        (TEXT.replace('"probe_corpus": 1', '"probe_corpus": 0'), "probe_corpus"),
        (TEXT.replace('"schema_version": 1', '"schema_version": true'), "schema_version"),
    ],
)
def test_what_is_no_lock_is_refused_with_its_place(tmp_path: Path, text: str, says: str) -> None:
    """Text that breaks off, other JSON, a field too many, too few, twice, edited or of another type: none is a lock."""
    path = tmp_path / "lock.json"
    path.write_text(text, encoding="utf-8")
    said = refused(path)
    assert says in said
    assert said.endswith("or move it away and pin anew with `packproof lock`; it was left alone.")


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    """Latin-1 and UTF-16 are told by line and byte."""
    path = tmp_path / "lock.json"
    path.write_bytes(TEXT.replace("why", "für").encode("latin-1"))
    assert "expected UTF-8, got the byte 0xfc" in refused(path)
    path.write_bytes(TEXT.encode("utf-16"))
    assert "looks like UTF-16" in refused(path)


def test_another_version_is_told_as_one(tmp_path: Path) -> None:
    """A lock of another layout is not called broken."""
    path = tmp_path / "lock.json"
    path.write_text(TEXT.replace('"schema_version": 1', '"schema_version": 2'), encoding="utf-8")
    assert refused(path).startswith("lock.json: schema_version: expected 1, got 2. Another version of packproof")


@pytest.mark.parametrize("marker", ["<<<<<<< HEAD", "=======", ">>>>>>> 1a2b3c4 (a commit)", "||||||| merged"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_merge_conflict_is_called_one(tmp_path: Path, marker: str, end: str) -> None:
    """A marker of git's, at the beginning of a line, is told with the line and what to do."""
    path = tmp_path / "lock.json"
    lines = TEXT.splitlines()
    path.write_bytes(end.join([*lines[:4], marker, *lines[4:], ""]).encode())
    said = refused(path)
    assert said.startswith("lock.json:5: holds a merge conflict. Take either side's file whole")


def test_a_folder_and_a_locked_file_are_told(tmp_path: Path) -> None:
    """What cannot be read is one line, not a traceback."""
    with pytest.raises(UnreadableLock, match=r"cannot be read: Is a directory\.$"):
        read_lock(tmp_path)
    loop = tmp_path / "loop"
    loop.symlink_to("loop")
    with pytest.raises(UnreadableLock, match="cannot be read: Too many levels of symbolic links"):
        read_lock(loop)
