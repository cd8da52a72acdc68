"""Speed of the reference objective, as ratios against named peers measured in the same run.

    python benchmarks/objective.py

Peers: the same loss as it is usually written inline (log_softmax over all logits, masks multiplied in), on logits that
are given; and the packing of the same trajectories alone, where there is next to nothing in the logits.
"""

import os
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"

import torch
from turns import medians

from packer_reference import init_data_packer, make_objective, shape_policy_input
from packer_schemas import ObsBundle, Trajectory
from packproof.models import resolve_model

ROWS, VOCABULARY, ROUNDS = 8, 8192, 9
OBS = ObsBundle(representations={"prompt": "x"})


def main() -> None:
    """Measure and print every ratio."""
    torch.set_num_threads(1)
    print(f"loss and backward, {ROWS} rows, logits of {VOCABULARY} ids given, against the inline loss")
    for prompt, completion in ((256, 256), (448, 64)):
        ours, peer = scored(prompt, completion)
        print(
            f"  {prompt} + {completion} ids  {1e3 * ours:7.1f} ms, inline {1e3 * peer:7.1f} ms, ratio {peer / ours:.1f}"
        )
    whole, packing, softmax = unscored()
    print("a call without model and backward, 32 rows of 510 + 510 ids, 1024 ids in the vocabulary")
    print(f"  {1e3 * whole:.1f} ms; packing alone {1e3 * packing:.1f} ms, log_softmax alone {1e3 * softmax:.1f} ms")


def scored(prompt: int, completion: int) -> list[float]:
    """Median seconds of loss and backward, for the reference objective and for its peer."""
    made, objective = trajectories(prompt, completion), make_objective()
    generator = torch.Generator().manual_seed(0)
    logits = torch.randn(ROWS, prompt + completion, VOCABULARY, generator=generator).requires_grad_()

    def ours() -> torch.Tensor:
        return objective(lambda _: logits, made, advantages=[1.0] * ROWS).loss

    def peer() -> torch.Tensor:
        return inline(logits, made)

    assert torch.allclose(ours(), peer())
    return medians(lambda: step(logits, ours()), lambda: step(logits, peer()), rounds=ROUNDS)


def unscored() -> list[float]:
    """Median seconds of a call, of the packing in it, and of the one log_softmax in it."""
    packer = init_data_packer(resolve_model("tiny-qwen"))
    made, logits = trajectories(510, 510, 32), torch.zeros(32, 1020, 1024)
    objective, selected = make_objective(packer), torch.zeros(32 * 507, 1024)
    return medians(
        lambda: objective(lambda _: logits, made, advantages=[1.0] * 32),
        lambda: packed(packer, made),
        lambda: selected.log_softmax(-1),
        rounds=ROUNDS,
    )


def trajectories(prompt: int, completion: int, rows: int = ROWS) -> list[Trajectory]:
    """Rows of distinct ids, a few ids shorter each."""
    made = []
    for row in range(rows):
        length = completion - row % 8
        info = {
            "prompt_ids": list(range(prompt)),
            "completion_ids": [row + at % 500 for at in range(length)],
            "logprobs": [-8.5 - at / 1000 for at in range(length)],
        }
        made.append(Trajectory.model_construct(obs=OBS, completion="", policy_info=info, reward=None))
    return made


def step(logits: torch.Tensor, loss: torch.Tensor) -> None:
    """The backward pass."""
    logits.grad = None
    loss.backward()


def inline(logits: torch.Tensor, made: list[Trajectory]) -> torch.Tensor:
    """The peer: rows, masks and logprobs padded as Python lists, log_softmax of everything, times the mask."""
    width = logits.shape[1]
    ids, masks, old = [], [], []
    for one in made:
        prompt, completion, logprobs = (one.policy_info[key] for key in ("prompt_ids", "completion_ids", "logprobs"))
        fill = width - len(prompt) - len(completion)
        ids.append(prompt + completion + [0] * fill)
        masks.append([0] * (len(prompt) - 1) + [1] * len(completion) + [0] * fill)
        old.append([0.0] * (len(prompt) - 1) + logprobs + [0.0] * fill)
    mask, q = torch.tensor(masks), torch.tensor(old)
    lp = logits[:, :-1].log_softmax(-1).gather(-1, torch.tensor(ids)[:, 1:, None]).squeeze(-1)
    ratio = (lp - q).exp()
    return -(torch.minimum(ratio, ratio.clamp(0.8, 1.2)) * mask).sum() / mask.sum()


def packed(packer: Any, made: list[Trajectory]) -> Any:
    """Policy inputs and batch, as the objective has them made."""
    rows = [shape_policy_input(packer, one) for one in made]
    return packer.policy_collate_fn(rows, packer.policy_compute_max_len(rows))


if __name__ == "__main__":
    main()
