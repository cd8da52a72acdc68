"""Samples and tokenizers for the tests of the reference packers."""

from typing import Any

from tokenizers import Tokenizer
from tokenizers.decoders import ByteLevel as ByteLevelDecoder
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel
from tokenizers.trainers import BpeTrainer
from transformers import PreTrainedTokenizerFast

from packer_reference import DecoderOnlyLLMDataPacker
from packer_schemas import ObsBundle
from packproof.models import resolve_model

__all__ = ["CHATML", "bpe", "observe", "packer_on"]

CHATML = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def observe(prompt: Any) -> ObsBundle:
    """A sample around `prompt`, also around one that breaks the schema."""
    return ObsBundle.model_construct(representations={"prompt": prompt})


def bpe(**special: Any) -> PreTrainedTokenizerFast:
    """A byte-level BPE tokenizer trained on one sentence, with the special tokens asked for."""
    tokenizer = Tokenizer(BPE())
    tokenizer.pre_tokenizer = ByteLevel(add_prefix_space=False)
    tokenizer.decoder = ByteLevelDecoder()
    names = [token for token in special.values() if isinstance(token, str)]
    trainer = BpeTrainer(vocab_size=300, special_tokens=names, initial_alphabet=ByteLevel.alphabet())
    tokenizer.train_from_iterator(["the quick brown fox jumps over the lazy dog"] * 4, trainer)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special)


def packer_on(name: str = "tiny-qwen", kind: type[Any] = DecoderOnlyLLMDataPacker) -> Any:
    """A packer of this class, set up on an embedded model."""
    packer = kind()
    packer.setup(resolve_model(name))
    return packer
