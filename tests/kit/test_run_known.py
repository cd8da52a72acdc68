"""Known failures: accepted with a witness, a reason and a last day, and nothing beyond that."""

from pathlib import Path

import pytest
from user_project import QUICK, Project, Ran

from packproof.cli import main
from packproof.known import load_known
from packproof.violation import UsageError

ENTRY = """
[[known]]
id = "{id}"
reason = "{reason}"
expires = {expires}
witness = {{kind = "policy", sample = {{prompt_ids = [17, 18], completion = [4, 9, 5], n_ignore_prefix_tokens = {n}}}}}
"""


def entry(id: str = "MASK-3", reason: str = "ignored for now", expires: str = "2999-01-31", n: int | str = 1) -> str:
    """One entry of a known-failures file."""
    return ENTRY.format(id=id, reason=reason, expires=expires, n=n)


def run(project: Project, text: str, packer: str = "packers:ShiftedWhenIgnoring", select: str = "MASK-2,MASK-3") -> Ran:
    """Run with this known-failures file."""
    project.write("known.toml", text)
    return project.pytest("--packer", packer, "--packer-known", "known.toml", *QUICK, "--packer-select", select, "-rx")


def test_an_accepted_failure_leaves_the_run_green_and_the_verdict_partial(project: Project) -> None:
    """While its witness fails, the rule is xfailed with the reason, the verdict is partial and the exit code 0."""
    project.write("known.toml", entry())
    ran = project.pytest("--packer", "packers:ShiftedWhenIgnoring", "--packer-known", "known.toml", *QUICK, "-rx")
    assert ran.code == 0, ran.text
    assert "XFAIL packer::MASK-3 - ignored for now" in ran.out
    assert "PARTIAL, 1 known failure" in ran.out
    assert "NOT CONFORMANT" not in ran.out


def test_a_witness_that_passes_makes_the_entry_stale(project: Project) -> None:
    """After the repair the entry is in the way: a failure that says to remove it."""
    ran = run(project, entry(), "packers:Plain")
    assert ran.code == 1
    assert "stale       the witness passes now; remove the entry from the known failures" in ran.out


def test_an_entry_past_its_day_is_stale(project: Project) -> None:
    """An expired entry fails, with its date and what to do."""
    ran = run(project, entry(expires="2020-02-29"))
    assert ran.code == 1
    assert "the known failure expired on 2020-02-29: repair it, or extend the date on purpose" in ran.out


def test_an_entry_for_a_rule_that_does_not_apply_is_stale(project: Project) -> None:
    """An entry for a rule that does not apply to the packer fails, with the reason."""
    ran = run(project, entry("MASK-7", n=0), select="MASK-7")
    assert ran.code == 1
    assert "a known failure is listed, but the rule does not apply" in ran.out


def test_a_second_bug_under_the_same_id_still_fails(project: Project) -> None:
    """A failure of another shape than the witness's is not hidden by the entry."""
    ran = run(project, entry(), "packers:ShiftedOrLost")
    assert ran.code == 1
    assert "MASK-3  MUST" in ran.out
    assert "n_ignore_prefix_tokens=2" in ran.line("call")


def test_two_witnesses_of_one_bug_are_both_live(project: Project) -> None:
    """Two entries whose witnesses fail alike are both known, and neither counts as stale."""
    ran = run(project, entry() + entry(reason="seen twice", n=2))
    assert ran.code == 0, ran.text
    assert "XFAIL packer::MASK-3 - ignored for now; seen twice" in ran.out


def test_a_known_hang_costs_its_limit_once_or_twice(project: Project) -> None:
    """A known failure that hangs is known as well, and does not make every case of the rule wait for its limit."""
    project.write("conftest.py", "from packproof import limits\nlimits.CASE_LIMIT_S = 0.3\n")
    witness = 'witness = {kind = "policy", sample = {prompt_ids = [17, 18], completion = []}}'
    known = f'[[known]]\nid = "MASK-5"\nreason = "waits"\nexpires = 2999-01-31\n{witness}\n'
    ran = run(project, known, "packers:Hangs", "MASK-5")
    assert ran.code == 0, ran.text
    assert "XFAIL packer::MASK-5 - waits" in ran.out


def test_an_entry_may_name_its_packer(project: Project) -> None:
    """With `packer = LABEL` an entry speaks of that packer alone."""
    project.write("known.toml", entry() + 'packer = "bad"\n')
    packers = ("--packer", "bad=packers:ShiftedWhenIgnoring", "--packer", "good=packers:Plain")
    ran = project.pytest(*packers, "--packer-known", "known.toml", *QUICK, "--packer-select", "MASK-3")
    assert ran.code == 0, ran.text
    assert "1 passed, 1 xfailed" in ran.out


def test_the_replay_command_brings_the_labels_that_the_file_names(project: Project) -> None:
    """The command printed under a failure runs as it is, also where the file of known failures names a packer."""
    project.write("known.toml", entry("MASK-2", n=0) + 'packer = "bad"\n')
    packers = ("--packer", "bad=packers:Shifted", "--packer", "good=packers:ShiftedWhenIgnoring")
    ran = project.pytest(*packers, "--packer-known", "known.toml", *QUICK, "--packer-select", "MASK-3")
    again = project.shell(ran.line("replay"))
    assert (ran.code, again.code) == (1, 1), again.text
    assert again.line("call") == ran.line("call")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[[known]\n", "known.toml:1: (document)  expected TOML, got something else at column 8"),
        ("known = " + "[" * 100_000, "known.toml: (document)  expected at most 200 levels of nesting, got more."),
        (entry("MASK-33"), "entry 1: unknown requirement 'MASK-33'. Did you mean MASK-3"),
        (entry(reason=" "), "known[1].reason: String should match pattern"),
        (entry().replace("reason", "because"), "known[1].reason: Field required"),
        (entry().replace("expires = 2999-01-31\n", ""), "known[1].expires: Field required"),
        (entry().replace("[4, 9, 5]", "[4.5]"), "known[1].witness.policy.sample.completion"),
        (entry().replace('"policy"', '"poilcy"'), "known[1].witness: Input tag 'poilcy' found using 'kind'"),
        (entry("LIFE-3", n=0), "entry 1: the witness: LIFE-3 is tried on 'setup' cases, this one is a 'policy' case."),
        (entry() + 'packer = "mine"\n', "entry 1: nothing is labelled 'mine'; the labels are packer."),
    ],
)
def test_a_mistake_in_the_file_is_a_usage_error(project: Project, text: str, says: str) -> None:
    """What is wrong with the file is told before anything runs, by entry and field, with exit code 4."""
    ran = run(project, text)
    assert ran.code == 4
    assert says in ran.err
    assert len(ran.err.strip().splitlines()) <= 15
    assert "Traceback" not in ran.text


@pytest.mark.parametrize(
    ("text", "fine"),
    [
        (entry(), True),
        (entry(expires='"2999-01-31"'), True),
        (entry().replace('"ignored for now"', "2030-01-31"), True),
        (entry(expires="2030-01-31T00:00:00"), False),
        (entry(n='"0"'), False),
        ("a" + ".a" * 3000 + " = 1", False),
        ("known = " + "9" * 5000, False),
        ("known = [inf]", False),
        ("\ufeff" + entry(), False),
    ],
    ids=range(9),
)
def test_the_run_and_validate_read_the_file_alike(tmp_path: Path, capsys, text: str, fine: bool) -> None:
    """What `packproof validate` says of a known-failures file is what a run makes of it; an unknown id apart."""
    path = tmp_path / "known.toml"
    path.write_text(text, encoding="utf-8")
    assert main(["validate", str(path)]) == (0 if fine else 1), capsys.readouterr().out
    if fine:
        assert len(load_known(path, ["packer"])) == 1
    else:
        with pytest.raises(UsageError, match=r"known\.toml"):
            load_known(path, ["packer"])


def test_a_missing_file_is_a_usage_error(project: Project) -> None:
    """A known-failures file that is not there is a usage error."""
    ran = project.pytest("--packer", "packers:Plain", "--packer-known", "nowhere.toml")
    assert ran.code == 4
    assert "nowhere.toml: cannot be read: No such file or directory." in ran.err
