"""A packer that says who asks its tokenizer, and trajectories as a rollout leaves them."""

from typing import Any, ClassVar

from packer_schemas import Trajectory
from packer_schemas.trainer_cases import RoleInputCase, RolledOut
from packproof.rollouts.packers import GuardedHooks, sample_of
from packproof.rollouts.recorded import ROUTED
from packproof.rollouts.tiny_models import EXPERTS, LAYERS, TOP_K
from packproof.zoo.miniature import MiniaturePacker
from packproof.zoo.miniature_routed import MiniatureRouted

__all__ = ["RoutedWatchedPacker", "WatchedPacker", "rolled_out"]

_ASKING = {"encode", "decode", "batch_decode", "tokenize", "apply_chat_template", "encode_plus", "batch_encode_plus"}


class _WatchedTokenizer:
    """A tokenizer that notes when it is asked to encode or to decode."""

    def __init__(self, inner: Any, asked: list[tuple[str, Any]]) -> None:
        self._inner = inner
        self._asked = asked

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self._asked.append(("tokenizer", args))
        return self._inner(*args, **kwargs)

    def __len__(self) -> int:
        return len(self._inner)

    def __getattr__(self, name: str) -> Any:
        if name in _ASKING:
            self._asked.append((f"tokenizer.{name}", ()))
        return getattr(self._inner, name)


class WatchedPacker(GuardedHooks):
    """Notes in `asked` also what its tokenizer is asked."""

    def __init__(self, tokenizer: str) -> None:
        super().__init__(tokenizer)
        self.tokenizer = _WatchedTokenizer(self.tokenizer, self.asked)
        self._inner.tokenizer = self.tokenizer


class RoutedWatchedPacker(WatchedPacker):
    """The same, with policy inputs that have room for recorded experts."""

    shapes: ClassVar[type[MiniaturePacker]] = MiniatureRouted


def rolled_out(case: RoleInputCase) -> list[Trajectory]:
    """Trajectories with ids and logprobs, with experts where they are recorded, and nothing that later steps add."""
    return [_trajectory(at, one, recorded=case.routing != "none") for at, one in enumerate(case.trajectories)]


def _trajectory(at: int, one: RolledOut, *, recorded: bool) -> Trajectory:
    info: Any = {
        "prompt_ids": list(one.prompt_ids),
        "completion_ids": list(one.completion),
        "logprobs": [-1.0] * len(one.completion),
    }
    if recorded:
        info[ROUTED] = _record(len(one.prompt_ids) + len(one.completion))
    return Trajectory(obs=sample_of("Hi", number=at), completion=list(one.completion), policy_info=info)


def _record(length: int) -> Any:
    """Experts that differ from place to place, `[length - 1, layers, top_k]`."""
    import torch

    numbers = torch.arange((length - 1) * LAYERS * TOP_K) % EXPERTS
    return numbers.reshape(length - 1, LAYERS, TOP_K).to(torch.int16)
