"""Other processes that are asked for declarations: apart from this one, alive after anything, honest about limits."""

import os
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from packproof.elsewhere import ENVIRONMENTS, declared_elsewhere
from packproof.limits import guarded
from packproof.subject import Subject
from packproof.violation import CallFailed, CaseTimeout, NotTested
from packproof.zoo.miniature_identity import MiniatureDeclared

HERE_OF = {"pid": int(os.environ.setdefault("KIT_TESTS_PID", str(os.getpid())))}
"""The process of the tests, as the processes that it starts know it, too."""


class Surroundings(MiniatureDeclared):
    """Declares what it finds around itself."""

    def validation_semantics_identity(self) -> dict[str, Any]:
        print("something on standard output")
        names = ["PYTHONHASHSEED", "TZ", "LC_ALL", "OMP_NUM_THREADS"]
        found = {name: os.environ.get(name) for name in names}
        return found | {"folder": str(Path.cwd()), "pid": os.getpid(), "hash": hash("a packer"), "set": {1}}


class EndsTheProcess(MiniatureDeclared):
    def validation_semantics_identity(self) -> dict[str, Any]:
        if os.getpid() != HERE_OF["pid"]:
            os.kill(os.getpid(), 9)
        return {"a": 1}


class RaisesThere(MiniatureDeclared):
    def validation_semantics_identity(self) -> dict[str, Any]:
        if os.getpid() != HERE_OF["pid"]:
            raise OSError("no such host")
        return {"a": 1}


class ReadsStandardInput(MiniatureDeclared):
    def validation_semantics_identity(self) -> dict[str, Any]:
        return {"read": sys.stdin.read() if os.getpid() != HERE_OF["pid"] else ""}


class HangsThere(MiniatureDeclared):
    def validation_semantics_identity(self) -> dict[str, Any]:
        import time

        if os.getpid() != HERE_OF["pid"]:
            time.sleep(3600)
        return {"a": 1}


@pytest.mark.parametrize("which", ENVIRONMENTS)
def test_a_packer_is_built_in_surroundings_of_another_kind(which: str) -> None:
    """The process has another id and hash seed, and elsewhere another folder, zone, locale and number of threads."""
    own, path = Surroundings(), list(sys.path)
    subject = Subject(Surroundings, models=["tiny-qwen"])
    found = declared_elsewhere(subject, which, "tiny-qwen").declared["semantics"]
    here = own.validation_semantics_identity()
    assert found["pid"] != here["pid"]
    assert found["hash"] != here["hash"]
    for name in ("folder", "TZ", "LC_ALL", "OMP_NUM_THREADS"):
        assert (found[name] != here[name]) is (which == "another process, elsewhere"), name
    assert found["set"] == "a set"
    assert sys.path == path


def test_one_process_answers_many_questions() -> None:
    """The process is the same for the next packer, which is what makes it cheap."""
    subject = Subject(Surroundings, models=["tiny-qwen"])
    pids = {declared_elsewhere(subject, "another process", "tiny-qwen").declared["semantics"]["pid"] for _ in range(3)}
    assert len(pids) == 1


def test_equal_packers_are_equal_elsewhere() -> None:
    """What the miniature declares has the digests that it has here, on a model's name and on its folder."""
    from packproof.declared import declarations, digests
    from packproof.models import model_path

    subject = Subject(MiniatureDeclared, models=["tiny-gpt2"])
    here = digests(declarations(subject.fresh("tiny-gpt2")))
    folder = str(model_path("tiny-gpt2"))
    for which in ENVIRONMENTS:
        assert declared_elsewhere(subject, which, "tiny-gpt2", folder).digests == here


def test_a_process_that_dies_is_told_and_replaced() -> None:
    """A packer that ends the process is blamed for it, and the next question finds another process."""
    with pytest.raises(CallFailed, match=r"EndsTheProcess.* in another process") as caught:
        declared_elsewhere(Subject(EndsTheProcess, models=["tiny-qwen"]), "another process", "tiny-qwen")
    assert caught.value.counterexample.got == "ended the process (-9)"
    subject = Subject(MiniatureDeclared, models=["tiny-qwen"])
    assert declared_elsewhere(subject, "another process", "tiny-qwen").digests


def test_a_packer_that_reads_there_finds_nothing() -> None:
    """Standard input is empty in the other process, and the next question is still to be had."""
    subject = Subject(ReadsStandardInput, models=["tiny-qwen"])
    for _ in range(2):
        found = declared_elsewhere(subject, "another process", "tiny-qwen")
        assert found.declared["semantics"] == {"read": ""}


def test_what_a_packer_raises_there_is_told_here() -> None:
    """An exception in the other process is a failure with its text and place."""
    with pytest.raises(CallFailed) as caught:
        declared_elsewhere(Subject(RaisesThere, models=["tiny-qwen"]), "another process", "tiny-qwen")
    assert "OSError: no such host" in caught.value.counterexample.got


def test_a_packer_that_hangs_there_runs_into_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time limit of a setup holds there too; the process is given up, and the next question is answered."""
    subject, good = (Subject(packer, models=["tiny-qwen"]) for packer in (HangsThere, MiniatureDeclared))
    monkeypatch.setattr("packproof.limits.SETUP_LIMIT_S", 2.0)
    with guarded(60), pytest.raises(CaseTimeout):
        declared_elsewhere(subject, "another process", "tiny-qwen")
    monkeypatch.undo()
    with guarded(60):
        assert declared_elsewhere(good, "another process", "tiny-qwen").digests


def test_a_factory_that_nobody_else_can_import_is_not_tested() -> None:
    """For a local factory, and for one without a name, the other process has nothing to import, and that is said."""

    def local() -> MiniatureDeclared:
        return MiniatureDeclared()

    for factory in (local, partial(MiniatureDeclared)):
        subject = Subject(factory, models=["tiny-qwen"])
        with pytest.raises(NotTested, match="name it module:factory"):
            declared_elsewhere(subject, "another process", "tiny-qwen")
