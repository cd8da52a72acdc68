"""Strategies for what the parts of a trainer are tried on."""

from typing import Any

from hypothesis import strategies as st

from packer_schemas.trainer_cases import (
    PackersOfARunCase,
    Rewarded,
    RoleInputCase,
    RolledOut,
    SharedPrefixCase,
)

__all__ = ["packers_of_a_run", "role_inputs", "shared_prefixes"]

_prompts = st.sampled_from([[110], [555, 40, 73], [110, 111], [0, 110]])
_completions = st.sampled_from([[120], [120, 121, 122], [], [121, 556], [120, 0, 122, 123]])


def role_inputs() -> st.SearchStrategy[RoleInputCase]:
    """A few trajectories of different lengths, of which the reward step leaves something out."""
    one = st.builds(_rolled_out, _prompts, _completions, st.sampled_from([0, 0, 1, 2]))
    return st.builds(RoleInputCase, trajectories=st.lists(one, min_size=1, max_size=3))


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
    )


_begun = st.sampled_from([[120], [120, 121], [120, 121, 122]])
_ended = st.sampled_from([[123], [124], [], [125, 126]])
_ids = st.builds(lambda begun, ended: begun + ended, _begun, _ended)
_texts = st.sampled_from(["the answer is 4", "the answer is 5", "the answer", "no"])


def shared_prefixes() -> st.SearchStrategy[SharedPrefixCase]:
    """Groups of completions that begin alike, of ids or of text, and what is to be refused."""
    good = _cases(_ids, st.sampled_from([0.0, 1.0, 1.0]))
    texts = _cases(_texts, st.sampled_from([0.0, 1.0]))
    unrewarded = _cases(_ids, st.sampled_from([0.0, 1.0, None]))
    bad = st.builds(SharedPrefixCase, completions=_completed(_ids, st.just(1.0)), minimum=st.sampled_from([0, -1, 1.5]))
    return st.one_of(good, good, good, good, texts, unrewarded, bad)


def _completed(completions: st.SearchStrategy[list[int] | str], rewards: st.SearchStrategy[float | None]) -> Any:
    one = st.builds(Rewarded, group=st.sampled_from([0, 0, 0, 1]), completion=completions, reward=rewards)
    return st.lists(one, min_size=2, max_size=4)


def _cases(
    completions: st.SearchStrategy[list[int] | str], rewards: st.SearchStrategy[float | None]
) -> st.SearchStrategy[SharedPrefixCase]:
    return st.builds(
        SharedPrefixCase, completions=_completed(completions, rewards), minimum=st.sampled_from([1, 2, 2, 3])
    )
