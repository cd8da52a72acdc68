"""Packers that hang, leave, die or waver: the run says so, goes on where it can, and leaves nothing behind."""

from pathlib import Path

import pytest
from user_project import QUICK, Project, Ran

LIMITS = "from packproof import flight_recorder, limits\nlimits.CASE_LIMIT_S = 0.5\nflight_recorder.HARD_LIMIT_S = 2\n"
CALL = "get_policy_input(sample, [], prompt_ids=[110, 111])"
RULES = ("--packer-select", "MASK-2,MASK-5")


class Hut(Project):
    """A project with short limits and a folder for temporary files of its own."""

    def wild(self, packer: str, *words: str) -> Ran:
        """Run two rules on a packer that is wild in the second."""
        self.write("conftest.py", LIMITS)
        self.write("tmp/here", "")
        return self.pytest("--packer", f"packers:{packer}", *QUICK, *RULES, *words, TMPDIR=str(self.root / "tmp"))

    def left_behind(self) -> list[str]:
        """Notes of flight recorders, and processes that watch one."""
        notes = [str(path) for path in (self.root / "tmp").glob("packproof-*")]
        commands = [path.read_bytes().decode(errors="replace") for path in _command_lines()]
        return notes + [command for command in commands if str(self.root) in command]


def _command_lines() -> list[Path]:
    return [path for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]


@pytest.fixture
def hut(tmp_path: Path) -> Hut:
    return Hut(tmp_path / "project")


@pytest.mark.parametrize("packer", ["Hangs", "HangsAndSwallows", "SwallowsOnce"])
def test_a_call_that_hangs_is_ended_and_named(hut: Hut, packer: str) -> None:
    """A call that hangs fails its rule by name and limit, also if it swallows exceptions, and the run goes on."""
    ran = hut.wild(packer)
    assert ran.code == 1
    assert "1 failed, 1 passed" in ran.out
    assert ran.line("call") == CALL
    assert ran.line("got") == "no answer within 0.5 s"
    assert hut.left_behind() == []


@pytest.mark.parametrize(("packer", "how"), [("SysExits", "SystemExit(3)"), ("OsExits", "os._exit(3)")])
def test_a_call_that_leaves_is_kept_and_named(hut: Hut, packer: str, how: str) -> None:
    """A call that tries to end the process fails its rule, and the run goes on."""
    ran = hut.wild(packer)
    assert ran.code == 1
    assert "1 failed, 1 passed" in ran.out
    assert ran.line("call") == CALL
    assert ran.line("got") == f"tried to end the process: {how}"
    assert hut.left_behind() == []


def test_a_forked_child_may_end_as_it_likes(hut: Hut) -> None:
    """A packer whose forked child ends with `os._exit`, as children of multiprocessing do, is left in peace."""
    ran = hut.wild("Forks")
    assert ran.code == 0
    assert ran.out.count("packer conformance") == 1
    assert "2 passed" in ran.out


def test_a_packer_that_kills_the_interpreter_is_named_from_outside(hut: Hut) -> None:
    """When the interpreter dies, standard error says in which call of which packer, and nothing is left behind."""
    ran = hut.wild("Dies")
    assert ran.code not in (0, 1)
    assert "packproof: the process died inside the packer, in" in ran.err
    assert f"packer (packers:Dies)  {CALL}" in ran.err
    assert "No verdict." in ran.err
    assert hut.left_behind() == []


def test_a_worker_that_dies_is_replaced(hut: Hut) -> None:
    """Under xdist the rule counts as failed, the other rules run, and there is no verdict."""
    ran = hut.wild("Dies", "-n", "2")
    assert ran.code == 1
    assert "1 failed, 1 passed" in ran.out
    assert f"packer (packers:Dies)  {CALL}" in ran.err
    assert "crashed while running 'packer::MASK-5'" in ran.out
    assert "incomplete run, no verdict" in ran.out
    assert hut.left_behind() == []


def test_a_hang_out_of_reach_of_python_is_ended_from_outside(hut: Hut) -> None:
    """A call that Python cannot interrupt is ended after the hard limit, by name."""
    ran = hut.wild("HangsInC")
    assert ran.code not in (0, 1)
    assert "packproof: no answer for 2 s; the process was ended inside the packer, in" in ran.err
    assert f"packer (packers:HangsInC)  {CALL}" in ran.err
    assert hut.left_behind() == []


def test_a_factory_that_kills_the_interpreter_is_named(hut: Hut) -> None:
    """Death while the packer is being built is reported in the same way."""
    hut.write("deadly.py", "import os, signal\n\ndef make():\n    os.kill(os.getpid(), signal.SIGSEGV)\n")
    hut.write("tmp/here", "")
    ran = hut.pytest("--packer", "deadly:make", TMPDIR=str(hut.root / "tmp"))
    assert ran.code not in (0, 1, 4)
    assert "packer (deadly:make)  deadly:make()" in ran.err
    assert hut.left_behind() == []


def test_a_usage_error_leaves_nothing_behind(hut: Hut) -> None:
    """A run that is refused after the recorder started takes it down again, without a word from it."""
    hut.write("tmp/here", "")
    ran = hut.pytest("--packer", "packers:ids", TMPDIR=str(hut.root / "tmp"))
    assert ran.code == 4
    assert "packproof:" not in ran.err
    assert hut.left_behind() == []


def test_a_packer_that_wavers_is_told_so(hut: Hut) -> None:
    """A packer that is wrong now and then fails with the words "not every time"; it is no error of the kit."""
    ran = hut.wild("NotEveryTime")
    assert ran.code == 1
    assert "shifted right by one, but not every time" in ran.out


def test_one_crash_is_shown_once(hut: Hut) -> None:
    """A crash that every rule meets is shown in full under the first and in one line under the others."""
    hut.write(
        "bad.py", "import packers\n\nclass Bad(packers.Plain):\n    def mask(self, *_):\n        return self.nothing\n"
    )
    ran = hut.pytest("--packer", "bad:Bad", *QUICK, "--packer-select", "MASK-2,MASK-5")
    assert ran.code == 1
    assert ran.out.count("raised AttributeError: 'Bad' object has no attribute 'nothing' (bad.py:5 in mask)") == 1
    assert "MASK-5  MUST  not reached: the packer fails as shown under MASK-2" in ran.out


COLOURED = """
import packers

RED = "\\x1b[31mred\\x07\\u202e"

class Name:
    def __repr__(self):
        return RED

class Raises(packers.Plain):
    def mask(self, *_):
        raise RuntimeError(RED)

class Returns(packers.Plain):
    def policy_compute_max_len(self, _):
        return Name()

def make():
    return Name()
"""


@pytest.mark.parametrize(("packer", "rule"), [("Raises", "MASK-2"), ("Returns", "COLL-15"), ("make", "MASK-2")])
def test_no_control_character_of_a_packer_reaches_the_terminal(hut: Hut, packer: str, rule: str) -> None:
    """Colours, bells and marks of direction in what a packer raises or returns are shown as escapes."""
    hut.write("coloured.py", COLOURED)
    ran = hut.pytest("--packer", f"coloured:{packer}", *QUICK, "--packer-select", rule)
    assert ran.code == (4 if packer == "make" else 1), ran.text
    assert "\\x1b[31mred\\x07\\u202e" in ran.text
    assert all(one.isprintable() or one == "\n" for one in ran.text)


ASYNC = """
import packers

class Policy(packers.Plain):
    async def get_policy_input(self, *given, **more):
        return super().get_policy_input(*given, **more)

class Setup(packers.Plain):
    async def setup(self, name_or_path, trust_remote_code=False):
        return None

async def make():
    return packers.Plain()
"""


@pytest.mark.parametrize(
    ("packer", "call"),
    [("Policy", "prompt_ids=[110, 111])"), ("Setup", "setup('tiny-qwen')"), ("make", "wild:make()")],
)
def test_an_async_method_is_named(hut: Hut, packer: str, call: str) -> None:
    """A coroutine in place of an answer is told by call and cause, without an address or a warning of Python."""
    hut.write("wild.py", ASYNC)
    ran = hut.pytest("--packer", f"wild:{packer}", *QUICK, "--packer-select", "MASK-5")
    text = " ".join(ran.text.split())
    assert ran.code == (1 if packer == "Policy" else 4), ran.text
    assert f"{call} " in text
    assert "returned a coroutine; the method is async" in text
    assert "a plain function" in text
    assert " at 0x" not in text
    assert "never awaited" not in text


def test_a_factory_that_builds_once_and_no_more(hut: Hut) -> None:
    """A factory that fails later on fails the rules that need another packer, and is not an error of the kit."""
    hut.write(
        "once.py",
        "import packers\n\nmade = []\n\ndef make():\n    made.append(1)\n"
        "    return packers.Plain() if len(made) < 3 else None\n",
    )
    ran = hut.pytest("--packer", "once:make", *QUICK, "--packer-select", "LIFE-1,MASK-2")
    assert ran.code == 1
    assert ran.line("got") == "returned None"
    assert "1 failed, 1 passed" in ran.out


def test_ctrl_c_ends_the_run_and_the_watcher(hut: Hut) -> None:
    """Ctrl-C, which reaches every process of the terminal's group, ends the run without a word from the watcher."""
    hut.write("slow.py", "import pathlib, packers\n\nclass Slow(packers.Hangs):\n    def wild(self):\n")
    with (hut.root / "slow.py").open("a") as module:
        module.write("        pathlib.Path('started').touch()\n        super().wild()\n")
    hut.write("tmp/here", "")
    interrupt = (
        "set -m; pytest --packer slow:Slow --packer-select MASK-5 & "
        "until [ -e started ]; do sleep 0.1; done; kill -INT -- -$!; wait $!"
    )
    ran = hut.shell(interrupt, TMPDIR=str(hut.root / "tmp"))
    assert ran.code == 2, ran.out
    assert "KeyboardInterrupt" in ran.out
    assert "packproof:" not in ran.err
    assert "Traceback" not in ran.err
    assert hut.left_behind() == []
