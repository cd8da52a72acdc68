"""The reward step leaves a beginning out of the loss where a differently rewarded completion has it too."""

import random
import time
from typing import Any

import numpy as np
import pytest
import torch
from reference_samples import observe

from packer_reference.rewards import ignore_shared_prefixes
from packer_schemas import Trajectory

CHAPTER = {
    "a": ([120, 121, 122, 123], 1.0, 3),
    "b": ([120, 121, 124], 0.0, 2),
    "c": ([120, 121, 122, 125, 126], 0.0, 3),
    "d": ([120, 127], 1.0, 0),
    "e": ([120, 121], 1.0, 0),
}


def scored(ids: Any, reward: float | None) -> Trajectory:
    """A trajectory with these completion ids, or this text, and this reward."""
    if isinstance(ids, str):
        return Trajectory(obs=observe("p"), completion=ids, policy_info={"prompt_ids": [1]}, reward=reward)
    info = {"prompt_ids": [1], "completion_ids": list(ids)}
    return Trajectory(obs=observe("p"), completion=list(ids), policy_info=info, reward=reward)


def by_pairs(completions: list[list[int]], rewards: list[float], minimum: int) -> list[int]:
    """The rule's formula, pair by pair."""

    def shared(one: list[int], other: list[int]) -> int:
        count = 0
        while count < min(len(one), len(other)) and one[count] == other[count]:
            count += 1
        return count

    return [
        max(
            (
                shared(ids, other)
                for other, its in zip(completions, rewards, strict=True)
                if its != reward and minimum <= shared(ids, other) < len(ids)
            ),
            default=0,
        )
        for ids, reward in zip(completions, rewards, strict=True)
    ]


@pytest.mark.parametrize("order", ["abcde", "edcba", "cadeb", "abc"])
def test_the_table_of_the_chapter(order: str) -> None:
    """The five completions get 3, 2, 3, 0 and 0, in any order, and the first three by themselves 3, 2 and 3."""
    made = [scored(*CHAPTER[name][:2]) for name in order]
    expected = [CHAPTER[name][2] for name in order]
    assert ignore_shared_prefixes(made, len(made), 2) == expected
    assert [each.policy_info["n_ignore_prefix_tokens"] for each in made] == expected


def test_numbers_agree_with_the_formula_on_many_groups() -> None:
    """On 400 random groups of short completions over two ids, nested and equal ones among them, every number agrees."""
    draw = random.Random(0)
    for _ in range(400):
        size = draw.randint(1, 7)
        completions = [[draw.randint(1, 2) for _ in range(draw.randint(0, 5))] for _ in range(size)]
        rewards = [float(draw.randint(0, 2)) for _ in range(size)]
        minimum = draw.randint(1, 3)
        made = [scored(ids, reward) for ids, reward in zip(completions, rewards, strict=True)]
        numbers = ignore_shared_prefixes(made, size, minimum)
        assert numbers == by_pairs(completions, rewards, minimum)
        assert all(0 <= n < max(len(ids), 1) for n, ids in zip(numbers, completions, strict=True))


def test_groups_do_not_touch_each_other() -> None:
    """By size or by label, a completion is compared with those of its own group alone."""
    rows = [([1, 2, 3], 1.0), ([1, 2, 4], 0.0), ([1, 2, 5], 1.0), ([9, 9], 1.0)]
    assert ignore_shared_prefixes([scored(*row) for row in rows], 2, 1) == [2, 2, 0, 0]
    assert ignore_shared_prefixes([scored(*row) for row in rows], ["x", "y", "x", "y"], 1) == [0, 0, 0, 0]
    assert ignore_shared_prefixes([], 4, 1) == []


def test_a_text_is_encoded_without_special_tokens_by_the_reward_packer(ready: Any) -> None:
    """On every embedded model a text counts as the ids that a packer makes of it, beside completions of ids."""
    ids = ready.tokenizer("abc abd", add_special_tokens=False)["input_ids"]
    rows = [("abc abd", 1.0), ([*ids, 7], 0.0)]
    assert ignore_shared_prefixes([scored(*row) for row in rows], 2, 1, ready) == [0, len(ids)]
    assert len(ready.get_policy_input(observe("p"), "abc abd", prompt_ids=[1]).input_ids) == 1 + len(ids)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"minimum": 0}, "minimum is 0"),
        ({"minimum": True}, "minimum is True"),
        ({"minimum": 1.0}, r"minimum is 1\.0"),
        ({"groups": 3}, "groups is 3"),
        ({"groups": 0}, "groups is 0"),
        ({"groups": ["x"]}, "4 labels"),
        ({"groups": "xxyy"}, "groups is str 'xxyy'"),
        ({"reward": None}, "trajectory 2 has no reward; score the trajectories before"),
        ({"reward": float("nan")}, "trajectory 2, reward is nan"),
        ({"reward": 10**400}, "trajectory 2, reward is too large for float64"),
        ({"text": True}, "trajectory 2 has a text and no completion_ids"),
    ],
)
def test_what_cannot_be_filtered_is_refused_and_changes_nothing(change: dict[str, Any], says: str) -> None:
    """A number, groups, a reward or a text that does not fit is a ValueError, and no trajectory has a number then."""
    made = [scored([1, 2, at], float(at)) for at in range(4)]
    if "reward" in change:
        made[2].reward = change["reward"]
    if "text" in change:
        made[2] = scored("abc", 1.0)
    with pytest.raises(ValueError, match=says):
        ignore_shared_prefixes(made, change.get("groups", 2), change.get("minimum", 1))
    assert not any("n_ignore_prefix_tokens" in each.policy_info for each in made)


def test_a_large_group_takes_no_time() -> None:
    """64 completions of 4096 ids that share their first half are done in under a second."""
    start = [7] * 2048
    made = [scored([*start, at, *range(2047)], float(at % 2)) for at in range(64)]
    began = time.perf_counter()
    assert ignore_shared_prefixes(made, 64, 16) == [2048] * 64
    assert time.perf_counter() - began < 1.0


@pytest.mark.parametrize("groups", [[torch.tensor(0), torch.tensor(0)], torch.tensor([0, 0]), np.array([0, 0])])
def test_labels_of_tensors_and_arrays_are_labels(groups: Any) -> None:
    """Labels that are tensors, or stand in one, make the groups that equal numbers make."""
    made = [scored([1, 2, 3], 1.0), scored([1, 2, 4], 0.0)]
    assert ignore_shared_prefixes(made, groups, 1) == [2, 2]


def test_what_is_of_another_type_is_told_so() -> None:
    """One trajectory in the place of a list, and a reward that is a text, are TypeErrors that say what was expected."""
    made = scored([1, 2], 1.0)
    with pytest.raises(TypeError, match="trajectories is one Trajectory, expected a list"):
        ignore_shared_prefixes(made, 1, 1)
    made.reward = "1.0"
    with pytest.raises(TypeError, match=r"trajectory 1, reward is str '1\.0', expected a finite number"):
        ignore_shared_prefixes([scored([1], 1.0), made], 2, 1)


def test_numbers_of_numpy_are_numbers() -> None:
    """Rewards, the size of a group and the minimum may come out of an array."""
    made = [scored([1, 2, 3], 0.0), scored([1, 2, 4], 0.0)]
    for one, reward in zip(made, np.array([0.7, 0.2], np.float32), strict=True):
        one.reward = reward
    assert ignore_shared_prefixes(made, np.int64(2), np.int64(1)) == [2, 2]
