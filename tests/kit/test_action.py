"""The GitHub action and the pre-commit hook do what they say: their steps are run as they stand in the YAML files.

They run in a copy of this project and in a virtual environment that has everything but packproof, which the action's
own first step puts there, without a network.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from lock_project import PACKERS, SETTINGS
from user_project import PACKERS as PLAIN
from user_project import Ran

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
BUILT_FROM = (
    "spec",
    "schemas",
    "conformance",
    "reference_impl",
    "pyproject.toml",
    "README.md",
    "LICENSE",
    "action.yml",
)
PROVIDES = ("runs", "inputs", "shell", "run", "env", "if", "name", "working-directory")


@dataclass(frozen=True)
class Machine:
    """A machine of a CI: a checkout of the action, and an interpreter."""

    action: Path
    python: Path

    def bash(self, script: str, folder: Path, **env: str) -> Ran:
        """Run a script as the CI runs a step whose shell is bash."""
        own = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYTEST_", "CI"))}
        offline = {
            "PIP_NO_INDEX": "1",
            "PIP_NO_DEPS": "1",
            "PIP_NO_BUILD_ISOLATION": "0",  # pip reads this one the wrong way round: no isolation
            "PIP_CONFIG_FILE": os.devnull,
        }
        path = f"{self.python.parent}{os.pathsep}{own['PATH']}"
        more = {"PATH": path, "GITHUB_ACTION_PATH": str(self.action), "CI": "true", **offline, **env}
        words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
        done = subprocess.run(
            words, cwd=folder, env={**own, **more}, capture_output=True, text=True, timeout=300, check=False
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    def use(self, folder: Path, **inputs: str) -> list[tuple[str, Ran]]:
        """Run the action's steps with these inputs, those that their `if` lets run; what each left, by name."""
        given = {name: one["default"] for name, one in ACTION["inputs"].items()}
        given |= {name.replace("_", "-"): value for name, value in inputs.items()}
        ran = []
        for step in ACTION["runs"]["steps"]:
            if not _holds(step["if"], given):
                continue
            env = {name: _filled(value, given) for name, value in step.get("env", {}).items()}
            where = folder / _filled(step.get("working-directory", "."), given)
            ran.append((step["name"], self.bash(step["run"], where, **env)))
            if ran[-1][1].code:
                break
        return ran


def _filled(text: str, inputs: dict[str, str]) -> str:
    """A text with its `${{ inputs.NAME }}` replaced, as the CI does it; there is no other expression in it."""
    filled = re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda found: inputs[found[1]], text)
    assert "${{" not in filled
    return filled


def _holds(condition: str, inputs: dict[str, str]) -> bool:
    """The one kind of condition that the action has."""
    found = re.fullmatch(r"inputs\.([\w-]+) == '(\w+)'", condition)
    assert found, condition
    return inputs[found[1]] == found[2]


def make_machine(folder: Path) -> Machine:
    """A copy of this project, and a new virtual environment that sees the packages of this one's folders."""
    for name in BUILT_FROM:
        source, target = ROOT / name, folder / "action" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    venv.create(folder / "env", with_pip=True)
    (site,) = (folder / "env").glob("lib/python*/site-packages")
    packages = [path for path in sys.path if Path(path).name in ("site-packages", "dist-packages")]
    (site / "others.pth").write_text("\n".join(packages), encoding="utf-8")
    return Machine(folder / "action", folder / "env" / "bin" / "python")


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    """A machine on which the action's first step has run."""
    made = make_machine(tmp_path_factory.mktemp("machine"))
    ((name, ran),) = made.use(made.action, lock="false")
    assert name == "Install packproof"
    assert ran.code == 0, ran.text
    return made


@pytest.fixture
def checkout(tmp_path: Path, machine: Machine) -> Path:
    """A user's repository with two packers in a folder of it, locked by the packproof that the action installed."""
    project = tmp_path / "repository" / "my project"
    project.mkdir(parents=True)
    texts = {"packers.py": PLAIN, "locked.py": PACKERS, "settings.json": SETTINGS}
    texts["pyproject.toml"] = '[tool.packproof]\npacker = ["mine=locked:Prefixed", "silent=locked:Silent"]\n'
    for name, text in texts.items():
        (project / name).write_text(text, encoding="utf-8")
    assert machine.bash("packproof lock", project, CI="").code == 0
    return project


def test_the_action_installs_itself(machine: Machine) -> None:
    """What its first step installed is this very source, in the environment of the job."""
    script = "cd /; python -c 'import packproof, packer_schemas; print(packproof.__file__, packer_schemas.__file__)'"
    ran = machine.bash(script, machine.action)
    assert ran.out.count(str(machine.python.parents[1])) == 2, ran.text
    assert "0.2.0" in machine.bash("python -m pip show packproof", machine.action).out


def test_the_action_holds_a_lock(machine: Machine, checkout: Path) -> None:
    """The job is green while the packers are as pinned, and red with the finding when they are not."""
    ((name, ran),) = machine.use(checkout.parent, install="false", working_directory="my project")
    assert (name, ran.code) == ("Hold packers to their lock", 0), ran.text
    assert "packproof.lock.json: 2 as pinned" in ran.out
    (checkout / "settings.json").write_text(SETTINGS.replace("[7]", "[8]"), encoding="utf-8")
    ((_, ran),) = machine.use(checkout, install="false")
    assert ran.code == 1
    assert "semantics.prefix[0]: 7 -> 8" in ran.out


def test_inputs_reach_the_command_as_they_are(machine: Machine, checkout: Path) -> None:
    """Packers stand one a line, and a name with spaces or with what a shell would obey is a name."""
    packers = "mine=locked:Prefixed\n\nsilent=locked:Silent"
    file = "pins $(touch broken) `id`.json"
    (checkout / "packproof.lock.json").rename(checkout / file)
    ((_, ran),) = machine.use(checkout, install="false", packer=packers, lock_file=file)
    assert ran.code == 0, ran.text
    assert f"{file}: 2 as pinned" in ran.out
    ((_, ran),) = machine.use(checkout, install="false", packer="mine=locked:Nobody")
    assert ran.code == 2
    assert not (checkout / "broken").exists()


def test_the_action_proves_packers(machine: Machine, checkout: Path) -> None:
    """With `conformance` the rules are tried after the lock, and the report is where it was asked for."""
    more = {"conformance": "true", "packer": "plain=packers:Plain", "effort": "quick", "report": "out/report.json"}
    ((name, ran),) = machine.use(checkout, install="false", lock="false", **more)
    assert (name, ran.code) == ("Prove packers", 0), ran.text
    assert "CONFORMANT" in ran.out
    assert (checkout / "out" / "report.json").exists()
    steps = machine.use(checkout, install="false", **(more | {"packer": "bad=packers:Shifted"}))
    assert [name for name, _ in steps] == ["Hold packers to their lock"]  # bad is not pinned: the job ends there
    assert steps[0][1].code == 1


def test_the_hook_holds_a_lock(machine: Machine, checkout: Path) -> None:
    """The entry of the pre-commit hook, run in a repository without any file name, checks the lock there."""
    (hook,) = HOOKS
    run = shlex.join(shlex.split(hook["entry"]))
    assert machine.bash(run, checkout).code == 0
    (checkout / "settings.json").write_text(SETTINGS.replace("[7]", "[8]"), encoding="utf-8")
    ran = machine.bash(run, checkout)
    assert ran.code == 1
    assert "semantics.prefix[0]: 7 -> 8" in ran.out


def test_the_files_have_what_their_readers_want() -> None:
    """The action is composite, each step has a shell, inputs are told and used; the hook has what a hook needs."""
    runs = ACTION["runs"]
    assert runs["using"] == "composite"
    assert all(step["shell"] == "bash" for step in runs["steps"])
    assert all(one["description"] and isinstance(one["default"], str) for one in ACTION["inputs"].values())
    text = yaml.safe_dump(runs)
    assert set(re.findall(r"inputs\.([\w-]+)", text)) == set(ACTION["inputs"])
    assert not any("${{" in step["run"] for step in runs["steps"])  # what a pull request says would run as a script
    (hook,) = HOOKS
    wanted = {"id": "packproof-lock", "language": "system", "pass_filenames": False, "always_run": True}
    assert {name: hook[name] for name in wanted} == wanted
