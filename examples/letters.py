"""The toy of the loop: asked for a letter, the model is to write the next three and stop."""

import json
from pathlib import Path

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

from packer_schemas import ObsBundle

__all__ = ["ANSWER", "PROMPTS", "VOCABULARY", "reward", "write_tokenizer"]

LETTERS = "abcdef"
SPECIAL = ["<pad>", "<s>", "</s>", "<unk>"]
TOKENS = [*SPECIAL, *LETTERS, *(f"▁{letter}" for letter in LETTERS)]
VOCABULARY = len(TOKENS)
ANSWER = 4
"""Ids of an answer: three letters and the end."""

PROMPTS = [ObsBundle(representations={"prompt": letter}) for letter in LETTERS]


def reward(sample: ObsBundle, completion_ids: list[int]) -> float:
    """The share of the answer's ids that stand where they belong: after `c`, those of `d`, `e`, `f` and the end."""
    at = LETTERS.index(str(sample.representations["prompt"]))
    right = [TOKENS.index(LETTERS[(at + step) % len(LETTERS)]) for step in (1, 2, 3)] + [TOKENS.index("</s>")]
    return sum(one == other for one, other in zip(completion_ids, right, strict=False)) / ANSWER


def write_tokenizer(folder: Path) -> str:
    """A model folder with a tokenizer as real ones are: text begins with a blank, and `<s>` goes in front by default.

    A letter is one id where it stands alone or begins a text, and another one inside of a word.
    """
    tokenizer = Tokenizer(models.WordLevel({token: id for id, token in enumerate(TOKENS)}, unk_token="<unk>"))
    tokenizer.add_special_tokens(SPECIAL)
    blanks = [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁"), normalizers.Replace(Regex("▁+"), "▁")]
    tokenizer.normalizer = normalizers.Sequence(blanks)
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex("▁?[a-f]"), behavior="isolated")
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    names = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}
    config = {"tokenizer_class": "PreTrainedTokenizerFast", "clean_up_tokenization_spaces": False, **names}
    (folder / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    return str(folder)
