"""The `packproof` command."""

import re

from user_project import Project

from packer_spec import requirements
from packproof.cli import main


def test_explain_prints_the_rule_and_its_reasons(capsys) -> None:
    """`packproof explain MASK-2` prints the sentence, the level and the prose of the spec."""
    assert main(["explain", "MASK-2"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("MASK-2  MUST  The mask marks exactly the predictions of completion tokens.\n")
    assert "chapter masks, level core, since 0.1, for what satisfies PolicyPacker" in shown
    assert "\nWhy. This is the rule that the chapter is about." in shown


def test_explain_reads_well_without_a_browser(capsys) -> None:
    """Links to rules are their ids, other links show their address, and nothing of the page's markup is left."""
    main(["explain", "MASK-2"])
    shown = capsys.readouterr().out
    assert "n > 0 is MASK-3, C = 0 is MASK-5" in shown
    assert "verl#3287 (https://github.com/verl-project/verl/pull/3287), where the mask" in shown
    assert '    {"kind": "policy", "sample": {"prompt_ids": [110, 111], "completion": [120, 121]}}\n' in shown
    assert "| position | 0 | 1 | 2 |\n" in shown
    for chapter in ("LIFE", "ROLL", "AUTH", "MASK", "COLL", "CPU", "SEL"):
        main(["explain", chapter])
    assert not re.search(r"\]\(|\*\*|\{ ?[.#]|```", capsys.readouterr().out)


def test_explain_takes_a_chapter(capsys) -> None:
    """`packproof explain CPU` prints every rule of the chapter."""
    assert main(["explain", "cpu"]) == 0
    shown = capsys.readouterr().out
    assert all(f"{rule}  MUST" in shown for rule in ("CPU-1", "CPU-2", "CPU-3", "CPU-4"))


def test_an_unknown_id_suggests_others(project: Project) -> None:
    """An unknown id is one line on standard error with suggestions, and exit code 2."""
    ran = project.run("packproof", "explain", "MSK-2")
    assert ran.code == 2
    assert ran.out == ""
    assert "packproof: unknown requirement 'MSK-2'. Did you mean MASK-2" in ran.err
    assert len(ran.err.splitlines()) == 1


def test_no_command_prints_the_usage(project: Project) -> None:
    """Without a command the usage is shown, with exit code 2."""
    ran = project.run("packproof")
    assert ran.code == 2
    assert "usage: packproof" in ran.err


def test_list_prints_every_rule_once(capsys) -> None:
    """`packproof list` has one line for every rule, in the order of the spec; ids and chapters narrow it."""
    assert main(["list"]) == 0
    assert _listed(capsys) == list(requirements())
    assert main(["list", "MASK-2", "CPU"]) == 0
    assert _listed(capsys) == ["MASK-2", "CPU-1", "CPU-2", "CPU-3", "CPU-4"]


def _listed(capsys) -> list[str]:
    return [line.split()[0] for line in capsys.readouterr().out.splitlines() if line.startswith("  ")]


def test_the_module_is_the_command(project: Project) -> None:
    """`python -m packproof list` does what `packproof list` does."""
    ran = project.run("python", "-m", "packproof", "list", "MASK-2")
    assert ran.code == 0
    assert "MASK-2     MUST   The mask marks exactly" in ran.out


def test_a_reader_that_leaves_early_is_no_error(project: Project) -> None:
    """`packproof list | head -1` prints its line and no traceback, also when all output fits the pipe."""
    for words in ("list", "list MASK-2", "explain MASK-2"):
        ran = project.shell(f"packproof {words} | true; exit ${{PIPESTATUS[0]}}")
        assert (ran.code, ran.err) == (0, "")
