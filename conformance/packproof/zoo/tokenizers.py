"""Tokenizers for the zoo: loaded once per process, handed out as copies, so that a kill matrix takes a minute."""

import pickle
from functools import cache
from typing import Any

from packproof.models import EMBEDDED, model_path

__all__ = ["own_tokenizer"]


def own_tokenizer(name_or_path: str, trust_remote_code: bool = False) -> Any:
    """The tokenizer of a model, for its caller alone: whatever is done to it shows nowhere else."""
    if name_or_path in _embedded_folders():
        return pickle.loads(_pickled(name_or_path))  # noqa: S301  our own bytes, from this process
    return _load(name_or_path, trust_remote_code)


def _load(name_or_path: str, trust_remote_code: bool) -> Any:
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(name_or_path, trust_remote_code=trust_remote_code)


@cache
def _pickled(folder: str) -> bytes:
    return pickle.dumps(_load(folder, False))


@cache
def _embedded_folders() -> frozenset[str]:
    return frozenset(str(model_path(name)) for name in EMBEDDED)
