"""Cases that a user gives a rule which it does not speak of: refused with the reason, never judged."""

import json
from typing import Any

import pytest
from user_packers import Plain
from user_project import Project

from packer_schemas.cases import case_adapter
from packproof.corpus import Corpus
from packproof.registry import all_checks, check_for
from packproof.subject import Subject
from packproof.zoo.miniature import MiniaturePacker
from packproof.zoo.miniature_selection import MiniatureSelection

CHAT = [{"role": "user", "content": "Hi"}]


@pytest.fixture(scope="module")
def miniature() -> Subject:
    return Subject(MiniaturePacker, selection=MiniatureSelection)


@pytest.fixture(scope="module")
def plain() -> Subject:
    return Subject(Plain)


@pytest.mark.parametrize("name", ["miniature", "plain"])
def test_what_the_kit_makes_and_the_spec_stores_fits(name: str, request: pytest.FixtureRequest) -> None:
    """Every generated case fits its rule, so a kept case can be replayed, and so does every stored one."""
    subject, corpus = request.getfixturevalue(name), Corpus(0, 60)
    for check in all_checks().values():
        if not check.missing(subject):
            cases = [*corpus.cases(check, subject), *check.stored_cases]
            assert {check.misfit(subject, case) for case in cases} == {""}, check.id


def sample(**fields: Any) -> dict[str, Any]:
    """A policy case of one sample."""
    return {"kind": "policy", "sample": {"prompt_ids": [110, 111], "completion": [120, 121]} | fields}


def batch(*samples: dict[str, Any]) -> dict[str, Any]:
    """A batch case."""
    return {"kind": "batch", "samples": list(samples)}


ONE = {"prompt_ids": [110], "completion": [120]}
MISFITS: list[tuple[str, dict[str, Any], str]] = [
    ("MASK-2", sample(prompt_ids=[]), "its prompt_ids are empty, of which AUTH-6 speaks"),
    ("MASK-2", sample(prompt_ids=None), "its prompt comes as text, expected ids"),
    ("MASK-2", sample(completion="text"), "its completion comes as text, expected ids"),
    ("MASK-2", sample(completion=[]), "its completion is empty"),
    ("MASK-2", sample(n_ignore_prefix_tokens=1), "its n_ignore_prefix_tokens is 1, expected 0"),
    ("MASK-3", sample(n_ignore_prefix_tokens=3), "is 3 for 2 completion ids, of which MASK-4 speaks"),
    ("MASK-3", sample(n_ignore_prefix_tokens=-1), "is -1 for 2 completion ids"),
    ("MASK-5", sample(), "its completion is not empty"),
    ("MASK-6", sample(), "it has 2 prompt ids, expected 1"),
    ("AUTH-1", sample(prompt_ids=[70000]), "its prompt_ids holds the id 70000, and those of tiny-qwen end at"),
    ("AUTH-4", sample(), "its prompt comes as ids, expected text or conversation"),
    ("LIFE-7", sample(prompt_ids=None, prompt=""), "its prompt is empty, of which AUTH-5 speaks"),
    ("AUTH-7", {**sample(completion="text"), "kind": "id-container", "container": "tuple"}, "comes as text"),
    ("AUTH-8", {"kind": "bad-ids", "stream": "completion", "ids": ["a"]}, "its ids hold 'a', expected bools, floats"),
    ("AUTH-8", {"kind": "bad-ids", "stream": "completion", "ids": [2**70, True]}, "integers below 2**31"),
    ("AUTH-8", {"kind": "bad-ids", "stream": "completion", "ids": [110]}, "its ids are all good ones"),
    ("AUTH-9", {"kind": "refused-prompt", "prompt": [110]}, "which is not to be refused"),
    ("ROLL-1", {"kind": "prompt", "prompt": CHAT}, "its prompt comes as conversation, expected text"),
    ("ROLL-1", {"kind": "prompt", "prompt": ""}, "its prompt is empty"),
    ("ROLL-3", {"kind": "refused-prompt", "prompt": CHAT}, "its prompt is a conversation"),
    ("ROLL-3", {"kind": "refused-prompt", "prompt": "Hi"}, "its prompt is a string"),
    ("ROLL-5", {"kind": "pretokenized", "token_ids": [70000]}, "its token_ids holds the id 70000"),
    ("COLL-8", batch(ONE), "its number of samples is 1, expected 2 at least"),
    ("COLL-10", batch(ONE, ONE), "its number of samples is 2, expected 1"),
    ("COLL-12", batch({"prompt_ids": [110], "completion": []}), "in sample 1, its completion is empty"),
    ("SEL-1", {"kind": "selection", "config": {}}, "its config has no model_type"),
    ("SEL-4", {"kind": "selection", "config": {"model_type": "bert"}}, "its config has no model_type of opt, gptj"),
    ("LIFE-7", sample() | {"model": "./nowhere"}, "cannot be set up on its model './nowhere': it raised"),
    ("LIFE-7", sample(prompt_ids=None, prompt=CHAT * 2) | {"model": "tiny-spm"}, "tiny-spm does not take its conver"),
]


@pytest.mark.parametrize(("id", "case", "says"), MISFITS)
def test_a_case_that_its_rule_does_not_speak_of(miniature: Subject, id: str, case: dict[str, Any], says: str) -> None:
    """A case outside of what a rule presumes is told apart, with the rule and the reason."""
    misfit = check_for(id).misfit(miniature, case_adapter.validate_python(case))
    assert misfit.startswith(f"{id} is not tried on such a case: ")
    assert says in misfit


@pytest.mark.parametrize(
    ("id", "case", "says"),
    [
        ("LIFE-7", sample(completion="text"), "comes as text, and the packer shows no tokenizer that takes it"),
        ("AUTH-7", {**sample(completion=[2**31]), "kind": "id-container", "container": "numpy int32"}, "2147483648"),
    ],
)
def test_a_case_that_a_packer_without_tokenizer_is_not_fed(
    plain: Subject, id: str, case: dict[str, Any], says: str
) -> None:
    """Text, and ids that not every container holds, are no cases for a packer that shows no tokenizer."""
    assert says in check_for(id).misfit(plain, case_adapter.validate_python(case))


@pytest.mark.parametrize(
    ("id", "case"),
    [
        ("AUTH-6", sample(prompt_ids=[])),
        ("AUTH-5", sample(prompt_ids=None, prompt="")),
        ("MASK-4", sample(n_ignore_prefix_tokens=7)),
        ("MASK-5", sample(prompt_ids=[7], completion=[])),
        ("MASK-2", sample(prompt_ids=[7])),
    ],
)
def test_what_a_check_puts_in_itself_is_free(miniature: Subject, id: str, case: dict[str, Any]) -> None:
    """A part of the case that the check replaces by what is to be refused may be anything."""
    assert check_for(id).misfit(miniature, case_adapter.validate_python(case)) == ""


def test_a_replayed_case_that_does_not_fit_is_a_usage_error(project: Project) -> None:
    """Such a case file is refused with exit code 4 before anything runs, and not judged."""
    case = {"requirement": "AUTH-8", "case": {"kind": "bad-ids", "stream": "prompt_ids", "ids": ["a"]}}
    project.write("case.json", json.dumps(case))
    ran = project.pytest("--packer", "packers:Plain", "--packer-replay", "case.json")
    assert ran.code == 4
    assert "--packer-replay case.json: AUTH-8 is not tried on such a case: its ids hold 'a'" in ran.err


def test_a_witness_that_does_not_fit_is_a_usage_error(project: Project) -> None:
    """Such a witness is refused with exit code 4 before anything runs, with the number of its entry."""
    witness = 'witness = {kind = "policy", sample = {prompt_ids = [1, 2], completion = "text"}}'
    project.write("known.toml", f'[[known]]\nid = "MASK-2"\nreason = "later"\nexpires = 2999-01-31\n{witness}\n')
    ran = project.pytest("--packer", "packers:Plain", "--packer-known", "known.toml")
    assert ran.code == 4
    says = "known.toml: entry 1: the witness: MASK-2 is not tried on such a case: its completion comes as text"
    assert says in ran.err
