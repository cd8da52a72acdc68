"""`check_packer` and `parametrize_with_checks`, in Python and in a user's own test file."""

import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from user_packers import Plain, Shifted
from user_project import Project

import packer_reference.routing
from packer_schemas import Report
from packproof import check_packer, parametrize_with_checks
from packproof.violation import UsageError

FAST = {"effort": "quick", "select": ["MASK-2", "MASK-3"]}

OWN_TESTS = """
import pytest
from packproof import check_packer, parametrize_with_checks
from packproof.violation import UsageError

RULES = ["LIFE-3", "MASK-2", "MASK-3"]


@parametrize_with_checks("packers:Shifted", select=RULES, effort="quick")
def test_contract(check):
    check()


def test_whole():
    with pytest.raises(AssertionError, match="packers:Shifted breaks one rule") as caught:
        check_packer("packers:Shifted", select=RULES, effort="quick")
    assert "shifted right by one" in str(caught.value)


@parametrize_with_checks("packers:gone", select=["MASK-2"])
def test_late(check):
    with pytest.raises(UsageError):
        check()
"""


def test_a_sound_packer_gives_a_report() -> None:
    """`check_packer` takes a callable and returns the report, without a verdict when rules were selected."""
    report = check_packer(Plain, **FAST)
    assert isinstance(report, Report)
    assert [outcome.status for outcome in report.subjects[0].outcomes] == ["pass", "pass"]
    assert report.subjects[0].verdict == "incomplete"
    assert report.subjects[0].target == "user_packers:Plain"


def test_a_broken_packer_raises_with_the_text_of_every_failure() -> None:
    """A broken rule is an `AssertionError` with the failure text and a command to replay it."""
    with pytest.raises(AssertionError) as caught:
        check_packer(Shifted, **FAST, seed=3)
    assert str(caught.value).startswith("user_packers:Shifted breaks one rule\n\nMASK-2  MUST")
    words = "--packer-select MASK-2 --packer-effort quick --packer-seed 3"
    assert f"replay      pytest --packer user_packers:Shifted {words}" in str(caught.value)


def test_a_local_factory_is_replayed_in_python() -> None:
    """A factory that no command line can name is replayed by the same call, with its rule and seed."""

    def local() -> Shifted:
        return Shifted()

    with pytest.raises(AssertionError, match=re.escape("check_packer(..., select=['MASK-2'], effort='quick', seed=0)")):
        check_packer(local, **FAST)


def test_a_factory_may_be_a_partial() -> None:
    """A factory without a name of its own, as `functools.partial` makes them, is proved like any other."""
    report = check_packer(partial(Plain), **FAST)
    assert report.subjects[0].target == "functools:partial"
    assert report.subjects[0].outcomes[0].status == "pass"


def test_raise_on_failure_false_returns_the_report() -> None:
    """With `raise_on_failure=False` failures are in the report and nothing is raised."""
    report = check_packer(Shifted, **FAST, raise_on_failure=False)
    assert [outcome.status for outcome in report.subjects[0].outcomes] == ["fail", "pass"]


def _known(folder: Path) -> Path:
    """A file of known failures with one entry."""
    witness = 'witness = {kind = "policy", sample = {prompt_ids = [17, 18], completion = [4]}}'
    path = folder / "known.toml"
    path.write_text(f'[[known]]\nid = "MASK-2"\nreason = "later"\nexpires = 2999-01-31\n{witness}\n')
    return path


def test_known_failures_are_read(tmp_path: Path) -> None:
    """`known` names a known-failures file, whose entries leave the call without an error."""
    report = check_packer(Shifted, **FAST, known=_known(tmp_path))
    assert [outcome.status for outcome in report.subjects[0].outcomes] == ["known", "pass"]


@pytest.mark.parametrize(
    ("target", "words", "says"),
    [
        ("nowhere:make", {}, "there is no module 'nowhere'"),
        (lambda tokenizer: None, {}, "the factory needs arguments (tokenizer)"),
        (None, {}, "expected a factory, module:factory or a function that returns a packer, got NoneType"),
        (Plain(), {}, "got Plain"),
        (lambda: None, {}, "returned None, expected an object with get_rollout_input or get_policy_input"),
        (Plain, {"effort": "heroic"}, "expected one of quick, standard, deep"),
        (Plain, {"level": "heroic"}, "expected one of core"),
        (Plain, {"select": ["MASK-22"]}, "Did you mean MASK-2"),
        (Plain, {"known": "nowhere.toml"}, "cannot be read"),
        (Plain, {"level": []}, "expected one of core"),
        (Plain, {"level": None}, "level None: expected a name, or a list of names."),
        (Plain, {"select": ","}, "select ',': nothing is named"),
        (Plain, {"models": 7}, "models 7: expected a name, or a list of names."),
        (Plain, {"models": [""]}, "models ['']: nothing is named"),
        (Plain, {"models": "./no/model"}, "'./no/model': there is no such folder."),
        (Plain, {"seed": "abc"}, "--packer-seed 'abc': expected a whole number."),
        (Plain, {"seed": 1.5}, "--packer-seed 1.5: expected a whole number."),
        (Plain, {"selection": "nowhere"}, "--packer-selection 'nowhere': there is no module"),
        (Plain, {"selection": "json"}, "--packer-selection 'json': expected a module with init_data_packer"),
        (Plain, {"routing": "json"}, "--packer-routing 'json': expected a module or object with shape_policy_input"),
        (Plain, {"routing": object()}, "expected a module or object with shape_policy_input"),
        (Plain, {"selection": 7}, "--packer-selection 7: expected a module with init_data_packer"),
    ],
)
def test_mistakes_are_usage_errors(target: Any, words: dict[str, Any], says: str) -> None:
    """A mistake in an argument is a `UsageError`, as on the command line, on both faces, before anything runs."""
    with pytest.raises(UsageError, match=re.escape(says)):
        check_packer(target, **words)
    with pytest.raises(UsageError, match=re.escape(says)):
        _first_check(target, **words)


def _first_check(target: Any, **words: Any) -> None:
    """Call the first of the parametrized checks."""
    words = {"select": ["MASK-2"]} | words
    parametrize_with_checks(target, **words).mark.args[1][0].values[0]()


def test_one_name_stands_for_a_list_of_one() -> None:
    """`select`, `level` and `models` take a plain string, as the options do, and `selection` a module's name."""
    words: dict[str, Any] = {"select": "LIFE-1,SEL-7", "models": "tiny-gpt2", "selection": "packer_reference"}
    report = check_packer("packer_reference.decoder_only:make_packer", level="core", effort="quick", **words)
    assert report.subjects[0].models == ["tiny-gpt2"]
    assert [(one.requirement, one.status) for one in report.subjects[0].outcomes] == [
        ("LIFE-1", "pass"),
        ("SEL-7", "pass"),
    ]


def test_the_replay_command_brings_what_the_call_was_given(tmp_path: Path) -> None:
    """Selection module and known failures of a call stand in the command that replays its failures."""
    known = tmp_path / "known.toml"
    known.write_text("")
    words: dict[str, Any] = {"selection": "packer_reference", "known": known, "routing": packer_reference.routing}
    with pytest.raises(AssertionError) as caught:
        check_packer(Shifted, **FAST, **words)
    named = "--packer-selection packer_reference --packer-routing packer_reference.routing"
    assert f"{named} --packer-known {known} --packer-select MASK-2" in str(caught.value)


def test_a_parametrized_check_can_be_called() -> None:
    """Every parameter is named after its rule, and calling it fails, skips or passes as the rule does."""
    mark = parametrize_with_checks(Shifted, select=["LIFE-3", "MASK-2", "MASK-3"], effort="quick").mark
    by_id = {param.id: param.values[0] for param in mark.args[1]}
    assert list(by_id) == ["LIFE-3", "MASK-2", "MASK-3"]
    with pytest.raises(pytest.skip.Exception, match="the packer is built already set up"):
        by_id["LIFE-3"]()
    with pytest.raises(pytest.fail.Exception, match="shifted right by one"):
        by_id["MASK-2"]()
    by_id["MASK-3"]()


def test_a_parametrized_check_knows_known_failures(tmp_path: Path) -> None:
    """With `known`, a rule whose witness still fails is expected to fail, with the entry's reason."""
    with pytest.raises(pytest.xfail.Exception, match="later"):
        _first_check(Shifted, select="MASK-2", effort="quick", known=_known(tmp_path))


def test_in_a_users_test_file(project: Project) -> None:
    """Both faces work in a test file: one test per rule, packers built when tests run and not at collection."""
    project.write("test_own.py", OWN_TESTS)
    ran = project.pytest("test_own.py", "-v", "-W", "error")
    assert ran.code == 1
    assert "test_own.py::test_contract[LIFE-3] SKIPPED" in ran.out
    assert "test_own.py::test_contract[MASK-2] FAILED" in ran.out
    assert "test_own.py::test_contract[MASK-3] PASSED" in ran.out
    assert "test_own.py::test_late[MASK-2] PASSED" in ran.out
    assert "1 failed, 3 passed, 1 skipped" in ran.out
    assert "MASK-2  MUST  The mask marks exactly the predictions of completion tokens." in ran.out
    assert "packer conformance" not in ran.out
