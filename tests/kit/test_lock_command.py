"""`packproof lock` as it is typed: what it prints, what it writes, and with which exit code."""

import sys
from pathlib import Path
from typing import Any

import pytest
from lock_project import SETTINGS, lock_project
from user_project import Project, Ran

from packer_schemas import LockReport
from packproof.cli import main
from packproof.lock.file import lock_text, read_lock

NARROW = SETTINGS.replace('"prefix", "note"', '"note"')


def run_story(project: Project) -> dict[str, Ran]:
    """A project's life: pinned, held, changed, refused, updated; every command by a name."""
    lock_project(project)
    ran = {}

    def lock(name: str, *arguments: str, **env: str) -> None:
        ran[name] = project.run("packproof", "lock", *arguments, **env)

    lock("missing", "--check")
    lock("in ci", CI="true")
    lock("new")
    lock("same", "--check")
    lock("again")
    project.write("settings.json", SETTINGS.replace("[7]", "[8]"))
    lock("changed", "--check")
    lock("only new", "--update", "new")
    lock("no reason", "--update", "changed")
    lock("changed in ci", "--update", "changed", "--reason", "eight is better", CI="1")
    lock("explained", "--explain", "mine")
    lock("json", "--check", "--json")
    project.write("before.json", (project.root / "packproof.lock.json").read_text())
    lock("updated", "--update", "changed", "--reason", "eight is better")
    project.write("settings.json", NARROW.replace("[7]", "[8]"))
    lock("too wide", "--check")
    lock("taken", "--update", "changed", "--reason", "the prefix goes without saying")
    project.write("settings.json", NARROW.replace("[7]", "[9]"))
    lock("too narrow", "--update", "new,changed,obsolete", "--reason", "please")
    return ran


@pytest.fixture
def story(once) -> tuple[Project, dict[str, Ran]]:
    return once(run_story)


def test_a_lock_that_is_not_there_fails_a_check_and_is_written_when_asked(
    story: tuple[Project, dict[str, Ran]],
) -> None:
    """Missing entries fail; `packproof lock` pins them, and then the check passes, and again nothing is to do."""
    _, ran = story
    assert (ran["missing"].code, ran["new"].code, ran["same"].code, ran["again"].code) == (1, 0, 0, 0)
    assert ran["missing"].out.splitlines() == [
        "mine   locked:Prefixed   on as built",
        "  found       not pinned yet",
        "  to do       write its first entry",
        "",
        "silent   locked:Silent   on as built",
        "  found       not pinned yet",
        "  to do       write its first entry",
        "",
        "packproof.lock.json: 2 of 2 fail",
        "  go on       packproof lock",
    ]
    assert ran["new"].out.splitlines()[-1] == "packproof.lock.json: 2 written"
    for name in ("same", "again"):
        assert ran[name].out == "mine   as pinned\nsilent   as pinned\n\npackproof.lock.json: 2 as pinned\n"
    assert ran["missing"].err == ran["new"].err == ""


def test_under_ci_the_check_runs_and_nothing_is_written(story: tuple[Project, dict[str, Ran]]) -> None:
    """An update asked for there says so, and its exit code is the check's."""
    _, ran = story
    for name, value in (("in ci", "true"), ("changed in ci", "1")):
        assert ran[name].code == 1
        assert f"nothing was written, for this is CI: the environment variable CI is {value!r}." in ran[name].out
    assert "packproof.lock.json: 2 of 2 fail\n" in ran["changed in ci"].out


def test_a_new_lineage_is_shown_and_taken_with_a_reason(story: tuple[Project, dict[str, Ran]]) -> None:
    """The field and the probes are named; `new` does not take it, `changed` does, and keeps the reason."""
    project, ran = story
    assert [ran[name].code for name in ("changed", "only new", "no reason", "updated")] == [1, 1, 2, 0]
    assert ran["changed"].out.splitlines() == [
        "mine   locked:Prefixed   on as built",
        "  found       the identity and the behaviour changed: a new checkpoint lineage",
        "  identity    semantics.prefix[0]: 7 -> 8",
        "  behaviour   stored ids, ignored tokens, batch, padded batch",
        "  to do       undo it, or update on purpose: checkpoints saved before will not resume",
        "",
        "silent   locked:Silent   on as built",
        "  found       the behaviour changed, and no identity is declared",
        "  behaviour   stored ids, ignored tokens, batch, padded batch",
        "  to do       undo it, or update on purpose; while nothing is declared, checkpoints resume all the",
        "              same",
        "",
        "packproof.lock.json: 2 of 2 fail",
        '  go on       packproof lock --update changed --reason "why it changed"',
    ]
    assert "needs --reason" in ran["no reason"].err
    before = read_lock(project.root / "before.json")
    after = read_lock(project.root / "packproof.lock.json")
    assert before is not None
    assert after is not None
    assert {one.reason for one in before.subjects.values()} == {""}
    assert after.subjects["mine"].reason == "the prefix goes without saying"


def test_a_declaration_that_is_too_wide_or_too_narrow(story: tuple[Project, dict[str, Ran]]) -> None:
    """A field that goes while nothing else does can be taken; behaviour under the same identity never is."""
    project, ran = story
    assert (ran["too wide"].code, ran["taken"].code, ran["too narrow"].code) == (1, 0, 1)
    assert "  identity    semantics.prefix: [7] -> absent" in ran["too wide"].out.replace("[8]", "[7]")
    assert "the identity changed and the behaviour did not: declared too wide, or not probed" in ran["too wide"].out
    assert "the behaviour changed under the same identity: declared too narrow" in ran["too narrow"].out
    assert ran["too narrow"].out.splitlines()[-2:] == [
        "packproof.lock.json: 1 of 2 fails, 1 written",
        "  go on       packproof lock --explain mine",
    ]
    pinned = read_lock(project.root / "packproof.lock.json")
    assert pinned is not None
    assert pinned.subjects["silent"].reason == "please"
    assert pinned.subjects["mine"].reason == "the prefix goes without saying"


def test_explain_prints_every_field_and_probe(story: tuple[Project, dict[str, Ran]]) -> None:
    """What differs is marked, and a probe that does shows what the packer gives now."""
    _, ran = story
    lines = ran["explained"].out.splitlines()
    assert ran["explained"].code == 1
    at = lines.index("identity on as built")
    assert lines[at + 1 : at + 4] == ["  ! semantics.prefix[0]: 7 -> 8", '    semantics.note: "x"', "class source"]
    assert "    words: " in "\n".join(lines)
    probe = next(number for number, line in enumerate(lines) if line.startswith("  ! stored ids: "))
    assert lines[probe + 1].startswith('      now get_policy_input 0: {"mapping":{"\'input_ids\'":[8,110,111,112,120,')


def test_the_report_as_json(story: tuple[Project, dict[str, Ran]]) -> None:
    """`--json` prints the published report and nothing else."""
    _, ran = story
    report = LockReport.model_validate_json(ran["json"].out)
    assert (report.passes, report.written, report.complete, report.file) == (False, False, True, "packproof.lock.json")
    assert report.findings["mine"].identity == {"as built": ["semantics.prefix[0]: 7 -> 8"]}
    assert report.findings["silent"].outcome == "undeclared changed"


def test_the_command_line_names_packers_models_and_the_file(project: Project) -> None:
    """Without a table the command line is the configuration, and the way on repeats it; with one it is a part of it."""
    lock_project(project)
    (project.root / "pyproject.toml").unlink()
    named = (
        "--packer",
        "one=packproof.zoo.miniature:MiniaturePacker",
        "--packer-model",
        "tiny-gpt2",
        "--file",
        "l.json",
    )
    ran = project.run("packproof", "lock", "--check", *named)
    assert ran.code == 1
    assert "one   packproof.zoo.miniature:MiniaturePacker   on tiny-gpt2" in ran.out
    assert ran.out.splitlines()[-1] == f"  go on       packproof lock {' '.join(named)}"
    assert project.run("packproof", "lock", *named).code == 0
    other = project.run("packproof", "lock", "--check", "--packer", "two=locked:Silent", "--file", "l.json")
    assert "one   packproof.zoo.miniature:MiniaturePacker   on tiny-gpt2\n  found       pinned, and no" in other.out
    assert "packproof.lock.json" not in other.out
    lock_project(project)
    part = project.run("packproof", "lock", "--check", "--packer", "two=locked:Silent", "--file", "l.json")
    assert "one" not in part.out


def test_the_lock_of_a_project_is_found_from_below(project: Project) -> None:
    """In a folder of the project the table, its packers, its models and its lock are those of the project."""
    lock_project(project)
    model = project.root / "models" / "own"
    model.parent.mkdir()
    model.symlink_to(Path(__file__).parents[2] / "conformance" / "packproof" / "models" / "tiny-gpt2")
    keys = {"packer": '"packproof.zoo.miniature:MiniaturePacker"', "packer_lock": '"pins/pinned.json"'}
    project.table(**keys, packer_model='"models/own"')
    (project.root / "pins").mkdir()
    (project.root / "sub").mkdir()
    assert project.run("packproof", "lock").code == 0
    below = project.run("packproof", "lock", "--check", cwd="sub")
    assert (below.code, below.out) == (0, "packer   as pinned\n\n../pins/pinned.json: 1 as pinned\n")
    pinned = read_lock(project.root / "pins" / "pinned.json")
    assert pinned is not None
    assert pinned.subjects["packer"].models == ["models/own"]


def test_a_project_that_only_depends_on_packproof_is_not_asked(project: Project) -> None:
    """The table counts and not the word: a package inside the project may name packproof as what it is tested with."""
    lock_project(project)
    project.write("inner/pyproject.toml", '[project]\nname = "inner"\n[dependency-groups]\ntest = ["packproof"]\n')
    ran = project.run("packproof", "lock", "--check", cwd="inner")
    assert ran.code == 1
    assert "../packproof.lock.json: 2 of 2 fail" in ran.out
    project.write("inner/pyproject.toml", '[tool.packproof\npacker = "a:b"\n')
    broken = project.run("packproof", "lock", "--check", cwd="inner")
    assert broken.code == 2
    assert "pyproject.toml: not TOML: " in broken.err


def test_an_obsolete_entry_goes_when_approved(project: Project) -> None:
    """A packer that was renamed is a missing and an obsolete one, and both kinds together settle it."""
    lock_project(project)
    assert project.run("packproof", "lock").code == 0
    project.table(packer='["mine=locked:Prefixed", "quiet=locked:Silent"]')
    ran = project.run("packproof", "lock", "--check")
    assert ran.code == 1
    assert (
        "silent   locked:Silent   on as built\n  found       pinned, and no configured packer has this label" in ran.out
    )
    assert ran.out.splitlines()[-1] == "  go on       packproof lock --update new,obsolete"
    gone = project.run("packproof", "lock", "--update", "new,obsolete")
    assert gone.code == 0
    assert "  written     its entry was removed" in gone.out
    assert project.run("packproof", "lock", "--check").out.startswith("mine   as pinned\nquiet   as pinned\n")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--update", "new,chnged"), "--update 'chnged': expected new, changed, obsolete, or several of them."),
        (("--update", ""), "nothing is named; name something, or leave it out."),
        (("--reason", "why"), "--reason: belongs to --update changed."),
        (("--update", "changed", "--reason", " "), "needs --reason"),
        (("--explain", "mine", "--json"), "--json: prints the report of a check or an update, not --explain."),
        (("--explain", "nobody"), "--explain 'nobody': no packer and no entry has this label; there are mine, silent."),
        (("--file", "."), "cannot be read: Is a directory."),
        (("--file", "nowhere/lock.json"), "there is no folder nowhere; make it first."),
        (("--packer", "nowhere:Nobody"), "--packer 'nowhere:Nobody'"),
    ],
)
def test_a_mistake_is_one_line(
    project: Project, capsys: Any, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], says: str
) -> None:
    """A mistake in an option, a path or a name is exit code 2 and a line that says what to write; no file is made."""
    lock_project(project)
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.chdir(project.root)
    monkeypatch.setattr(sys, "path", [*sys.path])
    assert main(["lock", *arguments]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert says in shown.err
    assert len(shown.err.splitlines()) == 1
    assert not (project.root / "packproof.lock.json").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--check", "--update", "new"), "not allowed with argument --check"),
        (("--file", ""), "expected the name of a file, got an empty one"),
    ],
)
def test_options_that_do_not_go_together_are_refused(capsys: Any, arguments: tuple[str, ...], says: str) -> None:
    """Two things at once, and a file without a name, are refused with the usage."""
    with pytest.raises(SystemExit) as caught:
        main(["lock", *arguments])
    assert caught.value.code == 2
    assert says in capsys.readouterr().err


def test_without_a_packer_it_says_how_to_name_one(tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """No table and no option is a mistake that is told."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    assert main(["lock", "--check"]) == 2
    wanted = "packproof: no packer is named: add --packer module:factory, or packer = [...] to [tool.packproof].\n"
    assert capsys.readouterr().err == wanted


def test_a_packer_that_dies_is_told(project: Project) -> None:
    """A packer that kills the interpreter while it is probed is named by the flight recorder."""
    project.write(
        "dying.py",
        "import os\nimport packers\nclass Dies(packers.Plain):\n    def mask(self, *given):\n"
        "        os.kill(os.getpid(), 11)\n",
    )
    ran = project.run("packproof", "lock", "--packer", "dying:Dies")
    assert ran.code == -11
    assert "packproof: the process died inside the packer, in\n  packer (dying:Dies)  a probe on as built" in ran.err
    assert not (project.root / "packproof.lock.json").exists()


def test_two_updates_at_once_are_both_in_the_file(project: Project) -> None:
    """Two processes that each pin a packer of their own leave both entries."""
    lock_project(project)
    (project.root / "pyproject.toml").unlink()
    one, two = (f"packproof lock --packer {label}=locked:Silent" for label in ("p1", "p2"))
    ran = project.shell(f"{one} & {two} & wait")
    pinned = read_lock(project.root / "packproof.lock.json")
    assert pinned is not None, ran.text
    assert list(pinned.subjects) == ["p1", "p2"]
    assert (project.root / "packproof.lock.json").read_bytes() == lock_text(pinned)
