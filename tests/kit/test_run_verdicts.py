"""The verdict, its words and its exit codes."""

import re

import pytest
from user_project import QUICK, Project, Ran

from packer_schemas import Report
from packer_spec import requirements

HARNESS_BUG = """
from packproof.checks import masks


def broken(case):
    raise KeyError("a bug of the kit")


masks._expect_formula = lambda subject, case: broken(case)
"""


def run_whole(project: Project) -> Ran:
    """Run all rules of the core level on a packer with a broken SHOULD, and on one with a broken MUST."""
    words = (word for name in ("Hooks", "Shifted") for word in ("--packer", f"packers:{name}"))
    return project.pytest(*words, *QUICK, "-rs", "--packer-report", "report.json")


@pytest.fixture
def whole(once) -> Ran:
    return once(run_whole)[1]


@pytest.fixture
def report(once) -> Report:
    return Report.model_validate_json((once(run_whole)[0].root / "report.json").read_bytes())


def _section(ran: Ran, label: str) -> str:
    """The summary of one packer."""
    summary = ran.out.partition("packer conformance")[2]
    return summary.partition(f"\n{label}   packers:{label}")[2].partition("CONFORMANT")[0] + "CONFORMANT"


def test_conformant_when_every_applicable_must_passed(whole: Ran) -> None:
    """A packer that keeps every MUST that applies to it is conformant, the denominator first."""
    found = re.search(r"(\d+) of (\d+) applicable rules ran, [\d,]+ cases, \d+ not applicable: CONFORMANT", whole.out)
    assert found is not None
    assert found[1] == found[2]


def test_a_broken_should_is_a_warning(whole: Ran) -> None:
    """A SHOULD that is not kept is a warning line; the rule's test passes and the packer is conformant."""
    hooks = _section(whole, "Hooks")
    assert "warning: ROLL-7 (SHOULD) not kept; the report holds the case" in hooks
    assert "NOT CONFORMANT" not in hooks
    assert "Hooks::ROLL-7" not in whole.out


def test_one_broken_must_is_not_conformant(whole: Ran) -> None:
    """One broken MUST makes the packer not conformant, names the rule, and gives exit code 1."""
    assert whole.code == 1
    assert "NOT CONFORMANT, 1 broken: MASK-2" in whole.out
    assert "1 failed" in whole.out


def test_what_does_not_apply_is_skipped_with_its_reason(whole: Ran) -> None:
    """A rule whose capability the packer has not is skipped with the reason, in pytest's list and in the summary."""
    shifted = " ".join(_section(whole, "Shifted").split())
    assert "the packer does not satisfy RolloutHooks" in whole.out.partition("short test summary")[2]
    assert "not applicable: ROLL-6 to ROLL-7: the packer does not satisfy RolloutHooks" in shifted
    assert "not applicable: LIFE-2 to LIFE-6, LIFE-12: the packer is built already set up" in shifted
    assert "not applicable: SEL-1 to SEL-11: no selection module named (--packer-selection)" in shifted


def test_the_report_keeps_its_schema(report: Report) -> None:
    """The report validates against `packer_schemas.Report` and holds every core rule in the spec's order."""
    assert [(one.label, one.verdict) for one in report.subjects] == [
        ("Hooks", "conformant"),
        ("Shifted", "not conformant"),
    ]
    for subject in report.subjects:
        assert [outcome.requirement for outcome in subject.outcomes] == [
            id for id, rule in requirements().items() if rule.group == "core"
        ]


def test_the_report_holds_what_was_broken_with_its_case(report: Report) -> None:
    """A broken rule comes with its counterexample and its case, a broken SHOULD too."""
    failed = {one.requirement: one for subject in report.subjects for one in subject.outcomes if one.status == "fail"}
    assert {rule: one.level for rule, one in failed.items()} == {"ROLL-7": "SHOULD", "MASK-2": "MUST"}
    assert failed["MASK-2"].counterexample is not None
    assert failed["MASK-2"].counterexample.fault == "shifted right by one"
    assert failed["ROLL-7"].case_file is not None


def test_the_summary_fits_in_100_columns(whole: Ran) -> None:
    """No line of the summary is wider than 100 columns."""
    summary = whole.out.partition("packer conformance")[2].partition("short test summary")[0]
    assert max(map(len, summary.splitlines())) <= 100


def test_a_selection_gives_no_verdict(project: Project) -> None:
    """With `--packer-select` the run is incomplete, even if everything selected passed."""
    ran = project.pytest("--packer", "packers:Plain", *QUICK, "--packer-select", "MASK-2")
    assert ran.code == 0
    assert "1 of 1 applicable rules ran, 35 cases: incomplete run, no verdict" in ran.out


def test_a_bug_of_the_kit_is_never_blamed_on_the_packer(project: Project) -> None:
    """A check that breaks gives the status error, exit code 70 and no verdict, also where a rule is broken too."""
    project.write("conftest.py", HARNESS_BUG)
    project.write(
        "both.py", "import packers\n\nclass Both(packers.Plain):\n    policy_compute_max_len = lambda *_: 3\n"
    )
    ran = project.pytest("--packer", "both:Both", *QUICK, "--packer-select", "MASK-2,COLL-15")
    assert ran.code == 70
    assert "MASK-2 on PolicyCase(" in " ".join(ran.out.split())
    assert "KeyError: 'a bug of the kit' (conftest.py" in " ".join(ran.out.split())
    assert "1 broken: COLL-15: packproof itself failed on MASK-2, no verdict" in ran.out
    assert "CONFORMANT" not in ran.out


def test_a_bug_of_a_strategy_is_the_kits_too(project: Project) -> None:
    """A strategy that breaks is an error of the kit as well."""
    project.write(
        "conftest.py",
        "from packproof.vocabulary import Vocabulary\nVocabulary.takes = lambda *_: 1 / 0\n",
    )
    ran = project.pytest("--packer", "packers:Plain", *QUICK, "--packer-select", "MASK-2")
    assert ran.code == 70
    assert "generating cases failed: ZeroDivisionError" in " ".join(ran.out.split())
