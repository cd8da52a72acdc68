"""Faults of chapter bodies in the record of a generation: its routing."""

from typing import Any

from packproof.zoo.member import fault
from packproof.zoo.miniature_rollout import Drawn, MiniatureRollout

__all__: list[str] = []


@fault("BODY-9")
class LooksAtTheRequest(MiniatureRollout):
    """The record is looked for at the request, where only its first completion has one."""

    def _trajectory(self, sample: Any, row: Drawn, answer: Any) -> Any:
        made = super()._trajectory(sample, row, answer)
        seen, self._seen = getattr(self, "_seen", None), row.prompt
        if self.replay and seen == row.prompt:
            del made.policy_info["rollout_routed_experts"]
        return made

    def generate(self, samples: Any, *, prompt_ids: Any = None) -> list[Any]:
        """The trajectories."""
        self._seen = None
        return super().generate(samples, prompt_ids=prompt_ids)


@fault("BODY-9", report="https://github.com/vllm-project/tpu-inference/pull/3583")
class PromptRowsAreZero(MiniatureRollout):
    """Rows of the prompt are expert 0 throughout: https://github.com/vllm-project/tpu-inference/pull/3583."""

    def _routing(self, row: Drawn) -> Any:
        found = row.experts.clone()
        found[: len(row.prompt)] = 0
        return found


@fault("BODY-9", report="https://github.com/sgl-project/sglang/issues/20964")
class ARowForEveryId(MiniatureRollout):
    """The record has a row for the last id too: https://github.com/sgl-project/sglang/issues/20964."""

    def _routing(self, row: Drawn) -> Any:
        import torch

        return torch.cat([row.experts, row.experts[-1:]])


@fault("BODY-9")
class ShiftedByARow(MiniatureRollout):
    """The record begins with the second position, and its last row stands twice."""

    def _routing(self, row: Drawn) -> Any:
        import torch

        return torch.cat([row.experts[1:], row.experts[-1:]])


@fault("BODY-9", report="https://github.com/radixark/miles/issues/407")
class ReplaysNothing(MiniatureRollout):
    """The switch for replay is taken by a model without experts, and nothing is recorded.

    Reported: https://github.com/radixark/miles/issues/407.
    """

    def __init__(self, model: Any, *, packer: Any, sampling: Any = None, routing_replay: bool = False) -> None:
        routing_replay = routing_replay and hasattr(model.config, "num_experts_per_tok")
        super().__init__(model, packer=packer, sampling=sampling, routing_replay=routing_replay)
