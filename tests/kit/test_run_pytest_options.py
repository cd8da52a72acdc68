"""pytest's own options mean for the conformance run what they mean for any tests."""

import re
import xml.etree.ElementTree as ET

import pytest
from user_project import MASKS, QUICK, Project, Ran

HOSTILE_INI = """
[pytest]
strict = true
filterwarnings = error
addopts = -W error --strict-markers --strict-config --import-mode=importlib
python_functions = check_*
python_classes = Check
python_files = check_*.py
xfail_strict = true
empty_parameter_set_mark = fail_at_collect
"""
TWO = ("--packer", "packers:Shifted", *MASKS)


def run_verbose(project: Project) -> Ran:
    """Run two packers with labels, one of them broken, with `-v` and `--junit-xml`."""
    packers = ("--packer", "good=packers:Plain", "--packer", "bad=packers:Shifted")
    return project.pytest(*packers, *MASKS, "--packer-select", "ROLL-1", "-v", "--junit-xml", "junit.xml")


@pytest.fixture
def verbose(once) -> tuple[Project, Ran]:
    return once(run_verbose)


def test_node_ids_read_as_label_and_rule(verbose: tuple[Project, Ran]) -> None:
    """`-v` shows every item as `label::RULE` with its status."""
    _, ran = verbose
    shown = re.findall(r"^(\S+::\S+) ([A-Z]+)", ran.out, re.MULTILINE)
    assert shown[:6] == [
        ("good::ROLL-1", "SKIPPED"),
        ("good::MASK-2", "PASSED"),
        ("good::MASK-3", "PASSED"),
        ("bad::ROLL-1", "SKIPPED"),
        ("bad::MASK-2", "FAILED"),
        ("bad::MASK-3", "PASSED"),
    ]


def test_junit_holds_properties_and_the_failure(verbose: tuple[Project, Ran]) -> None:
    """`--junit-xml` gives each rule its requirement, level and status, and a failure its whole text."""
    project, _ = verbose
    cases = {
        f"{case.get('classname')}::{case.get('name')}": case
        for case in ET.parse(project.root / "junit.xml").iter("testcase")
    }
    failed = cases["bad::MASK-2"]
    properties = {one.get("name"): one.get("value") for one in failed.iter("property")}
    assert properties == {"requirement": "MASK-2", "level": "MUST", "status": "fail"}
    text = failed.findtext("failure") or ""
    assert "shifted right by one" in text
    assert "replay" in text
    skipped = cases["good::ROLL-1"].find("skipped")
    assert skipped is not None
    assert "the packer does not satisfy RolloutPacker" in str(skipped.get("message"))


def test_collect_only_runs_nothing(project: Project) -> None:
    """`--collect-only -q` lists the rules of every packer and gives no verdict."""
    ran = project.pytest("--packer", "packers:Plain", "--packer", "packers:Shifted", *MASKS, "--collect-only", "-q")
    assert ran.code == 0
    assert ran.out.split()[:4] == ["Plain::MASK-2", "Plain::MASK-3", "Shifted::MASK-2", "Shifted::MASK-3"]
    assert "verdict" not in ran.out


@pytest.mark.parametrize(
    ("packers", "says"),
    [
        (("packers:Plain", "packers.Plain"), "the label 'Plain' is taken; give each one its own: label=packers.Plain."),
        (("one=packers:Plain", "one=packers:Shifted"), "the label 'one' is taken"),
        (("a b=packers:Plain",), "a label is letters, digits, '.', '_' and '-', then '='"),
    ],
)
def test_labels_are_told_apart(project: Project, packers: tuple[str, ...], says: str) -> None:
    """Equal labels, and labels that would make unreadable ids, are usage errors that say what to write."""
    ran = project.pytest(*(word for packer in packers for word in ("--packer", packer)))
    assert ran.code == 4
    assert says in ran.err


def test_k_selects_rules_by_id(project: Project) -> None:
    """`-k` takes an id, or several with `or`; such a run gives no verdict."""
    one = project.pytest(*TWO, "-k", "MASK-3")
    assert one.code == 0
    assert "1 passed, 1 deselected" in one.out
    assert "1 of 1 applicable rules ran, 37 cases: incomplete run, no verdict" in one.out
    both = project.pytest(*TWO, "-k", "MASK-2 or MASK-3")
    assert both.code == 1
    assert "1 failed, 1 passed" in both.out


def test_x_stops_at_the_first_broken_rule(project: Project) -> None:
    """`-x` stops after the first failure, and the run gives no verdict though it names the broken rule."""
    ran = project.pytest(*TWO, "-x")
    assert ran.code == 1
    assert "1 failed" in ran.out
    assert "passed" not in ran.out.splitlines()[-1]
    assert "1 broken: MASK-2: incomplete run, no verdict" in ran.out


def test_lf_runs_what_failed_before(project: Project) -> None:
    """`--lf` runs the broken rule again, together with a failing test of the user's own, and nothing else."""
    project.write("test_own.py", "def test_right():\n    pass\n\ndef test_wrong():\n    assert False\n")
    first = project.pytest("test_own.py", *TWO)
    assert "2 failed, 2 passed" in first.out
    again = project.pytest("test_own.py", *TWO, "--lf", "-v")
    assert again.code == 1
    assert "2 failed" in again.out.splitlines()[-1]
    assert "passed" not in again.out.splitlines()[-1]
    alone = project.pytest(*TWO, "--lf")
    assert "1 failed, 1 deselected" in alone.out


def test_two_workers_give_what_one_gives(project: Project) -> None:
    """Under `-n 2` rules run in worker processes and the summary counts them all."""
    ran = project.pytest(*TWO, "-n", "2")
    assert ran.code == 1
    assert "1 failed, 1 passed" in ran.out
    assert "2 of 2 applicable rules ran" in ran.out
    assert "shifted right by one" in ran.out


def test_without_pytests_cache(project: Project) -> None:
    """With `-p no:cacheprovider` the run works and keeps no case file."""
    ran = project.pytest(*TWO, "-p", "no:cacheprovider")
    assert ran.code == 1
    assert "shifted right by one" in ran.out
    assert "  case  " not in ran.out
    assert not (project.root / ".pytest_cache").exists()


def test_hostile_ini_files_do_not_matter(project: Project) -> None:
    """Warnings as errors, strict everything, odd naming patterns and importlib mode change no outcome."""
    project.write("pytest.ini", HOSTILE_INI)
    project.write("known.toml", "known = []\n")
    noisy = "import warnings\n\nclass Noisy(packers.Plain):\n    def mask(self, *given):\n"
    noisy += "        warnings.warn('old', DeprecationWarning)\n        return super().mask(*given)\n"
    project.write("noisy.py", f"import packers\n{noisy}")
    packers = ("--packer", "noisy:Noisy", "--packer", "packers:Shifted", "--packer-known", "known.toml")
    ran = project.pytest(*packers, *MASKS, "--packer-select", "COLL-1,ROLL-1", PYTHONWARNINGS="error")
    assert ran.code == 1, ran.text
    assert "1 failed, 5 passed, 2 skipped" in ran.out
    assert "Warning" not in ran.text


def test_warnings_as_errors_with_a_real_tokenizer(project: Project) -> None:
    """A packer that imports transformers runs under `-W error`, whatever transformers warns about."""
    project.write("house.py", "from packproof.zoo.miniature import MiniaturePacker\n")
    rules = ("--packer-select", "MASK-2,AUTH-3,ROLL-2", "--packer-model", "tiny-gpt2")
    ran = project.pytest("--packer", "house:MiniaturePacker", *QUICK, *rules, "-W", "error", PYTHONWARNINGS="error")
    assert ran.code == 0, ran.text
    assert "3 passed" in ran.out
    assert "house:MiniaturePacker   on tiny-gpt2" in ran.out


def test_quiet_and_short_outputs(project: Project) -> None:
    """`-q` and `--tb=no` leave the verdict line in place."""
    ran = project.pytest(*TWO, "-q", "--tb=no")
    assert ran.code == 1
    assert "shifted" not in ran.out
    assert "2 of 2 applicable rules ran" in ran.out
