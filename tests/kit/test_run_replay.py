"""A failure is kept as a case file, and both the file and the printed command show it again."""

import json
import shlex

import pytest
from user_project import QUICK, Project, Ran


def run_failing(project: Project) -> Ran:
    """Run a packer that breaks one rule, in a project with a failing test of its own."""
    project.write("test_own.py", 'def test_wrong():\n    assert False, "the user\'s own test"\n')
    return project.pytest("--packer", "packers:Shifted", *QUICK, "--packer-select", "MASK-2,MASK-3")


@pytest.fixture
def failed(once) -> tuple[Project, Ran]:
    return once(run_failing)


def test_a_failing_case_is_kept_and_named(failed: tuple[Project, Ran]) -> None:
    """The failure text names a file in pytest's cache, which holds the rule, the packer and the smallest case."""
    project, ran = failed
    path = ran.line("case")
    assert path == ".pytest_cache/d/packproof-cases/packer-MASK-2.json"
    kept = json.loads((project.root / path).read_text())
    assert (kept["requirement"], kept["packer"]) == ("MASK-2", "packers:Shifted")
    assert kept["case"]["kind"] == "policy"
    assert kept["case"]["sample"] == {
        "prompt": "the prompt text",
        "prompt_ids": [110, 111],
        "completion": [120, 121],
        "n_ignore_prefix_tokens": 0,
    }


def test_the_file_alone_fails_the_same_way(failed: tuple[Project, Ran]) -> None:
    """`--packer-replay FILE` finds the packer in the file, runs that case and nothing else, and fails alike."""
    project, ran = failed
    again = project.pytest("--packer-replay", ran.line("case"), "-v")
    assert again.code == 1
    assert "packer::MASK-2 replay 1 FAILED" in again.out
    assert "1 failed" in again.out.splitlines()[-1]
    assert "the user's own test" not in again.out
    assert again.line("got") == ran.line("got")
    assert again.line("call") == ran.line("call")


def test_the_command_under_a_replayed_file_replays_that_file(failed: tuple[Project, Ran]) -> None:
    """A failure of a replayed file names that file as its case, and its command runs it again and nothing else."""
    project, ran = failed
    project.write("kept/one.json", (project.root / ran.line("case")).read_text())
    first = project.pytest("--packer", "mine=packers:Shifted", "--packer-replay", "kept/one.json")
    assert first.line("case") == "kept/one.json"
    assert first.line("replay") == "pytest --packer mine=packers:Shifted --packer-replay kept/one.json"
    again = project.shell(first.line("replay"))
    assert again.code == 1
    assert "1 failed" in again.out.splitlines()[-1]
    assert again.line("call") == ran.line("call")


def test_the_file_passes_after_the_repair(failed: tuple[Project, Ran]) -> None:
    """The same file passes on a packer without the fault."""
    project, ran = failed
    again = project.pytest("--packer", "packers:Plain", "--packer-replay", ran.line("case"))
    assert again.code == 0
    assert "1 passed" in again.out
    assert "CONFORMANT" not in again.out


def test_the_printed_command_reproduces_the_failure(failed: tuple[Project, Ran]) -> None:
    """The `replay` line is a command that gives the same counterexample."""
    project, ran = failed
    command, *words = shlex.split(ran.line("replay"))
    again = project.run(command, *words)
    assert again.code == 1
    assert again.line("got") == ran.line("got")


def test_several_files_find_their_own_packers(failed: tuple[Project, Ran]) -> None:
    """Of several files each runs on the packer it was found on; the table's labels are kept."""
    project, ran = failed
    text = (project.root / ran.line("case")).read_text()
    project.write("one.json", text)
    project.write("two.json", text.replace("Shifted", "Plain"))
    again = project.pytest("--packer-replay", "one.json", "--packer-replay", "two.json", "-v")
    assert "packers.Shifted::MASK-2 replay 1 FAILED" in again.out
    assert "packers.Plain::MASK-2 replay 1 PASSED" in again.out
    assert "1 failed, 1 passed" in again.out


def test_a_replay_can_be_reported(failed: tuple[Project, Ran]) -> None:
    """`--packer-report` of a replay holds what was replayed, without a verdict."""
    project, ran = failed
    project.pytest("--packer-replay", ran.line("case"), "--packer-report", "replayed.json")
    report = json.loads((project.root / "replayed.json").read_text())
    assert report["subjects"][0]["verdict"] == "incomplete"
    assert [one["status"] for one in report["subjects"][0]["outcomes"]] == ["fail"]


def test_deep_effort_prints_a_seed_that_repeats(project: Project) -> None:
    """A deep run draws its seed, and prints it in the summary and in the command, under xdist too."""
    packer = ("--packer", "packers:Shifted", "--packer-select", "MASK-2", "--packer-effort", "deep")
    ran = project.pytest(*packer, "-n", "2")
    seed = ran.out.partition("effort deep, seed ")[2].split()[0]
    assert int(seed) > 0
    assert ran.line("replay").endswith(f"--packer-effort deep --packer-seed {seed}")


CASE = '{"requirement": "MASK-2", "case": {"kind": "policy", "sample": {"prompt_ids": [1], "completion": [2]}}}'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "case.json: cannot be read: No such file or directory."),
        ("{", "case.json: not a case file: the file: Invalid JSON"),
        (CASE.replace("[2]", '"x", "more": 1'), "not a case file: case.policy.sample.more: Extra inputs"),
        (CASE.replace("MASK-2", "MASK-22"), "case.json: unknown requirement 'MASK-22'. Did you mean MASK-2"),
        (CASE.replace("MASK-2", "LIFE-3"), "LIFE-3 is tried on 'setup' cases, this one is a 'policy' case."),
    ],
)
def test_a_broken_case_file_is_a_usage_error(project: Project, text: str | None, says: str) -> None:
    """A case file that is missing, broken, or for another kind of rule: one message, exit code 4."""
    if text is not None:
        project.write("case.json", text)
    ran = project.pytest("--packer", "packers:Plain", "--packer-replay", "case.json")
    assert ran.code == 4
    assert says in ran.err
    assert len(ran.err.strip().splitlines()) <= 15


def test_a_case_file_without_a_packer_wants_one(project: Project) -> None:
    """Where the file names no packer, the message asks for one."""
    project.write("case.json", CASE)
    ran = project.pytest("--packer-replay", "case.json")
    assert ran.code == 4
    assert "--packer-replay: nothing to prove is named; add --packer module:factory, or --source," in ran.err
