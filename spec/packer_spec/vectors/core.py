"""What the tables of the core chapters share: tokenizers with special ids, and streams of distinct ordinary ids."""

from typing import Any

__all__ = ["GPT2", "LLAMA3", "QWEN", "SPM", "completion_ids", "prompt_ids", "tokenizer"]


def tokenizer(
    pad: int | None = None, *, bos: int | None = None, eos: int | None = None, model: str | None = None
) -> dict[str, Any]:
    """What a vector says of the tokenizer: its special ids, and which of the kit's models has them."""
    facts = {"model": model, "bos_token_id": bos, "eos_token_id": eos, "pad_token_id": pad}
    return {name: fact for name, fact in facts.items() if fact is not None}


QWEN = tokenizer(576, eos=578, model="tiny-qwen")
GPT2 = tokenizer(543, bos=543, eos=543, model="tiny-gpt2")
LLAMA3 = tokenizer(0, bos=555, eos=556, model="tiny-llama3")
SPM = tokenizer(2, bos=1, eos=2, model="tiny-spm")


def prompt_ids(count: int) -> list[int]:
    """110, 111, 112, ..."""
    return list(range(110, 110 + count))


def completion_ids(count: int) -> list[int]:
    """120, 121, 122, ..."""
    return list(range(120, 120 + count))
