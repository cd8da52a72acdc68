"""TRL behind an adapter: what the kit says of it as it is, and that a few lines more make it conform."""

import os
from pathlib import Path

import pytest
import trl
from trl_conforming import ConformingTrlPacker
from trl_packer import TrlPacker, with_labels

from known_good.verdicts import not_passed
from packer_schemas.observation import ObsBundle
from packproof import check_packer
from packproof.failure_text import failure_text
from packproof.models import EMBEDDED, model_path

SNAPSHOT = Path(__file__).parent / "snapshots" / "trl.txt"
SAMPLE = ObsBundle(representations={"prompt": [{"role": "user", "content": "What is 2 + 2?"}]})

# Why a rule fails, as the page "Wrap what you already have" puts it.
ALIGNED_TO_IDS = {"MASK-2"}
LAST_TURN_CONTINUED = {"ROLL-2"}
SPECIAL_TOKENS = {"AUTH-3", "AUTH-4"}
WIDTH_OF_ITS_OWN = {"COLL-3", "COLL-12"}
JOINS_WHAT_IT_GETS = {"LIFE-10"}
REFUSES_LESS = {"LIFE-3", "ROLL-3", "AUTH-5", "AUTH-6", "AUTH-8", "AUTH-9", "MASK-4", "COLL-11"}


@pytest.fixture(scope="module")
def report():
    """What the kit says of the bare adapter."""
    return check_packer("trl_packer:TrlPacker", seed=0, raise_on_failure=False)


def as_text(report):
    """The report as text: one line per rule, then every failure as a terminal shows it."""
    subject = report.subjects[0]
    head = f"{subject.target}, trl {trl.__version__}, effort {report.effort}, seed {report.seed}: {subject.verdict}"
    lines = [f"{one.requirement:<9}{one.level:<8}{one.status:<16}{one.reason}".rstrip() for one in subject.outcomes]
    command = f"pytest --packer {subject.target} --packer-seed {report.seed} --packer-select"
    failed = [one for one in subject.outcomes if one.requirement in not_passed(report)]
    failures = [failure_text(one, subject.target, f"{command} {one.requirement}") for one in failed]
    return "\n\n".join([head, "\n".join(lines), *failures]) + "\n"


def test_the_report_of_the_bare_adapter_is_the_stored_one(report):
    """The kit says of TRL 1.16.0, line for line, what the snapshot holds."""
    text = as_text(report)
    if os.environ.get("PACKPROOF_UPDATE_SNAPSHOTS") == "1":
        SNAPSHOT.write_text(text, encoding="utf-8")
    assert text == SNAPSHOT.read_text(encoding="utf-8")


def test_what_fails_has_one_of_six_reasons(report):
    """The bare adapter breaks 15 rules: by alignment, an open last turn, special tokens, width, views, or leniency."""
    broken = ALIGNED_TO_IDS | LAST_TURN_CONTINUED | SPECIAL_TOKENS | WIDTH_OF_ITS_OWN
    broken |= JOINS_WHAT_IT_GETS | REFUSES_LESS
    assert not_passed(report) == dict.fromkeys(broken, "fail")


def test_the_longer_adapter_conforms():
    """With its translations and refusals the adapter keeps every rule that applies to it."""
    report = check_packer("trl_conforming:ConformingTrlPacker", effort="quick", seed=0)
    assert report.subjects[0].verdict == "conformant"
    assert len([one for one in report.subjects[0].outcomes if one.status == "pass"]) == 52


@pytest.mark.parametrize("model", EMBEDDED)
def test_both_conventions_train_the_same_predictions(model):
    """The labels that TRL's loss shifts by one and the contract's mask select the same predictions."""
    bare, conforming = TrlPacker(), ConformingTrlPacker()
    for packer in (bare, conforming):
        packer.setup(str(model_path(model)))
    completion = [120, 121, bare.tokenizer.eos_token_id]
    labels = with_labels(bare.get_policy_input(SAMPLE, completion, 1))["labels"]
    row = conforming.get_policy_input(SAMPLE, completion, 1)
    assert row["input_ids"] == bare.get_policy_input(SAMPLE, completion)["input_ids"]
    assert [label != -100 for label in labels[1:]] == [bool(mark) for mark in row["logprob_masks"][:-1]]
    assert sum(row["logprob_masks"]) == 2
