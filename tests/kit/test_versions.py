"""Holding a packer to one version of the specification."""

import json

import pytest
from user_project import MASKS, Project

from packer_spec import SPEC_VERSION, SPEC_VERSIONS, requirements
from packproof import check_packer
from packproof.cli import main
from packproof.rules import find_rules, rules_of
from packproof.violation import UsageError

PACKER = "packproof.zoo.miniature:MiniaturePacker"


def test_a_version_holds_its_own_rules_and_all_earlier_ones() -> None:
    """The rules of 0.1 are those since 0.1; the newest version has them all."""
    assert set(rules_of("0.1")) == {id for id, rule in requirements().items() if rule.since == "0.1"}
    assert rules_of(SPEC_VERSIONS[-1]) == requirements()


def test_a_rule_newer_than_the_version_is_refused_by_name() -> None:
    """Asking 0.1 for a rule of 0.2 says since when the rule is there."""
    with pytest.raises(UsageError, match=r"IDENT-1 is there since spec 0\.2, and this is spec 0\.1\."):
        find_rules(["ident-1"], "0.1")


def test_the_report_names_the_version_held_to(project: Project) -> None:
    """`--packer-spec 0.1` runs the rules of 0.1, says so, and writes it into the report."""
    ran = project.pytest("--packer", PACKER, *MASKS, "--packer-spec", "0.1", "--packer-report", "report.json")
    assert ran.code == 0
    assert "spec 0.1, level core" in ran.out
    assert json.loads((project.root / "report.json").read_text())["spec"] == "0.1"


def test_the_version_can_stand_in_pyproject(project: Project) -> None:
    """`packer-spec` in `[tool.packproof]` does what the option does, and a failure's replay command names it."""
    project.table(packer_spec='"0.1"')
    project.write("bad.py", "from packproof.zoo import member\nmake = member('mask-shifted-right').factory\n")
    ran = project.pytest("--packer", "bad:make", "--packer-select", "MASK-2")
    assert "--packer-select MASK-2 --packer-seed 0" in ran.out
    assert "--packer-spec 0.1" in ran.out


def test_python_takes_the_version_too() -> None:
    """`check_packer(spec=...)` reports the version, and refuses one that there is not."""
    assert check_packer(PACKER, select="MASK-2", effort="quick", spec="0.1").spec == "0.1"
    assert check_packer(PACKER, select="MASK-2", effort="quick").spec == SPEC_VERSION
    with pytest.raises(UsageError, match="expected one of"):
        check_packer(PACKER, spec="1")


def test_list_and_explain_take_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    """`packproof list --spec 0.1` prints that version's rules; explaining a later one is refused."""
    assert main(["list", "--spec", "0.1"]) == 0
    listed = capsys.readouterr().out
    assert listed.startswith("packproof spec 0.1\n")
    assert "IDENT-1" not in listed
    assert main(["explain", "IDENT-1", "--spec", "0.1"]) == 2
    assert main(["explain", "MASK-2", "--spec", "0.9"]) == 2
    assert "packproof: --spec '0.9': expected one of 0.1, 0.2." in capsys.readouterr().err
    assert main(["explain", "SFT-1"]) == 0
    assert "\nNot yet checked. The kit" in capsys.readouterr().out
