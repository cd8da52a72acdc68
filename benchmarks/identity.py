"""Speed of the declared identity, as ratios against named peers measured in the same run.

    python benchmarks/identity.py [MODEL]

MODEL is a model folder or id, or an embedded model; default tiny-qwen.
Peers: a digest of the tokenizer's serialised text, made anew each time (which also holds what calls left behind), and
the same text parsed and written canonically, which is the plain way to leave those out.
"""

import hashlib
import json
import os
import statistics
import sys
from collections.abc import Callable
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"

from transformers.utils import logging
from turns import medians, once

from packer_reference import DecoderOnlyLLMDataPacker
from packer_schemas import identity_digest
from packproof.models import resolve_model

ROUNDS = 9


def main() -> None:
    """Measure and print every ratio."""
    logging.set_verbosity_error()
    model = resolve_model(sys.argv[1] if len(sys.argv) > 1 else "tiny-qwen")
    untouched, lent = (set_up(model) for _ in range(2))
    backend = lent.tokenizer.backend_tokenizer  # from here on its content is read anew on every call
    first = statistics.median(once(set_up(model).validation_semantics_identity) for _ in range(ROUNDS))
    print(f"validation_semantics_identity(), {backend.get_vocab_size():,} tokens")
    print(f"  first call                          {1e3 * first:9.2f} ms")
    untouched.validation_semantics_identity()
    peers: dict[str, Callable[[], Any]] = {
        "again, tokenizer never handed out": untouched.validation_semantics_identity,
        "again, tokenizer handed out": lent.validation_semantics_identity,
        "peer: digest of to_str()": lambda: digest_of_text(backend),
        "peer: to_str(), parsed, canonical": lambda: digest_of_content(backend),
    }
    times = dict(zip(peers, medians(*peers.values(), rounds=ROUNDS, warm_up=False), strict=True))
    for name, seconds in times.items():
        print(f"  {name:<36}{1e3 * seconds:9.2f} ms  {seconds / times['peer: digest of to_str()']:8.4f} of to_str()")


def set_up(model: str) -> DecoderOnlyLLMDataPacker:
    """A packer of its own."""
    packer = DecoderOnlyLLMDataPacker()
    packer.setup(model)
    return packer


def digest_of_text(backend: Any) -> str:
    """The first peer: what is serialised, leftovers of calls included."""
    return hashlib.sha256(backend.to_str().encode()).hexdigest()


def digest_of_content(backend: Any) -> str:
    """The second peer: the same without the leftovers, which takes a parser and a writer."""
    content = json.loads(backend.to_str())
    return identity_digest(content | {"truncation": None, "padding": None})


if __name__ == "__main__":
    main()
