"""No false alarm where the pad token is the end of sequence, has id 0, and prompts can only be strings."""

import json

import pytest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import AutoTokenizer, PreTrainedTokenizerFast

import packer_reference
from known_good.verdicts import not_applicable
from packproof import check_packer
from packproof.zoo.miniature import MiniaturePacker

END = "<|end|>"
TEXT = "The end of a sequence is also what fills a row, and nothing but its place tells the one from the other. "


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model folder: byte-level BPE, one special token with id 0 for both ends, no chat template."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=320, special_tokens=[END], initial_alphabet=alphabet, show_progress=False, min_frequency=1
    )
    tokenizer.train_from_iterator([TEXT], trainer)
    folder = tmp_path_factory.mktemp("pad-is-eos")
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token=END, pad_token=END).save_pretrained(folder)
    (folder / "config.json").write_text(json.dumps({"model_type": "gpt2", "vocab_size": len(tokenizer.get_vocab())}))
    return folder


def test_the_tokenizer_is_what_it_is_taken_for(folder):
    """Pad and end of sequence are one token with id 0, text encodes to more than bytes, and there is no template."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    assert tokenizer.pad_token_id == tokenizer.eos_token_id == 0
    assert tokenizer.chat_template is None
    assert len(tokenizer(" sequence").input_ids) < len(" sequence")


@pytest.mark.parametrize("packer", [packer_reference.make_packer, MiniaturePacker])
def test_all_but_the_template_is_kept(folder, packer):
    """Only the rule on chat templates does not apply; filler and real end tokens, both id 0, raise no false alarm."""
    report = check_packer(packer, models=[str(folder)], effort="quick")
    assert report.subjects[0].verdict == "conformant"
    assert not_applicable(report).pop("the tokenizer has no chat template") == ["ROLL-2"]
    assert [one.status for one in report.subjects[0].outcomes].count("pass") == 58
