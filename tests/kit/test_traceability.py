"""What stands behind every rule, as a run of the zoo saw it."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from packer_spec import SPEC_VERSION, requirements
from packproof import kill_matrix
from packproof.cli import main
from packproof.kill_matrix import selftest
from packproof.traceability import RuleTrace, Trace, read_trace, render_trace, trace_run
from packproof.zoo import member, members

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def small() -> Iterator[Trace]:
    """The trace of a zoo of two, of which one breaks one rule and the other two; the zoo stays that small."""
    two = next(one for one in members() if len(one.breaks) == 2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kill_matrix, "members", lambda: (member("mask-shifted-right"), two))
        patch.setattr(kill_matrix, "good_members", lambda: ())
        yield trace_run(selftest(effort="quick")[1])


def rule(trace: Trace, id: str) -> RuleTrace:
    """What stands behind one rule."""
    return next(one for one in trace.rules if one.id == id)


def test_a_rule_has_its_check_and_the_faults_that_it_caught(small: Trace) -> None:
    """The faults are those of the run, and only a fault that nothing else caught counts as caught alone."""
    found = rule(small, "MASK-2")
    assert found.check == "packproof.checks.masks.mask_2"
    assert (found.killed, found.alone) == (("mask-shifted-right",), ("mask-shifted-right",))
    two = small.members[1]
    assert all(two.name in rule(small, id).killed and two.name not in rule(small, id).alone for id in two.breaks)


def test_every_rule_of_the_spec_is_traced(small: Trace) -> None:
    """The trace has the rules of the spec in order; those not yet checked bring their reason and are no gap."""
    assert [one.id for one in small.rules] == list(requirements())
    unchecked = [one for one in small.rules if one.unchecked]
    assert [one.id for one in unchecked] == [id for id, one in requirements().items() if one.unchecked]
    assert not any(one.gap or one.check for one in unchecked)


@pytest.mark.parametrize(
    ("lacking", "said"),
    [
        ({"check": ""}, "no check, and no reason why"),
        ({"killed": (), "alone": ()}, "no planted fault is caught by its check"),
        ({"alone": ()}, "no planted fault is caught by it alone"),
        ({"cases": 0}, "no stored case in the spec, and no reason why"),
        ({"vectors": 0}, "no vectors, and no reason why"),
    ],
)
def test_what_a_checked_rule_lacks_is_a_gap(small: Trace, lacking: dict[str, object], said: str) -> None:
    """A rule without a check, a fault, a fault of its own, a case or a vector is a gap, and is told so."""
    whole = replace(rule(small, "MASK-2"), vectors=3)
    assert whole.gap == ""
    bare = replace(whole, **lacking)
    assert bare.gap == said
    shown = render_trace(replace(small, rules=(bare,)))
    assert f"GAP  MASK-2: {said}" in shown


def test_a_kept_trace_is_read_back_equal(small: Trace, tmp_path: Path) -> None:
    """What `selftest --trace` writes is what `list --matrix --from` reads."""
    path = tmp_path / "trace.json"
    path.write_text(small.to_json(), encoding="utf-8")
    assert read_trace(path) == small
    assert read_trace(path).to_json() == small.to_json()


def test_the_commands_keep_and_show_a_run(small: Trace, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`selftest --trace FILE`, then `list --matrix --from FILE`: a line per rule, counts, exit 1 for gaps."""
    path = tmp_path / "kept" / "trace.json"
    assert main(["selftest", "--effort", "quick", "--trace", str(path)]) == 1  # a zoo of two has holes
    capsys.readouterr()
    assert main(["list", "--matrix", "--from", str(path)]) == 1
    shown = capsys.readouterr().out
    assert "MASK-2     MUST    core             1      1" in shown
    must = [one for one in requirements().values() if one.level == "MUST"]
    open_ = sum(bool(one.unchecked) for one in must)
    assert f"{open_} MUSTs are not yet checked: sft" in shown
    assert "GAP  MASK-3: no planted fault is caught by its check" in shown


def _with(changed: dict[str, object], spec: str = SPEC_VERSION) -> str:
    """A trace of one rule, with some of its values changed."""
    whole = dict.fromkeys(("id", "level", "group", "chapter", "since", "unchecked", "check"), "")
    rule = {**whole, "killed": [], "alone": [], "cases": 0, "vectors": 0, **changed}
    return json.dumps({"spec": spec, "seed": 0, "effort": "quick", "rules": [rule], "members": []})


BAD_FILES = {
    "absent": (None, "cannot be read: No such file or directory."),
    "not JSON": ("rules", "expected a file that `packproof selftest --trace FILE` wrote"),
    "another document": (
        '{"rules": [{"id": "MASK-2"}]}',
        "expected a file that `packproof selftest --trace FILE` wrote",
    ),
    "nested without an end": (
        "[" * 100_000,
        "expected a file that `packproof selftest --trace FILE` wrote; the document",
    ),
    "a count below 0": (_with({"cases": -1}), "rules[0].cases: Input should be greater than or equal to 0"),
    "no list": (_with({"killed": 5}), "rules[0].killed: Input should be a valid array"),
    "another spec": (_with({}, spec="9.9"), "was written for other rules than those of spec"),
    "other rules": (
        '{"spec": "0.1", "seed": 0, "effort": "quick", "rules": [], "members": []}',
        "was written for other rules than those of spec",
    ),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_a_file_that_is_no_trace(case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file that cannot be used is one line on standard error that says what was expected, and exit code 2."""
    text, says = BAD_FILES[case]
    path = tmp_path / "trace.json"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    assert main(["list", "--matrix", "--from", str(path)]) == 2
    said = capsys.readouterr().err
    assert says in said
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["list", "--from", "x.json"], "--from: belongs to --matrix."),
        (["list", "--matrix", "MASK"], "leave out ids and --spec"),
        (["list", "--matrix", "--spec", "0.1"], "leave out ids and --spec"),
        (["selftest", "--effort", "deep"], "--effort 'deep': expected one of quick, standard."),
        (["selftest", "--trace", "."], "--trace .: is a folder, expected the name of a file to write."),
    ],
)
def test_options_that_do_not_go_together(words: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A mistake in the options is told before anything runs."""
    assert main(words) == 2
    assert says in capsys.readouterr().err


def test_the_committed_trace_has_no_gap_and_is_up_to_date() -> None:
    """The trace that the site shows is of the rules, checks, faults and cases that are there, and it has no gap."""
    kept = read_trace(ROOT / "docs" / "traceability.json")
    assert kept.gaps == ()
    assert [(one.name, one.breaks, one.report, one.story) for one in kept.members] == [
        (one.name, one.breaks, one.report, one.story) for one in members()
    ]
    for one in kept.rules:
        spec = requirements()[one.id]
        assert (one.level, one.group, one.unchecked) == (spec.level, spec.group, spec.unchecked)
        assert one.cases == len(spec.cases)
        assert one.killed == tuple(bad.name for bad in members() if one.id in bad.breaks)


@pytest.mark.parametrize("words", [["list", "--matrix", "--from", ""], ["selftest", "--trace", ""]])
def test_an_empty_name_of_a_file_runs_nothing(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """`--from ''`, as from a variable that is not set, is told at once and does not run the zoo."""
    with pytest.raises(SystemExit, match="2"):
        main(words)
    assert "expected the name of a file, got an empty one" in capsys.readouterr().err
