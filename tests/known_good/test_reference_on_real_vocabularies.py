"""No false alarm on the reference packer over vocabularies of real models, bare and with real chat templates."""

import pytest

import packer_reference
from chat_templates import CHATS, chat_template
from known_good.verdicts import not_applicable, not_passed
from packproof import check_packer
from real_vocabularies import VOCABULARIES, real_vocabulary, with_chat_template

PACKER = "packer_reference.decoder_only:make_packer"
NEAR_TWINS = ("gemma4", "qwen2_5_vl", "qwen3_8", "qwen3_instruct_2507", "qwen3_vl")  # of templates that are tried
LARGE = ("qwen", "cl100k")
SHAPING = ["ROLL", "AUTH", "MASK", "COLL", "CPU-1", "CPU-2", "CPU-3"]
SELECTION = [f"SEL-{number}" for number in range(1, 12)]


@pytest.mark.parametrize("name", [name for name in VOCABULARIES if name not in LARGE])
def test_the_reference_conforms_on_a_real_vocabulary(name):
    """Over a real vocabulary without a chat template all of the contract but that template is tried, and kept."""
    report = check_packer(PACKER, models=[str(real_vocabulary(name))], effort="quick")
    assert report.subjects[0].verdict == "conformant"
    assert not_applicable(report) == {
        "the tokenizer has no chat template": ["ROLL-2"],
        "no selection module named (--packer-selection)": SELECTION,
    }


@pytest.mark.parametrize("name", LARGE)
def test_the_reference_shapes_data_on_a_large_vocabulary(name):
    """Where loading takes seconds each time, the rules on prompts, ids, masks, batches and devices are kept."""
    report = check_packer(PACKER, models=[str(real_vocabulary(name))], select=SHAPING, effort="quick")
    assert not_passed(report) == {}
    assert not_applicable(report) == {"the tokenizer has no chat template": ["ROLL-2"]}


@pytest.mark.parametrize("name", [name for name in CHATS if name not in NEAR_TWINS])
def test_the_reference_conforms_under_a_real_chat_template(name, tmp_path):
    """Under a real chat template, over its vocabulary, every rule on prompts, ids and masks applies and is kept."""
    folder = with_chat_template(real_vocabulary(CHATS[name].vocabulary), tmp_path / name, chat_template(name))
    report = check_packer(PACKER, models=[str(folder)], select=["ROLL", "AUTH", "MASK"], effort="quick")
    assert not_passed(report) == not_applicable(report) == {}
    assert len(report.subjects[0].outcomes) == 27


def test_the_reference_keeps_every_core_rule():
    """On the embedded models, with its own selection, nothing is left out: all 70 rules apply, and are kept."""
    report = check_packer(PACKER, selection=packer_reference, effort="quick")
    assert report.subjects[0].verdict == "conformant"
    assert [one.status for one in report.subjects[0].outcomes] == ["pass"] * 70
