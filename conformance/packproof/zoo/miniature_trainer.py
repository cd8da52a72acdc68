"""The parts of a trainer that keep every rule, in steps small enough for a fault to replace just one of them."""

import copy
import importlib
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from packproof.zoo.miniature import MiniaturePacker

__all__ = ["MiniatureTrainer"]

_ROUTED = "rollout_routed_experts"
_N = "n_ignore_prefix_tokens"


class MiniatureTrainer:
    """Builds packers from paths, and has no registry but its own miniature."""

    consumer: ClassVar[str] = "trainer"

    def build_packers(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """The packers of a run by role."""
        student = ["rollout", "policy", *self._filtering(settings), *self._codec(settings)]
        packers = {role: self._student(settings, role) for role in student}
        if self._teaches(settings):
            packers["teacher_model"] = self._teacher(settings)
        return packers

    def _filtering(self, settings: Mapping[str, Any]) -> list[str]:
        return ["reward"] if settings["shared_prefix"] else []

    def _codec(self, settings: Mapping[str, Any]) -> list[str]:
        return ["teacher_codec"] if settings["distillation"] else []

    def _teaches(self, settings: Mapping[str, Any]) -> bool:
        return settings["distillation"] == "cross_token_multimodal"

    def _student(self, settings: Mapping[str, Any], role: str) -> Any:
        return self._made(settings["factory"], settings["model"], settings["trust_remote_code"])

    def _teacher(self, settings: Mapping[str, Any]) -> Any:
        return self._made(settings["teacher_model_factory"], settings["teacher_model"], settings["trust_remote_code"])

    def _made(self, path: str, model: str, trust: bool) -> Any:
        module, _, name = path.rpartition(".")
        packer = getattr(importlib.import_module(module), name)() if path else MiniaturePacker()
        packer.setup(model, trust_remote_code=trust)
        return packer

    def record_model_inputs(self, packer: Any, trajectories: Sequence[Any]) -> None:
        """One policy input for each trajectory."""
        for one in trajectories:
            info = one.policy_info
            info["model_inputs"] = self._input(packer, one, info)

    def _input(self, packer: Any, one: Any, info: Mapping[str, Any]) -> Any:
        made = packer.get_policy_input(one.obs, info["completion_ids"], prompt_ids=info["prompt_ids"])
        return self._with_record(made, info.get(_ROUTED))

    def _with_record(self, made: Any, record: Any) -> Any:
        if record is None:
            return made
        if not hasattr(made, "forward_routing"):
            raise TypeError(f"a policy input that is a {type(made).__name__} cannot carry {_ROUTED}")
        return self._changed(made, forward_routing=record)

    def _changed(self, made: Any, **fields: Any) -> Any:
        if isinstance(made, Mapping):
            return {**made, **fields}
        other = copy.copy(made)
        for name, value in fields.items():
            setattr(other, name, value)
        return other

    def role_batch(self, role: str, packer: Any, trajectories: Sequence[Any]) -> Any:
        """The policy inputs, less what the reward step left out, as a batch."""
        rows = [self._row(role, packer, one) for one in trajectories]
        return packer.policy_collate_fn(rows, packer.policy_compute_max_len(rows))

    def _row(self, role: str, packer: Any, one: Any) -> Any:
        made, info = one.policy_info["model_inputs"], one.policy_info
        whole = made["logprob_masks"] if isinstance(made, Mapping) else made.logprob_masks
        return self._changed(made, logprob_masks=self._mask(whole, info.get(_N, 0), len(info["prompt_ids"])))

    def _mask(self, mask: list[int], ignored: int, prompt_len: int) -> list[int]:
        first = prompt_len - 1
        return [*mask[:first], *[0] * ignored, *mask[first + ignored :]]

    def ignore_shared_prefixes(
        self, trajectories: Sequence[Any], groups: Sequence[Any], minimum: Any, packer: Any = None
    ) -> None:
        """Set how much of every completion is left out."""
        self._check_minimum(minimum)
        for at, one in enumerate(trajectories):
            if one.reward is None:
                raise ValueError(f"trajectory {at} has no reward")
        streams = [self._stream(one, packer) for one in trajectories]
        for at, one in enumerate(trajectories):
            others = [other for other in range(len(streams)) if self._counts(trajectories, groups, at, other)]
            shared = [self._shared(streams[at], streams[other]) for other in others]
            one.policy_info[_N] = self._number(shared, streams[at], minimum)

    def _check_minimum(self, minimum: Any) -> None:
        if type(minimum) is not int or minimum < 1:
            raise ValueError(f"the minimum is {minimum!r}, expected an integer of at least 1")

    def _stream(self, one: Any, packer: Any) -> list[int]:
        ids = one.policy_info.get("completion_ids")
        return self._encode(one.completion, packer) if ids is None else list(ids)

    def _encode(self, text: str, packer: Any) -> list[int]:
        return list(packer.tokenizer(text, add_special_tokens=False)["input_ids"])

    def _counts(self, trajectories: Sequence[Any], groups: Sequence[Any], at: int, other: int) -> bool:
        return groups[at] == groups[other] and trajectories[at].reward != trajectories[other].reward

    def _shared(self, one: list[int], other: list[int]) -> int:
        count = 0
        while count < min(len(one), len(other)) and one[count] == other[count]:
            count += 1
        return count

    def _number(self, shared: list[int], own: list[int], minimum: int) -> int:
        return max((count for count in shared if minimum <= count < len(own)), default=0)
