"""A user's project in a folder of its own, and the processes run in it as the user would run them."""

import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from packproof.options import Options
from packproof.violation import UsageError

QUICK = ("--packer-effort", "quick")
MASKS = (*QUICK, "--packer-select", "MASK-2,MASK-3")

BYTECODE = "KIT_TESTS_BYTECODE"
"""Name of the variable that holds a folder for bytecode, where the environment keeps Python from writing it."""

PACKERS = Path(__file__).with_name("user_packers.py").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Ran:
    """What a finished process left."""

    code: int
    out: str
    err: str

    @property
    def text(self) -> str:
        """Both streams."""
        return self.out + self.err

    def line(self, start: str) -> str:
        """The rest of the first line that begins with `start`, white space aside."""
        lines = [line.strip() for line in self.text.splitlines()]
        return next(line.removeprefix(start).strip() for line in lines if line.startswith(start))


class Project:
    """A folder with `packers.py` in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        if not root.exists():
            self.write("packers.py", PACKERS)
            self.write("pytest.ini", "[pytest]\n")  # makes the folder its own root, wherever temporary folders lie

    def write(self, name: str, text: str) -> Path:
        """Write one file of the project."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def table(self, **keys: str) -> None:
        """Make pyproject.toml the root's only file, with `[tool.packproof]`; values are TOML."""
        lines = [f"{name.replace('_', '-')} = {value}" for name, value in keys.items()]
        self.write("pyproject.toml", "\n".join(["[tool.pytest.ini_options]", "", "[tool.packproof]", *lines, ""]))
        (self.root / "pytest.ini").unlink(missing_ok=True)

    def pytest(self, *arguments: str, cwd: str = "", limit_s: float = 240, **env: str) -> Ran:
        """Run the bare `pytest` command from the project's root, or from a folder in it."""
        return self.run("pytest", *arguments, cwd=cwd, limit_s=limit_s, **env)

    def run(self, command: str, *arguments: str, cwd: str = "", limit_s: float = 240, **env: str) -> Ran:
        """Run a command that lies beside the interpreter."""
        program = str(Path(sys.executable).with_name(command))
        return self._run([program, *arguments], cwd, limit_s, env)

    def shell(self, script: str, **env: str) -> Ran:
        """Run a bash script, which finds the commands beside the interpreter."""
        return self._run(["bash", "-c", script], "", 240, env)

    def _run(self, words: list[str], cwd: str, limit_s: float, env: dict[str, str]) -> Ran:
        own = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "COV_"))}
        for name in ("CI", "BUILD_NUMBER"):  # pytest then repeats whole failures in its short summary
            own.pop(name, None)
        if bytecode := own.pop(BYTECODE, ""):  # a process that compiles all it imports takes three times as long
            own |= {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": bytecode}
        path = f"{Path(sys.executable).parent}:{own.get('PATH', '')}"
        done = subprocess.run(
            words,
            cwd=self.root / cwd,
            env={**own, "COLUMNS": "100", "PATH": path, **env},
            capture_output=True,
            text=True,
            timeout=limit_s,
            stdin=subprocess.DEVNULL,
            check=False,
            preexec_fn=_as_in_a_terminal,
        )
        return Ran(done.returncode, done.stdout, done.stderr)


def refusal_of(project: Project, given: dict[str, Any], module: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """What a run in this process says of options that it refuses; `module` is the project's, and is imported anew."""
    monkeypatch.chdir(project.root)
    monkeypatch.syspath_prepend(project.root)
    monkeypatch.delitem(sys.modules, module, raising=False)
    with pytest.raises(UsageError) as raised:
        Options.make(given, {}, project.root).run()
    return str(raised.value)


def _as_in_a_terminal() -> None:
    """A shell that runs the tests in the background makes them, and what they start, deaf to Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
