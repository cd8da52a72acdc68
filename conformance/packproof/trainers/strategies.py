"""Strategies for what the parts of a trainer are tried on."""

import random
from functools import cache, partial

from hypothesis import strategies as st

from packer_schemas.trainer_cases import (
    PackersOfARunCase,
    Rewarded,
    RoleInputCase,
    RolledOut,
    SharedPrefixCase,
)
from packproof.pools import pool

__all__ = ["packers_of_a_run", "role_inputs", "shared_prefixes"]

_prompts = st.sampled_from([[110], [555, 40, 73], [110, 111], [0, 110]])
_completions = st.sampled_from([[120], [120, 121, 122], [], [121, 556], [120, 0, 122, 123]])


def role_inputs() -> st.SearchStrategy[RoleInputCase]:
    """A few trajectories of different lengths, of which the reward step leaves something out."""
    one = st.builds(_rolled_out, _prompts, _completions, st.sampled_from([0, 0, 1, 2]))
    routing = ["none", "none", "recorded", "recorded, and policy inputs are mappings"]
    return st.builds(
        RoleInputCase, trajectories=st.lists(one, min_size=1, max_size=3), routing=st.sampled_from(routing)
    )


def _rolled_out(prompt: list[int], completion: list[int], ignored: int) -> RolledOut:
    return RolledOut(prompt_ids=prompt, completion=completion, ignored=min(ignored, len(completion)))


def packers_of_a_run() -> st.SearchStrategy[PackersOfARunCase]:
    """Every combination of what decides which packers a run builds."""
    return st.builds(
        PackersOfARunCase,
        factory=st.sampled_from([True, True, False]),
        shared_prefix=st.sampled_from([None, 1, 4]),
        distillation=st.sampled_from([None, "same_token", "cross_token", "cross_token_multimodal"]),
        trust_remote_code=st.booleans(),
        teacher_factory=st.booleans(),
    )


_BEGUN, _ENDED = ([120], [120, 121], [120, 121, 122]), ([123], [124], [], [125, 126])
_TEXTS = ("the answer is 4", "the answer is 5", "the answer", "no")


@cache
def shared_prefixes() -> st.SearchStrategy[SharedPrefixCase]:
    """Groups of completions that begin alike, of ids or of text, and what is to be refused; the small ones first."""
    kinds = [*["ids"] * 6, "texts", "unrewarded", "minimum"]
    made = [partial(_shared_prefix, kind=kind) for kind in kinds]
    return pool("BODY-20", made, size=lambda one: len(one.completions))


def _shared_prefix(pick: random.Random, kind: str) -> SharedPrefixCase:
    rewards = (0.0, 1.0, 1.0, None) if kind == "unrewarded" else (0.0, 1.0, 1.0)
    completions = [
        Rewarded(
            group=pick.choice((0, 0, 0, 1)),
            completion=pick.choice(_TEXTS) if kind == "texts" else pick.choice(_BEGUN) + pick.choice(_ENDED),
            reward=pick.choice(rewards),
        )
        for _ in range(pick.randint(1, 4))
    ]
    minimum = pick.choice((0, -1, 1.5) if kind == "minimum" else (1, 2, 2, 3))
    return SharedPrefixCase(completions=completions, minimum=minimum)
