"""Two gate runs write the same report."""

import pytest
from user_project import QUICK, Project

RULES = ("--packer-select", "LIFE-1,LIFE-11,ROLL-7,AUTH-1,AUTH-7,MASK,COLL-4,CPU-1")
RUN = ("--packer", "packers:Hooks", "--packer", "packers:Shifted", *QUICK, *RULES)


def write_reports(project: Project) -> dict[str, bytes]:
    """The report of one run, of the same run again, and of the same run in two workers."""
    runs = {"first": (), "second": (), "workers": ("-n", "2")}
    for name, words in runs.items():
        assert project.pytest(*RUN, *words, "--packer-report", f"reports/{name}.json").code == 1
    return {name: (project.root / f"reports/{name}.json").read_bytes() for name in runs}


@pytest.fixture
def reports(once) -> dict[str, bytes]:
    return once(write_reports)[1]


def test_two_gate_runs_give_the_same_bytes(reports: dict[str, bytes]) -> None:
    """Two runs with one seed write equal files, byte for byte."""
    assert b"shifted right by one" in reports["first"]
    assert reports["first"] == reports["second"]


def test_workers_give_the_same_bytes(reports: dict[str, bytes]) -> None:
    """A run spread over two workers writes the file that one process writes."""
    assert reports["first"] == reports["workers"]


def test_a_folder_is_no_report_file(project: Project) -> None:
    """A report path that is a folder is refused before anything runs."""
    ran = project.pytest("--packer", "packers:Plain", "--packer-report", ".")
    assert ran.code == 4
    assert "--packer-report .: is a folder, expected the name of a file to write." in ran.err
