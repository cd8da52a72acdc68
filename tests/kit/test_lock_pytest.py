"""`pytest --packer-lock`: packers are held to a lock beside the rules, in items of their own."""

import re
import xml.etree.ElementTree as ET

import pytest
from lock_project import SETTINGS, lock_project
from user_project import MASKS, Project, Ran

FLAGS = ("--packer-lock", "packproof.lock.json", "--packer-effort", "quick")
MOVED = SETTINGS.replace("[7]", "[8]")


def run_changed(project: Project) -> dict[str, Ran]:
    """A lock of three packers; one is gone from the table, one changed, and pytest runs in several ways."""
    lock_project(project)
    project.table(packer='["mine=locked:Prefixed", "plain=packers:Plain", "gone=packers:Shifted"]')
    pinned = project.run("packproof", "lock")
    project.table(packer='["mine=locked:Prefixed", "plain=packers:Plain"]')
    project.write("settings.json", MOVED)
    return {
        "pinned": pinned,
        "complete": project.pytest(*FLAGS, "-k", "lock or MASK-2", "-v", "--junit-xml", "junit.xml"),
        "two workers": project.pytest(*FLAGS, "-k", "lock or MASK-2", "-n", "2"),
        "selected": project.pytest(*FLAGS, "--packer-select", "MASK-2"),
        "k": project.pytest(*FLAGS, "-k", "lock and not mine"),
        "one": project.pytest(*FLAGS, "--packer", "plain=packers:Plain", "-k", "lock"),
        "collected": project.pytest(*FLAGS, "--packer-select", "MASK-2", "--collect-only", "-q"),
    }


@pytest.fixture
def changed(once) -> tuple[Project, dict[str, Ran]]:
    return once(run_changed)


def outcomes(ran: Ran) -> dict[str, str]:
    """The status of every lock item that `-v` shows."""
    return dict(re.findall(r"^((?:\w+::)?lock) ([A-Z]+)", ran.out, re.MULTILINE))


def test_a_complete_run_holds_packers_and_entries(changed: tuple[Project, dict[str, Ran]]) -> None:
    """Each packer has an item before its rules, and one more is about entries without a packer."""
    _, ran = changed
    assert ran["pinned"].code == 0
    assert ran["complete"].code == 1
    assert outcomes(ran["complete"]) == {"mine::lock": "FAILED", "plain::lock": "PASSED", "lock": "FAILED"}
    first = [line.split()[0] for line in ran["collected"].out.splitlines() if "::" in line or line == "lock"]
    assert first == ["mine::lock", "mine::MASK-2", "plain::lock", "plain::MASK-2", "lock"]


def test_a_failure_reads_as_in_the_command(changed: tuple[Project, dict[str, Ran]]) -> None:
    """The item fails with the finding, the file, and the command to go on with, and without a traceback."""
    _, ran = changed
    shown = ran["complete"].out
    wanted = [
        "mine   locked:Prefixed   on as built",
        "  found       the identity and the behaviour changed: a new checkpoint lineage",
        "  identity    semantics.prefix[0]: 7 -> 8",
        "  behaviour   stored ids, ignored tokens, batch, padded batch",
        "  to do       undo it, or update on purpose: checkpoints saved before will not resume",
        "  lock        packproof.lock.json",
        '  go on       packproof lock --file packproof.lock.json --update changed --reason "why it changed"',
    ]
    assert "\n".join(wanted) in shown
    assert "gone   packers:Shifted   on as built\n  found       pinned, and no configured packer" in shown
    assert "--update obsolete" in shown
    assert "Traceback" not in shown
    assert "lock packproof.lock.json: 1 of 2 as pinned, 1 obsolete" in shown


def test_junit_has_the_outcome_of_every_entry(changed: tuple[Project, dict[str, Ran]]) -> None:
    """A lock item is a test case with its outcome as a property and its text as the failure."""
    project, _ = changed
    cases = {
        f"{one.get('classname')}::{one.get('name')}": one
        for one in ET.parse(project.root / "junit.xml").iter("testcase")
    }
    (found,) = cases["mine::lock"].iter("property")
    assert (found.get("name"), found.get("value")) == ("lock", "mine: both changed")
    assert "semantics.prefix[0]: 7 -> 8" in (cases["mine::lock"].findtext("failure") or "")


def test_two_workers_find_what_one_finds(changed: tuple[Project, dict[str, Ran]]) -> None:
    """Under `-n 2` the same items fail, and the summary counts them all."""
    _, ran = changed
    assert ran["two workers"].code == 1
    assert "lock packproof.lock.json: 1 of 2 as pinned, 1 obsolete" in ran["two workers"].out
    assert ran["two workers"].out.count("semantics.prefix[0]: 7 -> 8") == 1


@pytest.mark.parametrize(("name", "code"), [("selected", 1), ("k", 0), ("one", 0)])
def test_an_incomplete_run_knows_of_no_obsolete_entry(
    changed: tuple[Project, dict[str, Ran]], name: str, code: int
) -> None:
    """With rules or packers left out by an option or by `-k`, the entries without a packer are skipped."""
    _, ran = changed
    assert ran[name].code == code, ran[name].out
    assert "1 skipped" in ran[name].out
    assert "obsolete" not in ran[name].out.replace("obsolete entries", "")


def test_a_key_of_the_table_is_enough(project: Project) -> None:
    """With `packer-lock` in the table plain `pytest` holds the packers, from any folder of the project."""
    lock_project(project)
    project.table(packer='["mine=locked:Prefixed"]', packer_lock='"pins.json"', packer_effort='"quick"')
    assert project.run("packproof", "lock").code == 0
    project.write("sub/test_own.py", "def test_own():\n    pass\n")
    ran = project.pytest("-k", "lock or own", cwd="sub")
    assert ran.code == 0, ran.out
    assert "lock ../pins.json: 1 of 1 as pinned" in ran.out
    assert "3 passed" in ran.out


def test_what_only_passes_with_a_note_is_told(project: Project) -> None:
    """A class whose source alone is another passes, and the summary says so."""
    lock_project(project)
    project.table(packer='["mine=locked:Prefixed"]')
    assert project.run("packproof", "lock").code == 0
    source = (project.root / "locked.py").read_text(encoding="utf-8")
    project.write(
        "locked.py", source.replace("        self.settings = settings()", "        self.settings = settings()  # read")
    )
    ran = project.pytest(*FLAGS, "-k", "mine and lock")
    assert ran.code == 0, ran.out
    assert "lock packproof.lock.json: 1 of 1 as pinned\n  mine   locked:Prefixed" in ran.out
    assert "    note        the source of the packer's class changed" in ran.out


def test_a_lock_that_is_not_there_yet(project: Project) -> None:
    """Every packer fails, the file that is missing is named, and the command that writes it."""
    ran = project.pytest("--packer", "packers:Plain", "--packer-lock", "pins.json", "--packer-select", "MASK-2")
    assert ran.code == 1
    assert "  found       not pinned yet" in ran.out
    assert "  lock        pins.json, which is not there yet" in ran.out
    assert "  go on       packproof lock --packer packers:Plain --file pins.json" in ran.out


def test_a_broken_lock_is_told_before_anything_runs(project: Project) -> None:
    """A file that is no lock is a usage error, with its place, and no item is run."""
    project.write("pins.json", "{\n<<<<<<< HEAD\n")
    ran = project.pytest("--packer", "packers:Plain", "--packer-lock", "pins.json")
    assert ran.code == 4
    assert "ERROR: pins.json:2: holds a merge conflict." in ran.err
    assert "passed" not in ran.out


def test_the_option_needs_a_packer_and_a_name(project: Project) -> None:
    """With nothing named there is nothing to hold, and an empty name is no file."""
    assert (
        "--packer-lock: nothing to prove is named; add --packer module:factory"
        in project.pytest("--packer-lock", "pins.json").err
    )
    assert "nothing is named" in project.pytest("--packer", "packers:Plain", "--packer-lock", " ").err


def test_a_replay_asks_for_no_lock(project: Project) -> None:
    """A run of one case file holds nothing to the lock."""
    project.write(
        "case.json",
        '{"requirement": "MASK-2", "case": {"kind": "policy", "sample": {"prompt_ids": [1], "completion": [2]}}}',
    )
    ran = project.pytest("--packer", "packers:Plain", "--packer-lock", "pins.json", "--packer-replay", "case.json")
    assert ran.code == 0, ran.out
    assert "1 passed" in ran.out


def test_a_packer_that_cannot_be_measured_fails_its_item(project: Project) -> None:
    """A declaration that is none fails the lock item alone; the rules are tried all the same."""
    project.write(
        "odd.py",
        "import packers\n\nclass Odd(packers.Plain):\n    def validation_semantics_identity(self): return {1: 2}\n",
    )
    ran = project.pytest("--packer", "odd:Odd", "--packer-lock", "pins.json", *MASKS)
    assert ran.code == 1
    assert "  found       not measured: odd.Odd.validation_semantics_identity():" in ran.out
    assert "1 failed, 2 passed, 1 skipped" in ran.out
