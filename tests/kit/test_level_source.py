"""The level `source` as a user runs it: options, what is told, what is refused, and the Python face."""

import re
from pathlib import Path
from typing import Any

import pytest
from user_project import QUICK, Project, refusal_of

from packproof import check_packer, check_source
from packproof.violation import UsageError
from packproof.zoo.miniature_run import MiniatureRun
from packproof.zoo.miniature_source import MiniatureSource

ROWS = {"source": ["my_rows:rows"], "source-kwargs": ["path=rows.txt"]}
NAMED = ("--source", "my_rows:rows", "--source-kwargs", "path=rows.txt")
MODULE = """
class Rows:
    def __init__(self, path, copies=1):
        self.path = path
        self.rows = open(path).read().split() * copies

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return {"prompt": self.rows[index]}

    def cursor_fingerprint(self):
        return " ".join(self.rows)

    def membership_ids(self):
        return tuple(f"{self.path}:{place}:{row}" for place, row in enumerate(self.rows))


def rows(path):
    return Rows(path)


def stream():
    yield "a"


def splits():
    return {"train": [1]}


def empty():
    return []


def broken():
    raise OSError("no disk today")


def positional(path, /):
    return Rows(path)
"""


@pytest.fixture
def data(project: Project) -> Project:
    project.write("my_rows.py", MODULE)
    project.write("rows.txt", "one two\nthree four\n")
    return project


def test_a_source_is_held_to_the_rules_that_bind_it(data: Project) -> None:
    """The run reports the level, the broken rule with the change that showed it, and which rules need a run."""
    ran = data.pytest(*NAMED, *QUICK)
    assert ran.code == 1
    assert "level source, effort quick" in ran.out
    assert "SOURCE-13  MUST  membership_ids gives every item one id of its own" in ran.out
    assert ran.line("source  ").startswith("my_rows:rows")
    assert re.search(r"source\.membership_ids\(\)\[\d\], a line \w+ in the file path: line \d: the item was", ran.out)
    assert "no run named (--source-run)" in ran.out
    assert re.search(r"5 of 5 applicable rules ran, .* NOT CONFORMANT, 1 broken: SOURCE-13", ran.out)


def test_a_failure_is_replayed_by_its_command_and_by_its_case(data: Project) -> None:
    """The command names source, arguments and rule; the case file needs the source beside it."""
    ran = data.pytest(*NAMED, *QUICK, "--packer-select", "SOURCE-13")
    assert (
        ran.line("replay")
        == f"pytest {' '.join(NAMED)} --packer-select SOURCE-13 --packer-effort quick --packer-seed 0"
    )
    again = data.shell(ran.line("replay"))
    assert (again.code, again.line("got")) == (1, ran.line("got"))
    case = ran.line("case")
    kept = data.pytest(*NAMED, "--packer-replay", case)
    assert kept.code == 1
    assert "SOURCE-13 replay 1" in kept.out
    alone = data.pytest("--packer", "packers:Plain", "--packer-replay", case)
    assert alone.code == 4
    assert "SOURCE-13 binds data sources and runs; name one with --source module:factory" in alone.err


def test_packers_and_sources_run_side_by_side(data: Project) -> None:
    """Each is held to rules of its own kind, in one report; a selection picks for both."""
    ran = data.pytest("--packer", "packers:Plain", *NAMED, *QUICK, "--packer-select", "MASK-2,SOURCE-4", "-v")
    assert ran.code == 0, ran.out
    assert re.search(r"packer::MASK-2 PASSED", ran.out)
    assert re.search(r"source::SOURCE-4 PASSED", ran.out)
    assert "2 passed" in ran.out
    assert "level core, source" in ran.out


def test_sources_may_stand_in_the_table(data: Project) -> None:
    """Keys of the table are the options; what the command line names runs without those of the other kind."""
    data.table(packer='["packers:Plain"]', source='["my_rows:rows"]', source_kwargs='{path = "rows.txt"}')
    both = data.pytest(*QUICK, "--packer-select", "MASK-2,SOURCE-4")
    assert "2 passed" in both.out
    sources = data.pytest(
        "--source", "my_rows:Rows", "--source-kwargs", "path=rows.txt", *QUICK, "--packer-select", "SOURCE-4"
    )
    assert "1 passed" in sources.out
    packers = data.pytest("--packer", "packers:Plain", *QUICK, "--packer-select", "MASK-2")
    assert "1 passed" in packers.out


MISTAKES: list[tuple[dict[str, Any], str]] = [
    ({"source": ["my_rows:stream"]}, "my_rows:stream() returned a generator, expected a map-style object"),
    ({"source": ["my_rows:splits"]}, "returned a dict, expected a map-style object with __len__ and __getitem__"),
    ({"source": ["my_rows:empty"]}, "returned a source of length 0"),
    ({"source": ["my_rows:broken"]}, "my_rows:broken() raised OSError: no disk today (my_rows.py:"),
    ({"source": ["my_rows:gone"]}, "'my_rows' has no attribute 'gone'"),
    (
        {"source": ["my_rows:rows"]},
        "cannot be called with --source-kwargs left out: missing a required argument: 'path'",
    ),
    ({**ROWS, "source-kwargs": ["path=rows.txt", "size=3"]}, "got an unexpected keyword argument 'size'"),
    ({**ROWS, "source": ["my_rows:positional"]}, "cannot be called with --source-kwargs"),
    ({**ROWS, "source-kwargs": ["rows.txt"]}, "--source-kwargs 'rows.txt': expected NAME=VALUE"),
    ({**ROWS, "source-kwargs": ["path=a", "path=b"]}, "--source-kwargs 'path=b': 'path' is given twice"),
    ({**ROWS, "source": ["a=my_rows:rows", "b=my_rows:rows"]}, "2 sources are named, expected one"),
    ({"source": ["my_rows:rows", "my_rows:rows"]}, "the label 'rows' is taken"),
    ({**ROWS, "packer": ["source=packers:Plain"]}, "the label 'source' is that of a packer and of a source"),
    ({**ROWS, "packer-select": ["MASK-2"]}, "MASK-2 binds packers; name one with --packer"),
    ({"packer": ["packers:Plain"], "packer-select": ["SOURCE-3"]}, "SOURCE-3 binds data sources and runs"),
    ({"packer": ["packers:Plain"], "packer-level": ["source"]}, "its rules bind data sources and runs, and no packer"),
    ({"source-run": "my_rows:empty"}, "expected a factory of a run that takes sources in, an object with open_prompts"),
    ({**ROWS, "packer-spec": "0.1"}, "spec 0.1 has no such rules"),
    ({"source": [""]}, "nothing is named"),
]


@pytest.mark.parametrize(("given", "said"), MISTAKES, ids=[said for _, said in MISTAKES])
def test_a_mistake_in_an_option_is_a_usage_error(
    data: Project, given: dict[str, Any], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was given and what was expected stand in one message, and nothing runs."""
    assert said in refusal_of(data, given, "my_rows", monkeypatch)


def test_a_mistake_is_told_in_one_line(data: Project) -> None:
    """At the terminal a mistake ends the run with exit code 4, one message and no traceback."""
    for options in (["--source", "my_rows:splits"], ["--source-kwargs", "path=rows.txt"]):
        ran = data.pytest(*options)
        assert ran.code == 4
        assert re.search(r"^ERROR: --source", ran.err)
        assert "Traceback" not in ran.text


def test_a_run_is_tried_alone_and_named_in_its_failures(data: Project) -> None:
    """Without a source the rules that bind one do not apply, and the failure speaks of the run."""
    data.write("my_run.py", "from packproof.zoo.miniature_run import MiniatureRun\n\n\nclass Deaf(MiniatureRun):\n"
               "    def refuse_overlap(self, training, held_out):\n        return None\n")  # fmt: skip
    ran = data.pytest("--source-run", "my_run:Deaf", *QUICK, "--packer-select", "SOURCE-3,SOURCE-14")
    assert ran.code == 1
    assert ran.line("run  ") == "my_run:Deaf"
    assert "no source named (--source)" in ran.out
    assert ran.line("replay").startswith("pytest --source-run my_run:Deaf --packer-select SOURCE-14")


def test_check_source_returns_a_report_and_raises_on_a_broken_rule(tmp_path: Path) -> None:
    """The Python face takes a factory and its arguments, a run as an object, and names what is broken."""
    report = check_source(MiniatureSource, MiniatureSource.arguments, run=MiniatureRun(), effort="quick")
    assert report.subjects[0].verdict == "conformant"
    assert {one.status for one in report.subjects[0].outcomes} == {"pass"}

    class Loose(MiniatureSource):
        def cursor_fingerprint(self) -> Any:
            return "sums"

    with pytest.raises(AssertionError, match=r"breaks one rule\n\nSOURCE-10  MUST") as raised:
        check_source(Loose, Loose.arguments, effort="quick", select="SOURCE-10,SOURCE-4")
    assert "check_source(..., select=['SOURCE-10'], effort='quick', seed=0)" in str(raised.value)
    assert "two lines" not in str(raised.value)


def test_the_faces_refuse_rules_of_the_other_kind() -> None:
    """`check_packer` takes no rule on sources, `check_source` none on packers, and neither goes without a subject."""
    with pytest.raises(UsageError, match="SOURCE-3 binds data sources and runs"):
        check_packer("packer_reference:make_packer", select="SOURCE-3")
    with pytest.raises(UsageError, match="MASK-2 binds packers"):
        check_source(MiniatureSource, MiniatureSource.arguments, select="MASK-2")
    with pytest.raises(UsageError, match="expected a source, a run, or both"):
        check_source()
