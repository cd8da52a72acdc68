"""A packer that says who asks its tokenizer, and trajectories as a rollout leaves them."""

from collections.abc import Sequence
from typing import Any

from packer_schemas import Trajectory
from packer_schemas.trainer_cases import RolledOut
from packproof.rollouts.packers import GuardedHooks, sample_of

__all__ = ["WatchedPacker", "rolled_out"]

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


def rolled_out(cases: Sequence[RolledOut]) -> list[Trajectory]:
    """Trajectories with ids and logprobs, and nothing that later steps add."""
    return [
        Trajectory(
            obs=sample_of("Hi", number=at),
            completion=list(one.completion),
            policy_info={
                "prompt_ids": list(one.prompt_ids),
                "completion_ids": list(one.completion),
                "logprobs": [-1.0] * len(one.completion),
            },
        )
        for at, one in enumerate(cases)
    ]
