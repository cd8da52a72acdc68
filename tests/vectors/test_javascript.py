"""Vectors prove an implementation in another language: the runner in plain JavaScript, and what it says of a lie."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from packproof.vectors import vectors

FOLDER = Path(__file__).parents[2] / "conformance" / "vectors"
RUN = ("masks", "collation", "identity")


def found(name: str) -> str:
    """The path of a program; without it the test is skipped, but in CI, where it has to be there, it fails."""
    path = shutil.which(name)
    if path is None:
        missing = f"{name} is not on the path: install Node.js 18 or newer to run the vectors in JavaScript"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(missing)
    return str(path)


def run(*folder: str) -> subprocess.CompletedProcess[str]:
    """The runner, on its own folder or on another."""
    command = [found("node"), str(FOLDER / "run.mjs"), *folder]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=60, check=False)


def test_an_independent_implementation_agrees_with_every_vector() -> None:
    """Masks, collation and identity written in JavaScript give what every vector expects; the counts are printed."""
    done = run()
    assert done.returncode == 0, done.stdout + done.stderr
    counts = [f"{name}: {len(vectors(name))} vectors" for name in RUN]
    assert done.stdout.splitlines() == [*counts, "all agree"]


def shifted_mask(vector: dict[str, Any]) -> None:
    """One entry of the mask further right."""
    vector["expected"]["logprob_masks"].insert(0, 0)


def other_pad(vector: dict[str, Any]) -> None:
    """Another filler."""
    vector["expected"]["input_ids"][0][-1] += 1


def other_digest(vector: dict[str, Any]) -> None:
    """Another digest of the same text."""
    vector["expected"]["sha256"] = "0" * 64


def other_word(vector: dict[str, Any]) -> None:
    """A message that has to mention something else."""
    vector["error"]["mentions"].append("12345")


def refused(vector: dict[str, Any]) -> None:
    """A refusal where there is an answer."""
    del vector["expected"]
    vector["error"] = {"kind": "ValueError", "mentions": []}


TAMPERED: list[tuple[str, str, Callable[[dict[str, Any]], None]]] = [
    ("masks", "masks-006", shifted_mask),
    ("masks", "masks-028", other_word),
    ("masks", "masks-001", refused),
    ("collation", "collation-013", other_pad),
    ("identity", "identity-062", other_digest),
    ("identity", "identity-001", refused),
]


@pytest.mark.parametrize(("name", "id", "tamper"), TAMPERED, ids=lambda value: getattr(value, "__name__", value))
def test_a_tampered_vector_is_found(
    tmp_path: Path, name: str, id: str, tamper: Callable[[dict[str, Any]], None]
) -> None:
    """A vector that says something else ends the run with 1, its id, what it expects and what came out."""
    for one in RUN:
        shutil.copy(FOLDER / f"{one}.json", tmp_path)
    text = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    vector = next(one for one in text["vectors"] if one["id"] == id)
    tamper(vector)
    (tmp_path / f"{name}.json").write_text(json.dumps(text), encoding="utf-8")
    done = run(str(tmp_path))
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    at = lines.index(f"{id}  {vector['note']}")
    assert lines[at + 1].startswith("  expected  ")
    assert lines[at + 2].startswith("  got       ")
    wanted = vector.get("expected") or vector["error"]
    assert json.loads(lines[at + 1].removeprefix("  expected  ")) == wanted
    assert re.findall(r"^\S+-\d{3}  ", done.stdout, re.MULTILINE) == [f"{id}  "]
    assert lines[-1] == "1 disagree"


def no_vectors(text: dict[str, Any]) -> None:
    """A file without a single vector."""
    text["vectors"] = []


def no_outcome(text: dict[str, Any]) -> None:
    """A vector that neither expects nor refuses."""
    text["vectors"][0].pop("expected", None)
    text["vectors"][0].pop("error", None)


def two_outcomes(text: dict[str, Any]) -> None:
    """A vector that expects and refuses."""
    text["vectors"][0] |= {"expected": {}, "error": {"kind": "ValueError", "mentions": []}}


def no_key(text: dict[str, Any]) -> None:
    """Another document."""
    del text["vectors"]


@pytest.mark.parametrize("spoil", [no_vectors, no_outcome, two_outcomes, no_key], ids=lambda spoil: spoil.__name__)
def test_a_file_that_proves_nothing_is_refused(tmp_path: Path, spoil: Callable[[dict[str, Any]], None]) -> None:
    """A file that would agree with everything ends the run with 2 and one line that names it, and nothing agrees."""
    for one in RUN:
        shutil.copy(FOLDER / f"{one}.json", tmp_path)
    text = json.loads((FOLDER / "masks.json").read_text(encoding="utf-8"))
    spoil(text)
    (tmp_path / "masks.json").write_text(json.dumps(text), encoding="utf-8")
    done = run(str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"{tmp_path / 'masks.json'}: ")
    assert len(done.stderr.splitlines()) == 1


def test_a_null_beside_an_outcome_is_as_if_absent(tmp_path: Path) -> None:
    """`"error": null` beside `expected`, which the schema allows, changes nothing."""
    for one in RUN:
        text = json.loads((FOLDER / f"{one}.json").read_text(encoding="utf-8"))
        text["vectors"] = [{"expected": None, "error": None} | vector for vector in text["vectors"]]
        (tmp_path / f"{one}.json").write_text(json.dumps(text), encoding="utf-8")
    done = run(str(tmp_path))
    assert done.stdout.splitlines()[-1] == "all agree"


@pytest.mark.parametrize("words", [["--help"], ["a", "b"], ["absent"]])
def test_a_folder_that_is_none_is_told(words: list[str]) -> None:
    """Options, two folders and a folder that is not there are one line on standard error and exit code 2."""
    done = run(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(("ci", "outcome"), [("", pytest.skip.Exception), ("true", pytest.fail.Exception)])
def test_without_node_a_skip_says_why_and_ci_fails(
    monkeypatch: pytest.MonkeyPatch, ci: str, outcome: type[BaseException]
) -> None:
    """Where there is no Node.js the test is skipped with the reason; in CI it fails, so that nobody misses it."""
    monkeypatch.setenv("CI", ci)
    with pytest.raises(outcome, match="is not on the path: install Node"):
        found("no-such-program")
