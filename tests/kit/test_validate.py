"""`packproof validate`: what is counted and printed, and the exit codes."""

import io
import json
import os
import subprocess
import sys
import termios
from pathlib import Path

import pytest
from data_to_check import BAD, GOOD, document, lines
from user_project import Project

from packer_schemas import IdentityDocument
from packproof.cli import main


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_good_lines_are_counted(validate) -> None:
    """A file without a fault is one line and exit code 0."""
    assert validate("--schema", "trajectory", lines("t.jsonl", *[GOOD] * 1234)) == (
        0,
        ["t.jsonl: 1,234 lines valid against trajectory"],
        "",
    )
    assert validate("--schema", "trajectory", lines("one.ndjson", GOOD))[1] == [
        "one.ndjson: 1 line valid against trajectory"
    ]


def test_a_bad_line_is_named_by_file_line_and_path(validate) -> None:
    """Each problem is one line: where, at which path, what was expected and what is there; exit code 1."""
    code, shown, _ = validate("--schema", "trajectory", lines("t.jsonl", GOOD, BAD, GOOD, {"completion": "x"}))
    assert code == 1
    assert shown == [
        "t.jsonl:2  completion[1]  expected an integer >= 0, got -2",
        "t.jsonl:4  obs  expected an object, got nothing",
        "t.jsonl: 2 of 4 lines invalid against trajectory",
    ]


def test_the_places_in_a_json_file_are_paths(validate) -> None:
    """A whole JSON file is one document; its problems have paths, and its summary no count."""
    case = {"requirement": "MASK-2", "case": {"kind": "policy", "sample": {"completion": 3}}}
    code, shown, _ = validate("--schema", "case-file", document("c.json", case))
    assert (code, shown) == (
        1,
        ["c.json  case.sample.completion  expected a string or an array, got 3", "c.json: invalid against case-file"],
    )
    case["case"]["sample"]["completion"] = [3]
    assert validate("--schema", "case-file", document("c.json", case))[:2] == (0, ["c.json: valid against case-file"])


def test_problems_are_printed_up_to_a_limit_and_counted_beyond(validate) -> None:
    """Twenty problems are printed, or as many as `--limit` says, over all files; the others are counted exactly."""
    many = [lines("a.jsonl", *[BAD] * 15), lines("b.jsonl", *[BAD] * 15)]
    code, shown, _ = validate("--schema", "trajectory", *many)
    assert code == 1
    assert sum("expected an integer" in line for line in shown) == 20
    assert shown[-1] == "... and 10 more problems; --limit 0 prints them all"
    assert "b.jsonl: 15 of 15 lines invalid against trajectory" in shown
    assert validate("--schema", "trajectory", "--limit", "29", *many)[1][-1].startswith("... and 1 more problem;")
    for limit in ("30", "0"):
        shown = validate("--schema", "trajectory", "--limit", limit, *many)[1]
        assert sum("expected an integer" in line for line in shown) == 30
        assert not shown[-1].startswith("...")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("missing.jsonl", "missing.jsonl: cannot be read: No such file or directory."),
        ("missing", "missing: cannot be read: No such file or directory."),
        ("x" * 300, f"{'x' * 300}: cannot be read: File name too long."),
        ("", "'': expected the name of a file, got nothing."),
        ("folder.json", "folder.json: is a folder; name the files in it."),
        ("folder", "folder: is a folder; name the files in it."),
        ("notes.txt", "notes.txt: expected a .json, .jsonl, .ndjson or .toml file, or - for lines."),
        ("t.jsonl.gz", "or - for lines. Unpacked: `gunzip -c t.jsonl.gz | packproof validate --schema NAME -`."),
    ],
)
def test_what_is_no_data_file_is_told_before_any_is_read(validate, name: str, said: str) -> None:
    """A missing file, a folder and an unknown ending are one message and exit code 2, and no other file is read."""
    Path("folder.json").mkdir()
    Path("folder").mkdir()
    Path("notes.txt").touch()
    Path("t.jsonl.gz").touch()
    code, shown, error = validate("--schema", "trajectory", lines("t.jsonl", BAD), name)
    assert (code, shown) == (2, [])
    assert said in error


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser reads everything")
def test_a_file_that_may_not_be_read_is_a_mistake(validate) -> None:
    """A file without the right to read it is exit code 2."""
    Path(lines("t.jsonl", GOOD)).chmod(0)
    assert "t.jsonl: cannot be read: Permission denied." in validate("--schema", "trajectory", "t.jsonl")[2]


def test_other_mistakes_in_the_arguments(validate, capsys) -> None:
    """A negative limit, standard input twice and no file at all are exit code 2."""
    assert validate("--limit", "-1", "a.jsonl")[2] == (
        "packproof: --limit -1: expected 0, for all problems, or a number of them.\n"
    )
    twice = "packproof: --schema: expected it once, got 'lock' and 'report'.\n"
    assert validate("--schema", "lock", "--schema", "report", "a.json")[2] == twice
    assert validate("--schema", "", "-")[2].startswith(
        "packproof: --schema '': expected the name of a schema or the path"
    )
    shown = validate("--schema", "x" * 300, "-")[2]
    assert shown.startswith(f"packproof: --schema: unknown schema '{'x' * 57}...'. They are build-spec, ")
    assert validate("--schema", "trajectory", "-", "-")[2] == "packproof: -: standard input can be read only once.\n"
    with pytest.raises(SystemExit) as caught:
        main(["validate"])
    assert caught.value.code == 2
    assert "FILE" in capsys.readouterr().err


def test_standard_input_is_json_lines(validate, monkeypatch: pytest.MonkeyPatch) -> None:
    """`-` reads JSON Lines from standard input."""
    text = "\n".join([json.dumps(GOOD), json.dumps(BAD)])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert validate("--schema", "trajectory", "-")[1] == [
        "<stdin>:2  completion[1]  expected an integer >= 0, got -2",
        "<stdin>: 1 of 2 lines invalid against trajectory",
    ]


def test_what_the_model_knows_beyond_the_schema_is_told(validate) -> None:
    """Lengths that disagree and digests that do not fit are problems like others, with our own schemas."""
    uneven = {**GOOD, "policy_info": {"completion_ids": [1, 2], "logprobs": [-0.5]}}
    assert validate("--schema", "trajectory", lines("t.jsonl", uneven))[1][0] == (
        "t.jsonl:1  (document)  expected 2 logprobs in policy_info, one for each of the completion_ids, got 1"
    )
    forged = IdentityDocument.make("my.Packer", {"semantics": {"pad": 0}}).model_dump()
    forged["parts"]["semantics"]["value"]["pad"] = 1
    shown = validate("--schema", "identity-document", document("i.json", forged))[1]
    assert shown[0].startswith("i.json  parts.semantics  expected the sha256 ")
    routed = {"input_ids": [1, 2], "logprob_masks": [1], "forward_routing": [[[1, 2]]]}
    shown = validate("--schema", "policy-input", lines("p.jsonl", routed))[1]
    assert "expected 2 logprob_masks, one for each of the input_ids, got 1" in shown[0]


def test_a_table_of_known_failures_is_checked(validate) -> None:
    """A .toml file is a known-failures file unless it is said otherwise; dates count as dates."""
    entry = 'id = "AUTH-6"\nreason = "later"\nexpires = 2099-01-31\nwitness = {kind = "prompt", prompt = "a"}\n'
    Path("k.toml").write_text(f"[[known]]\n{entry}", encoding="utf-8")
    assert validate("k.toml")[:2] == (0, ["k.toml: valid against known-failures"])
    Path("k.toml").write_text("[[known]]\n" + entry.replace("2099-01-31", '"soon"'), encoding="utf-8")
    assert validate("k.toml")[1][0] == (
        'k.toml  known[0].expires  expected a string that is a date such as 2030-01-31, got "soon"'
    )
    Path("k.toml").write_text("a = 1\nb = = 2\n", encoding="utf-8")
    assert validate("k.toml")[1][0].startswith("k.toml:2  (document)  expected TOML, got something else at column 5")


def test_a_report_written_by_a_run_is_valid(project: Project) -> None:
    """What `--packer-report` writes keeps the report's schema."""
    target = ["--packer", "packers:Plain", "--packer-select", "MASK-2", "--packer-effort", "quick"]
    project.pytest(*target, "--packer-report", "report.json")
    ran = project.run("packproof", "validate", "--schema", "report", "report.json")
    assert (ran.code, ran.out) == (0, "report.json: valid against report\n")


@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak from /proc")
def test_memory_does_not_grow_with_the_file() -> None:
    """Thirty times as many lines take no more memory."""
    code = (
        "import sys; from packproof.cli import main; main(sys.argv[1:]);"
        "print(open('/proc/self/status').read().split('VmHWM:')[1].split()[0])"
    )
    peaks = []
    for count in (1_000, 30_000):
        name = lines("t.jsonl", *[{**GOOD, "completion": list(range(100))}] * count)
        words = [sys.executable, "-c", code, "validate", "--schema", "trajectory", name]
        done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=120)
        peaks.append(int(done.stdout.split()[-1]))
    assert peaks[1] < peaks[0] + 4000, f"KiB: {peaks}"


def test_progress_shows_on_a_terminal_alone() -> None:
    """A terminal on standard error sees how far the file is read; a pipe sees nothing."""
    words = [sys.executable, "-m", "packproof", "validate", "--schema", "trajectory", lines("t.jsonl", *[GOOD] * 2000)]
    assert subprocess.run(words, capture_output=True, check=True, timeout=120).stderr == b""
    terminal, side = os.openpty()
    termios.tcsetwinsize(side, (24, 80))
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=side, check=True, timeout=120)
    os.close(side)
    seen = os.read(terminal, 2000)
    os.close(terminal)
    assert b"t.jsonl: " in seen
    assert b"%|" in seen
    assert b"B/s" in seen
    assert done.stdout == b"t.jsonl: 2,000 lines valid against trajectory\n"
