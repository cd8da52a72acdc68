"""No false alarm over tokenizers that drop white space, refuse roles, hold few ids or declare no end."""

import pytest
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast

from known_good.verdicts import not_applicable, not_passed
from packproof import check_packer
from packproof.zoo.miniature import MiniaturePacker

CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789.,!?'"
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *CHARACTERS, *(f"##{one}" for one in CHARACTERS)]
TEMPLATE = """\
{%- for message in messages -%}
    {%- if message['role'] not in ('user', 'assistant') -%}{{- raise_exception('no such role') -}}{%- endif -%}
    {{- message['role'] ~ ': ' ~ message['content'] ~ '! ' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- 'assistant: ' -}}{%- endif -%}
"""


def word_pieces(folder, **special):
    """A folder with a lower-casing WordPiece tokenizer of less than a hundred ids, which drops white space."""
    tokenizer = Tokenizer(models.WordPiece({word: id for id, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="[UNK]", cls_token="[CLS]", **special)
    fast.chat_template = TEMPLATE
    fast.save_pretrained(folder)
    (folder / "config.json").write_text('{"model_type": "bert"}')
    return str(folder)


class KnowsItsVocabulary(MiniaturePacker):
    """Refuses ids beyond the vocabulary, and fills with 0 where no pad id is declared."""

    def _id(self, one):
        id = super()._id(one)
        if id >= len(self.tokenizer):
            raise ValueError(f"{id} is no id of {len(self.tokenizer)}")
        return id

    def _padded_ids(self, ids, width):
        return ids + [self.tokenizer.pad_token_id or 0] * (width - len(ids))


@pytest.mark.parametrize("special", [{"pad_token": "[PAD]", "sep_token": "[SEP]"}, {"eos_token": "[SEP]"}])
def test_a_tokenizer_that_drops_white_space_is_no_fault_of_a_packer(special, tmp_path):
    """Prompts that encode to nothing, few ids, and roles that a template refuses break no rule."""
    folder = word_pieces(tmp_path, **special)
    report = check_packer(KnowsItsVocabulary, models=folder, effort="quick", raise_on_failure=False)
    assert not_passed(report) == {}


def test_without_pad_and_end_nobody_knows_the_filler(tmp_path):
    """Where a model declares neither pad nor end of sequence, COLL-5 does not apply, and nothing else is broken."""
    report = check_packer(KnowsItsVocabulary, models=word_pieces(tmp_path), effort="quick", raise_on_failure=False)
    assert not_passed(report) == {}
    reason = "the tokenizer declares neither a pad token nor an end of sequence"
    assert not_applicable(report)[reason] == ["COLL-5"]
