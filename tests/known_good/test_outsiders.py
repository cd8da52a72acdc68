"""No false alarm on packers that share nothing with packproof, whatever shape their answers have."""

import pytest

from chat_templates import chat_template
from known_good.outsiders import DictPacker, IdsPacker, TensorPacker
from known_good.verdicts import not_applicable, not_passed
from packproof import check_packer
from packproof.models import model_path
from real_vocabularies import real_vocabulary, with_chat_template

BUILT_READY = {"the packer is built already set up": ["LIFE-2", "LIFE-3", "LIFE-4", "LIFE-5", "LIFE-6", "LIFE-12"]}
NOT_OFFERED = {
    "the packer does not satisfy PretokenizedRolloutPacker": ["ROLL-5"],
    "the packer does not satisfy RolloutHooks": ["ROLL-6", "ROLL-7"],
    "the packer does not satisfy BatchSlicer": ["ROLL-8", "ROLL-9"],
    "no selection module named (--packer-selection)": [f"SEL-{number}" for number in range(1, 12)],
}


@pytest.mark.parametrize(
    ("packer", "model"),
    [(DictPacker, "tiny-gpt2"), (DictPacker, "tiny-llama3"), (TensorPacker, "tiny-qwen"), (TensorPacker, "tiny-spm")],
)
def test_a_duck_typed_packer_conforms(packer, model):
    """Dictionaries of lists and dataclasses of tensors conform alike, from packers built already set up."""
    report = check_packer(lambda: packer(model_path(model)), effort="quick")
    assert report.subjects[0].verdict == "conformant"
    assert not_applicable(report) == {
        **BUILT_READY,
        "the packer does not satisfy SpecialTokenGuard": ["LIFE-13"],
        **NOT_OFFERED,
    }


@pytest.mark.parametrize("name", ["qwen2_5", "qwen3", "phi3"])
def test_a_template_that_takes_no_text_parts_is_no_fault_of_a_packer(name, tmp_path):
    """A packer that hands conversations straight to a template gets none that this template cannot print."""
    folder = with_chat_template(real_vocabulary("qwen"), tmp_path / name, chat_template(name))
    report = check_packer(lambda: DictPacker(folder), select=["ROLL", "AUTH", "MASK"], effort="quick")
    assert not_passed(report) == {}
    assert "the tokenizer has no chat template" not in not_applicable(report)


def test_a_packer_of_ids_conforms():
    """A packer without a tokenizer and without a rollout side is held to the rules on ids, masks and batches only."""
    report = check_packer(lambda: IdsPacker(filler=3), effort="quick")
    assert report.subjects[0].verdict == "conformant"
    assert not_applicable(report) == {
        **BUILT_READY,
        "the packer does not satisfy UsesTokenizer, SpecialTokenGuard": ["LIFE-13"],
        "the packer does not satisfy RolloutPacker": ["ROLL-1", "ROLL-3", "ROLL-4"],
        "the packer does not satisfy RolloutPacker, UsesTokenizer": ["ROLL-2", "AUTH-4"],
        "the packer does not satisfy UsesTokenizer": ["AUTH-3", "AUTH-5", "MASK-7", "COLL-5"],
        **NOT_OFFERED,
    }
