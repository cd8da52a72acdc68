"""What all rollout bodies have in common: a packer, the sampling, and the way from samples to trajectories."""

import random
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from packer_reference.rollouts.inputs import engine_inputs
from packer_reference.rollouts.records import Draw, trajectories
from packer_reference.rollouts.sampling import read_sampling
from packer_schemas import RolloutPacker, Trajectory

__all__ = ["RolloutBody", "expect_packer"]


def expect_packer(packer: Any, body: str) -> None:
    """Refuse what is no packer: None with `ValueError`, anything else with `TypeError`. Spec: bodies, BODY-1."""
    if packer is None:
        raise ValueError(
            f"{body} requires a DataPacker at construction, and packer=None was given; "
            "build one with init_data_packer(name_or_path) and pass packer=..."
        )
    if isinstance(packer, type) or not isinstance(packer, RolloutPacker):
        what = f"the class {packer.__name__}" if isinstance(packer, type) else f"a {type(packer).__name__}"
        raise TypeError(
            f"{body}: packer is {what}, expected a packer with get_rollout_input; "
            "build one with init_data_packer(name_or_path)"
        )


class RolloutBody(ABC):
    """Stands between a packer and an engine; a subclass says how one call of `generate` reaches the engine."""

    def __init__(self, *, packer: Any, sampling: Mapping[str, Any] | None, routing_replay: bool) -> None:
        name = type(self).__name__
        expect_packer(packer, name)
        if not isinstance(routing_replay, bool):
            raise TypeError(f"{name}: routing_replay is {routing_replay!r}, expected True or False")
        self.packer = packer
        self.sampling = read_sampling(sampling, name)
        self.routing_replay = routing_replay
        # An own sequence of seeds, one for each completion: no global random state has a part in it (BODY-13).
        self._seeds = random.Random(self.sampling.seed)  # noqa: S311  sampling is no cryptography

    @property
    def tokenizer(self) -> Any:
        """The packer's tokenizer; None where it has none."""
        return getattr(self.packer, "tokenizer", None)

    def generate(self, samples: Sequence[Any], *, prompt_ids: Sequence[Any] | None = None) -> list[Trajectory]:
        """G trajectories for each of the B samples, those of the first sample first.

        Entry i of `prompt_ids`, where it is not None, are the ids to generate from for sample i. `policy_info` of a
        trajectory holds `prompt_ids` (P ids), `completion_ids` (C ids), `logprobs` (C floats) or `logprobs_missing`,
        and with `routing_replay` the record `rollout_routed_experts`, an integer tensor `[P + C - 1, layers, top_k]` on
        the CPU. The arguments, the sampling and the tokenizer stay as they were.

        Raises `ValueError` for no samples, for prompts that are empty or too long, and for an engine's answer that
        cannot be matched or placed; `TypeError` for what are no samples and no ids. Errors of the packer pass through.
        Spec: bodies, BODY-2 to BODY-13 and BODY-16.
        """
        name = type(self).__name__
        inputs = engine_inputs(self.packer, samples, prompt_ids, name)
        return trajectories(self.packer, samples, self._draw(inputs), name, routing=self.routing_replay)

    @abstractmethod
    def _draw(self, inputs: Sequence[Any]) -> list[Draw]:
        """G draws for each input, in order."""

    def _stop_ids(self) -> frozenset[int]:
        if self.sampling.stop_token_ids is not None:
            return frozenset(self.sampling.stop_token_ids)
        end = getattr(self.tokenizer, "eos_token_id", None)
        return frozenset() if end is None else frozenset([end])

    def _next_seed(self) -> int:
        return self._seeds.getrandbits(62)
