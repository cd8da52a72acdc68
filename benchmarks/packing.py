"""Speed of the reference packer, as ratios against named peers measured in the same run.

    python benchmarks/packing.py [MODEL]

MODEL is a model folder or id, or an embedded model; default tiny-qwen.
Peers: re-tokenising the prompt text and padding Python lists (what packers do that do not keep stored ids), and the
bare tokenizer calls of the text route.
"""

import os
import sys
from collections.abc import Callable
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"

import torch
from transformers.utils import logging
from turns import medians, once

from packer_reference import init_data_packer
from packer_schemas import ObsBundle
from packproof.models import resolve_model

PROMPT, COMPLETION, ROUNDS, BATCHES = 510, 510, 15, 5
PROMPT_IDS = list(range(PROMPT))
ANSWERS = [list(range(COMPLETION - shorter)) for shorter in range(8)]
WORDS = "The packer takes prompt tokens and response tokens and returns one row per sample. "


def main() -> None:
    """Measure and print every ratio."""
    logging.set_verbosity_error()
    torch.set_num_threads(1)
    packer = init_data_packer(resolve_model(sys.argv[1] if len(sys.argv) > 1 else "tiny-qwen"))
    text = _text_of(packer.tokenizer, PROMPT)
    answer = _text_of(packer.tokenizer, COMPLETION)
    sample = ObsBundle(representations={"prompt": text})

    tokenizer = packer.tokenizer
    ours, retokenised = paired(lambda: by_ids(packer, sample, 32), lambda: by_retokenising(tokenizer, text, 32))
    tokens = 32 * (PROMPT + COMPLETION)
    print(f"stored ids, batch 32 of {PROMPT} + {COMPLETION} tokens, get_policy_input and policy_collate_fn")
    for name, seconds in (("packer_reference", ours), ("re-tokenised prompt, padded lists", retokenised)):
        print(f"  {name:<34}{1e3 * seconds:8.2f} ms  {tokens / seconds / 1e6:7.1f} M tokens/s")
    print(f"  ratio {retokenised / ours:.1f}")

    route, bare = paired(
        lambda: by_text(packer, sample, answer, 32), lambda: tokenizer_alone(tokenizer, text, answer, 32)
    )
    print("text route, batch 32, against the tokenizer calls alone")
    print(f"  packer_reference {1e3 * route:.2f} ms, tokenizer alone {1e3 * bare:.2f} ms, ratio {route / bare:.3f}")

    print("growth with the batch, stored ids, per sample")
    per_sample = {size: best(lambda size=size: by_ids(packer, sample, size)) / size for size in (32, 128, 512, 2048)}
    for size, seconds in per_sample.items():
        print(f"  batch {size:5d}  {1e6 * seconds:6.1f} us per sample, {seconds / per_sample[32]:.2f} of batch 32")


def by_ids(packer: Any, sample: ObsBundle, size: int) -> dict[str, torch.Tensor]:
    """The packer with stored prompt ids and completion ids."""
    rows = [packer.get_policy_input(sample, ANSWERS[i % 8], prompt_ids=PROMPT_IDS) for i in range(size)]
    return packer.policy_collate_fn(rows, packer.policy_compute_max_len(rows))


def by_retokenising(tokenizer: Any, text: str, size: int) -> dict[str, torch.Tensor]:
    """The peer: the prompt's text is tokenised again, rows are padded as Python lists."""
    rows, masks = [], []
    for i in range(size):
        prompt = tokenizer(text, add_special_tokens=False).input_ids
        completion = ANSWERS[i % 8]
        rows.append(prompt + completion)
        masks.append([0] * (len(prompt) - 1) + [1] * len(completion) + [0])
    width = max(map(len, rows))
    return {
        "input_ids": torch.tensor([row + [tokenizer.pad_token_id] * (width - len(row)) for row in rows]),
        "logprob_masks": torch.tensor([mask + [0] * (width - len(mask)) for mask in masks], dtype=torch.bool),
    }


def by_text(packer: Any, sample: ObsBundle, answer: str, size: int) -> dict[str, torch.Tensor]:
    """The packer on its text route."""
    rows = [packer.get_policy_input(sample, answer) for _ in range(size)]
    return packer.policy_collate_fn(rows, packer.policy_compute_max_len(rows))


def tokenizer_alone(tokenizer: Any, text: str, answer: str, size: int) -> None:
    """The peer of the text route: its two tokenizer calls per sample."""
    for _ in range(size):
        tokenizer(text, add_special_tokens=False)
        tokenizer(answer, add_special_tokens=False)


def paired(ours: Callable[[], Any], peer: Callable[[], Any]) -> tuple[float, float]:
    """Median seconds of both for a batch."""
    ours(), peer()
    mine, other = medians(_several(ours), _several(peer), rounds=ROUNDS, warm_up=False)
    return mine / BATCHES, other / BATCHES


def best(run: Callable[[], Any]) -> float:
    """The shortest of several runs, in seconds."""
    run()
    return min(once(run) for _ in range(5))


def _several(run: Callable[[], Any]) -> Callable[[], None]:
    def batches() -> None:
        for _ in range(BATCHES):
            run()

    return batches


def _text_of(tokenizer: Any, tokens: int) -> str:
    ids = tokenizer(WORDS * 100, add_special_tokens=False).input_ids[:tokens]
    return tokenizer.decode(ids)


if __name__ == "__main__":
    main()
