"""Projects to run pytest in: one for a test, and one whose processes run once for all tests and workers."""

import fcntl
import os
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from user_project import BYTECODE, Project

from packproof.cli import main


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all workers of this session share."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session", autouse=True)
def bytecode(shared_folder: Path) -> None:
    """Where Python is told not to write bytecode beside the sources, give it another place."""
    if sys.dont_write_bytecode:
        os.environ[BYTECODE] = str(shared_folder / "bytecode")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project of the test's own."""
    return Project(tmp_path / "project")


@pytest.fixture(scope="session")
def once(shared_folder: Path) -> Callable[[Callable[[Project], Any]], tuple[Project, Any]]:
    """Run something in a project once in the whole session, whichever worker asks first; its result is pickled."""

    def run(work: Callable[[Project], Any]) -> tuple[Project, Any]:
        folder = shared_folder / work.__module__ / work.__name__
        folder.mkdir(parents=True, exist_ok=True)
        result = folder / "result.pickle"
        with (folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            project = Project(folder / "project")
            if not result.exists():
                result.write_bytes(pickle.dumps(work(project)))
        return project, pickle.loads(result.read_bytes())

    return run


@pytest.fixture
def validate(capsys: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, list[str], str]]:
    """Run `packproof validate` in a folder of the test's own; its exit code, its lines of output, standard error."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> tuple[int, list[str], str]:
        code = main(["validate", *arguments])
        shown = capsys.readouterr()
        return code, shown.out.splitlines(), shown.err

    return run
