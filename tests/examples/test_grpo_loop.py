"""The loop of the tutorial, shortened: it learns, its curves say what is wrong, and the kit says which rule it is."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path
from types import ModuleType

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def loop(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script as a module, with its neighbours importable as they are when it is run."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    import grpo_loop  # pyright: ignore[reportMissingImports]

    return grpo_loop


def test_the_right_run_learns_and_its_logprobs_agree(loop: ModuleType) -> None:
    """In 30 steps the reward rises well above chance, and rollout and trainer differ by float noise alone."""
    rewards, gaps = loop.train(loop.DecoderOnlyLLMDataPacker, 30, 0)
    assert rewards[0] < 0.15
    assert max(rewards[-5:]) > rewards[0] + 0.15
    assert max(gaps) < 1e-5


def test_the_right_packer_breaks_no_rule(loop: ModuleType, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The run prints a bar, two charts and the kit's word, and the file of its curves is well-formed SVG."""
    loop.main(["--steps", "2", "--svg", str(tmp_path / "curves.svg")])
    shown = capsys.readouterr().out
    assert "[####################]   2/2" in shown
    assert shown.count("2 steps\n") >= 2
    assert "rules, none broken" in shown
    assert len(ET.parse(tmp_path / "curves.svg").findall("{http://www.w3.org/2000/svg}polyline")) == 2


@pytest.mark.parametrize(
    ("wrong", "rule", "in_the_gap"),
    [("mask", "MASK-2", False), ("bos", "AUTH-1", True), ("retokenise", "AUTH-2", True)],
)
def test_a_wrong_packer_runs_and_the_kit_names_its_rule(
    loop: ModuleType, capsys: pytest.CaptureFixture[str], wrong: str, rule: str, in_the_gap: bool
) -> None:
    """No wrong packer stops the run; ids that changed show in the logprobs, a shifted mask does not."""
    loop.main(["--break", wrong, "--steps", "4"])
    shown = capsys.readouterr().out
    assert f"{rule}  MUST" in shown
    gap = re.search(r"largest logprob difference (\S+)", shown)
    assert gap is not None
    assert (float(gap[1]) > 1e-2) == in_the_gap


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--break", "none"], "invalid choice: 'none'"),
        (["--steps", "0"], "'0', expected a whole number of at least 1"),
        (["--steps", "many"], "'many', expected a whole number of at least 1"),
        (["--svg", "missing/folder/x.svg"], "'missing/folder/x.svg' cannot be written, expected a file in a folder"),
        (["--svg", "."], "'.' cannot be written"),
    ],
)
def test_a_mistake_in_an_argument_is_named(
    loop: ModuleType, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    """A break, a number of steps and a file that are none end in one line below the usage, before any work."""
    with pytest.raises(SystemExit):
        loop.main(arguments)
    shown = capsys.readouterr()
    assert f"error: argument {arguments[0]}: {said}" in shown.err.splitlines()[-1]
    assert shown.out == ""
