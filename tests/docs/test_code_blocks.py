"""Every code block of the README and the guides that can run is run, and every command shows what the page shows.

`python`, `toml` and `json` blocks with a title are files, other `python` blocks run in one process per page, and a
`console` block runs its `$` lines and must print its other lines, in order (`exit=1` in its head: the last command
fails). `sh` blocks install things, `yaml` blocks configure a CI, `text` and untitled `json` blocks are excerpts; what
they promise is tested elsewhere.
"""

import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
LANGUAGES = {"python", "toml", "yaml", "json", "console", "sh", "text"}
BLOCK = re.compile(r"^```(?P<language>\w+)(?P<head>[^\n]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
QUOTED_ELSEWHERE = {"wrap-what-you-have.md"}  # its blocks are quoted from tested files; tests/adapters holds them equal
RUN = [page for page in PAGES if page.name not in QUOTED_ELSEWHERE]


@dataclass(frozen=True)
class Block:
    """One fenced block of a page."""

    language: str
    head: str
    body: str

    @property
    def file(self) -> str:
        """The file that the block is, or an empty string."""
        title = re.search(r'title="([^"]+)"', self.head)
        return title[1] if title else ""


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page in order."""
    return [Block(m["language"], m["head"], m["body"]) for m in BLOCK.finditer(page.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_fence_says_what_it_is(page: Path) -> None:
    """No block of a page is in a language that this test does not know how to treat."""
    fences = re.findall(r"^```(\S*)", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert set(fences[::2]) <= LANGUAGES
    assert set(fences[1::2]) <= {""}


@pytest.mark.parametrize("page", RUN, ids=lambda page: page.name)
def test_the_blocks_of_a_page_do_what_the_page_says(page: Path, tmp_path: Path) -> None:
    """Files of the page are written, its Python runs, and its commands print what is shown."""
    script = []
    for block in blocks(page):
        if block.file:
            (tmp_path / block.file).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / block.file).write_text(block.body, encoding="utf-8")
        elif block.language == "python":
            script.append(block.body)
        elif block.language == "console":
            _console(block, tmp_path)
    if script:
        done = _run([sys.executable, "-c", "\n".join(script)], tmp_path)
        assert done.returncode == 0, done.stderr
    for test_file in tmp_path.glob("test_*.py"):
        done = _run([sys.executable, "-m", "pytest", "-q", "-p", "no:packproof", test_file.name], tmp_path)
        assert done.returncode == 0, done.stdout


def test_the_failure_shown_in_the_readme_is_real(tmp_path: Path) -> None:
    """The failure text of the README is, line for line, what the packer of the first-run page gets."""
    shown = next(block.body for block in blocks(ROOT / "README.md") if "shifted right" in block.body)
    packer = next(block for block in blocks(ROOT / "docs" / "first-run.md") if block.file == "my_packer.py")
    (tmp_path / "my").mkdir()
    (tmp_path / "my" / "module.py").write_text(packer.body.replace("make_packer", "factory"), encoding="utf-8")
    command = ["pytest", "--packer", "my.module:factory", "--packer-select", "MASK-2"]
    done = _run([sys.executable, "-m", *command], tmp_path)
    assert shown in done.stdout


def test_the_remedy_of_the_objective_page_is_one(tmp_path: Path) -> None:
    """With the mask cut as the page says, the objective shown there keeps the rule that it broke."""
    page = ROOT / "docs" / "prove-an-objective.md"
    shown = next(block for block in blocks(page) if block.file == "my_objective.py")
    assert "With `[:, :-1]` this objective keeps OBJ-5" in page.read_text(encoding="utf-8")
    (tmp_path / shown.file).write_text(shown.body.replace("[:, 1:]\n", "[:, :-1]\n"), encoding="utf-8")
    command = ["pytest", "--objective", "my_objective:Objective", "--packer-select", "OBJ-5"]
    done = _run([sys.executable, "-m", *command], tmp_path)
    assert "1 passed" in done.stdout


def _console(block: Block, folder: Path) -> None:
    expected = 1 if "exit=1" in block.head else 0
    for part in re.split(r"^\$ ", block.body, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        words = shlex.split(command)
        words[0] = str(Path(sys.executable).with_name(words[0]))
        done = _run(words, folder)
        assert done.returncode == expected, done.stdout + done.stderr
        at = 0
        for line in filter(None, shown.splitlines()):
            at = done.stdout.find(line, at)
            assert at >= 0, f"{command!r} does not print {line!r} here:\n{done.stdout}"


def _run(words: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    at_a_desk = {name: value for name, value in os.environ.items() if name != "CI"}  # where a lock may be written
    return subprocess.run(words, cwd=folder, env=at_a_desk, capture_output=True, text=True, timeout=300, check=False)
