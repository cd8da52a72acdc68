"""Projects to run pytest in: one for a test, one for all tests of a module."""

from collections.abc import Callable
from pathlib import Path

import pytest
from user_project import Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project of the test's own."""
    return Project(tmp_path / "project")


@pytest.fixture(scope="module")
def make_project(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Project]:
    """Make a project that the tests of one module share."""
    return lambda: Project(tmp_path_factory.mktemp("shared") / "project")
