"""What becomes of a command whose output is closed, full or ASCII, whose reader leaves, or that is interrupted."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from user_project import Project

VALIDATE = "packproof validate --limit 0 --schema trajectory"


@pytest.fixture
def bad(project: Project) -> Project:
    """A project with a file of many bad lines, each of which has a key that is not ASCII."""
    project.write("bad.jsonl", (json.dumps({"ключ": 1}, ensure_ascii=False) + "\n") * 5000)
    return project


def test_a_reader_that_leaves_early_gets_no_verdict(bad: Project) -> None:
    """`packproof validate ... | head -1` on a bad file is 141, as of a program that a broken pipe ended, and not 0."""
    ran = bad.shell(f"{VALIDATE} bad.jsonl | head -1; exit ${{PIPESTATUS[0]}}")
    assert (ran.code, ran.err) == (141, "")
    assert len(ran.out.splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (f"{VALIDATE} bad.jsonl >&-", "standard output cannot be written: it is closed."),
        (f"{VALIDATE} bad.jsonl >/dev/full", "standard output cannot be written: No space left on device."),
        ("packproof list >/dev/full", "standard output cannot be written: No space left on device."),
        (f"{VALIDATE} - <&-", "-: standard input is closed."),
    ],
)
def test_a_stream_that_cannot_be_used_is_one_message(bad: Project, words: str, said: str) -> None:
    """Standard output or input that is closed or full is one line on standard error and exit code 2."""
    ran = bad.shell(words)
    assert (ran.code, ran.err) == (2, f"packproof: {said}\n")


def test_without_standard_error_the_output_is_the_same(bad: Project) -> None:
    """A closed standard error changes neither the output nor the exit code."""
    ran = bad.shell(f"{VALIDATE} bad.jsonl 2>&-")
    assert ran.code == 1
    assert ran.out == bad.shell(f"{VALIDATE} bad.jsonl").out


def test_what_a_stream_has_no_letters_for_is_escaped(bad: Project) -> None:
    """A key that an ASCII terminal cannot show is printed escaped."""
    ran = bad.shell(f"{VALIDATE} bad.jsonl", PYTHONIOENCODING="ascii")
    assert ran.code == 1
    assert "\\u043a\\u043b\\u044e\\u0447  expected no such key" in ran.out
    assert ran.err == ""


def test_a_file_name_is_printed_on_one_line(project: Project) -> None:
    """Control characters in the name of a file are escaped in messages."""
    ran = project.run("packproof", "validate", "--schema", "lock", "a\n\x1b[31m.json")
    assert (ran.code, ran.err) == (2, "packproof: a\\n\\x1b[31m.json: cannot be read: No such file or directory.\n")


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Processes that are started here hear Ctrl-C, also where the tests run in the background of a script."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_is_one_line(tmp_path: Path) -> None:
    """An interrupted command says so in one line, with exit code 130, as a shell has it."""
    words = [sys.executable, "-m", "packproof", "validate", "--schema", "trajectory", "-"]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, text=True, cwd=tmp_path) as process:
        assert process.stdin is not None
        for _ in range(2000):  # more than a pipe holds, so that the last is written when reading has begun
            process.stdin.write("1" * 100 + "\n")
        process.stdin.flush()
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        process.wait(60)
        assert process.stderr is not None
        assert process.stderr.read() == "packproof: interrupted\n"
        assert process.returncode == 130
