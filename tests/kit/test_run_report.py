"""The JSON report of a run."""

import json
from pathlib import Path

import pytest
from user_project import QUICK, Project

from packer_schemas import Report

TWO = ("--packer", "packers:Hooks", "--packer", "packers:Shifted", *QUICK)


@pytest.fixture(scope="module")
def reports(make_project) -> dict[str, Path]:
    """The reports of three whole runs on a sound and a broken packer: twice in one process, once in two workers."""
    project: Project = make_project()
    runs = {"first": (), "second": (), "xdist": ("-n", "2")}
    for name, words in runs.items():
        ran = project.pytest(*TWO, *words, "--packer-report", f"reports/{name}.json")
        assert ran.code == 1, ran.text
    return {name: project.root / f"reports/{name}.json" for name in runs}


def test_the_report_keeps_its_schema(reports: dict[str, Path]) -> None:
    """The report validates against `packer_schemas.Report` and holds every rule of every packer in the spec's order."""
    report = Report.model_validate_json(reports["first"].read_bytes())
    assert [(one.label, one.verdict) for one in report.subjects] == [
        ("Hooks", "conformant"),
        ("Shifted", "not conformant"),
    ]
    ids = [[outcome.requirement for outcome in one.outcomes] for one in report.subjects]
    assert ids[0] == ids[1]
    assert ids[0][:2] == ["LIFE-1", "LIFE-2"]
    assert len(ids[0]) == len(set(ids[0])) > 60


def test_the_report_holds_broken_rules_with_their_cases(reports: dict[str, Path]) -> None:
    """A broken rule comes with its counterexample and its case, a broken SHOULD too."""
    sound, broken = json.loads(reports["first"].read_bytes())["subjects"]
    failed = {one["requirement"]: one for one in [*sound["outcomes"], *broken["outcomes"]] if one["status"] == "fail"}
    assert set(failed) == {"ROLL-7", "MASK-2"}
    assert failed["MASK-2"]["counterexample"]["fault"] == "shifted right by one"
    assert failed["MASK-2"]["case_file"]["case"]["kind"] == "policy"
    assert failed["ROLL-7"]["level"] == "SHOULD"


def test_two_gate_runs_give_the_same_bytes(reports: dict[str, Path]) -> None:
    """Two runs with one seed write equal files, byte for byte."""
    assert reports["first"].read_bytes() == reports["second"].read_bytes()


def test_workers_give_the_same_bytes(reports: dict[str, Path]) -> None:
    """A run spread over two workers writes the file that one process writes."""
    assert reports["first"].read_bytes() == reports["xdist"].read_bytes()


def test_a_folder_is_no_report_file(project: Project) -> None:
    """A report path that is a folder is refused before anything runs."""
    ran = project.pytest("--packer", "packers:Plain", "--packer-report", ".")
    assert ran.code == 4
    assert "--packer-report .: is a folder, expected the name of a file to write." in ran.err
