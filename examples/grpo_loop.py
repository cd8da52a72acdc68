"""Train a tiny random model with the reference parts, and see what a wrong packer does to the same run.

python examples/grpo_loop.py
python examples/grpo_loop.py --break mask|bos|retokenise
"""

import argparse
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch
from charts import Curve, progress, terminal_chart, write_svg
from letters import ANSWER, PROMPTS, VOCABULARY, reward, write_tokenizer
from transformers import Qwen2Config, Qwen2ForCausalLM
from wrong_packers import WRONG

from packer_reference import DecoderOnlyLLMDataPacker, make_objective
from packer_reference.rollouts import HFRollout
from packproof import check_packer

__all__ = ["main"]

GROUP = 32
"""Answers to each prompt."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Train, draw, and ask the kit about the packer that was trained with."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--break", dest="wrong", choices=sorted(WRONG), help="train with a packer that is wrong")
    parser.add_argument("--steps", type=_steps, default=80, help="updates of the weights; 80 unless given")
    parser.add_argument("--seed", type=int, default=0, help="seed of weights and draws")
    parser.add_argument("--svg", type=Path, metavar="FILE", help="write the curves to this file too")
    given = parser.parse_args(arguments)
    if given.svg and (given.svg.is_dir() or not given.svg.parent.is_dir()):
        parser.error(f"argument --svg: {str(given.svg)!r} cannot be written, expected a file in a folder that exists")
    packer_class = WRONG.get(given.wrong, DecoderOnlyLLMDataPacker)
    print(f"packer: {packer_class.__name__}; {len(PROMPTS)} prompts, {GROUP} answers to each, {given.steps} steps\n")

    rewards, gaps = train(packer_class, given.steps, given.seed)
    curves = [
        Curve("reward", rewards, 0, 1),
        Curve("rollout against trainer, largest |logprob difference|", gaps, 1e-7, 10, log=True),
    ]
    print("", *map(terminal_chart, curves), sep="\n")
    print(f"\nreward {rewards[0]:.2f} -> {rewards[-1]:.2f}; largest logprob difference {max(gaps):.1e}")
    if given.svg:
        write_svg(given.svg, f"{packer_class.__name__}", curves)
    print("\nWhat the kit says of this packer, of the rules on ids and masks:\n")
    print(verdict(packer_class))


def train(packer_class: type[DecoderOnlyLLMDataPacker], steps: int, seed: int) -> tuple[list[float], list[float]]:
    """The mean reward of every step, and the largest difference of a logprob in rollout and trainer."""
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    with tempfile.TemporaryDirectory() as folder:
        packer = packer_class()
        packer.setup(write_tokenizer(Path(folder)))
    model = tiny_model()
    rollout = HFRollout(model, packer=packer, sampling={"n": GROUP, "max_tokens": ANSWER, "seed": seed})
    objective = make_objective(packer, eps=0.1)  # a group that is nearly solved is not to shout
    optimiser = torch.optim.Adam(model.parameters(), lr=4e-3)
    slower = torch.optim.lr_scheduler.LinearLR(optimiser, 1.0, 0.0, steps)
    rewards, gaps = [], []
    for step in range(steps):
        trajectories = rollout.generate(PROMPTS)
        for one in trajectories:
            one.reward = reward(one.obs, one.policy_info["completion_ids"])
        result = objective(model, trajectories, groups=[one.obs.representations["prompt"] for one in trajectories])
        optimiser.zero_grad()
        result.loss.backward()
        optimiser.step()
        slower.step()
        rewards.append(fmean(one.reward for one in trajectories))
        gaps.append(result.metrics["logprob_gap_max"])
        progress(step + 1, steps, f"reward {rewards[-1]:.2f}  logprob difference {gaps[-1]:.0e}")
    return rewards, gaps


def tiny_model() -> Any:
    """A Qwen2 of two small layers, with random weights."""
    sizes = {"vocab_size": VOCABULARY, "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2}
    return Qwen2ForCausalLM(Qwen2Config(**sizes, **heads, tie_word_embeddings=False))


def verdict(packer_class: type[DecoderOnlyLLMDataPacker]) -> str:
    """What `check_packer` finds, in its own words."""
    try:
        report = check_packer(packer_class, models="tiny-llama3", select=["AUTH", "MASK"], effort="quick")
    except AssertionError as failures:
        return str(failures)
    return f"{len(report.subjects[0].outcomes)} rules, none broken"


def _steps(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and int(text)):
        raise argparse.ArgumentTypeError(f"{text!r}, expected a whole number of at least 1")
    return int(text)


if __name__ == "__main__":
    main()
