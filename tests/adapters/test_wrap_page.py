"""The page "Wrap what you already have" shows the code and the report that the tests prove."""

import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
PAGE = (FOLDER.parents[1] / "docs" / "wrap-what-you-have.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)[^\n]*\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
CODE = [(FOLDER / name).read_text(encoding="utf-8") for name in ("trl_packer.py", "trl_conforming.py")]
REPORT = (FOLDER / "snapshots" / "trl.txt").read_text(encoding="utf-8")
FAILURES = {text.partition(" ")[0]: text for text in REPORT.split("\n\n")[2:]}


@pytest.mark.parametrize("block", [body for language, body in BLOCKS if language == "python"])
def test_a_python_block_is_quoted_from_an_adapter(block):
    """Every python block of the page stands, character for character, in one of the two adapter files."""
    assert any(block in code for code in CODE)


def test_the_python_blocks_are_the_whole_files():
    """Put together, the python blocks of the page are the two files, so that a reader misses nothing."""
    whole, *pieces = [body for language, body in BLOCKS if language == "python"]
    assert [whole, "\n".join(pieces)] == CODE


@pytest.mark.parametrize("block", [body for language, body in BLOCKS if language == "text"])
def test_a_text_block_is_quoted_from_the_report(block):
    """Every line of a text block stands in one failure of the stored report, in this order."""
    failure = FAILURES[block.partition(" ")[0]]
    left = iter(failure.splitlines())
    assert [line for line in block.splitlines() if line not in left] == []


def test_every_failing_rule_is_on_the_page():
    """The page speaks of every rule that the bare adapter breaks, and links it to the spec."""
    assert len(FAILURES) == 15
    assert set(FAILURES) <= set(re.findall(r"\[([A-Z]+-\d+)\]\([a-z./_]*chapters/[a-z]+\.md#[a-z]+-\d+\)", PAGE))


def test_the_commands_of_the_page_name_the_adapters():
    """The commands run the two adapters by the names under which their files are quoted."""
    commands = re.findall(r"^\$ (.*)$", PAGE, re.MULTILINE)
    assert commands == ["pytest --packer trl_packer:TrlPacker", "pytest --packer trl_conforming:ConformingTrlPacker"]


def test_no_path_of_a_machine_is_shown():
    """Neither the page nor the report holds an absolute path."""
    assert not re.findall(r"(?<![\w.:/])/(?:work|tmp|home|root|usr|Users|var)\b", PAGE + REPORT)
