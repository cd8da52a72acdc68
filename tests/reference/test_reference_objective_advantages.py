"""Group advantages: the mean and the population deviation of a group, and the borders of both."""

import math
import statistics
from typing import Any

import numpy as np
import pytest
import torch
from objective_probes import random_probe, recorded

from packer_reference.objectives import group_advantages, make_objective


def test_the_chapters_group() -> None:
    """Rewards 1, 0, 0, 0 give the advantages of the chapter, those of the population's deviation."""
    assert group_advantages([1, 0, 0, 0], [7, 7, 7, 7]) == pytest.approx(
        [1.732047, -0.577349, -0.577349, -0.577349], abs=1e-6
    )


def test_groups_are_told_by_their_labels() -> None:
    """Labels of any hashable kind are groups of their own wherever their rewards stand."""
    rewards, labels = [3.0, 10.0, 5.0, 30.0, 4.0], ["a", ("b", 1), "a", ("b", 1), "a"]
    expected = {}
    for label in set(labels):
        group = [reward for reward, one in zip(rewards, labels, strict=True) if one == label]
        expected[label] = (statistics.fmean(group), statistics.pstdev(group) + 1e-6)
    assert group_advantages(rewards, labels) == pytest.approx(
        [(reward - expected[one][0]) / expected[one][1] for reward, one in zip(rewards, labels, strict=True)], abs=1e-9
    )


@pytest.mark.parametrize(
    "labels", [torch.tensor([0, 0, 1, 1]), [torch.tensor(0), torch.tensor(0), torch.tensor(1), torch.tensor(1)]]
)
def test_labels_in_tensors_are_compared_by_value(labels: Any) -> None:
    """Equal numbers in a tensor are one group, although tensors themselves are hashed by where they lie."""
    assert group_advantages([1, 0, 1, 0], labels) == group_advantages([1, 0, 1, 0], [0, 0, 1, 1])


@pytest.mark.parametrize("reward", [0.7, 0.1, -3, True, 1e308])
def test_equal_rewards_give_zero(reward: Any) -> None:
    """A group of equal rewards gets exactly 0.0, and so does a group of one."""
    assert group_advantages([reward] * 8 + [5], [0] * 8 + [1]) == [0.0] * 9


def test_equality_is_of_numbers() -> None:
    """1, 1.0 and True are equal rewards."""
    assert group_advantages([1, 1.0, True], [0, 0, 0]) == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(("rewards", "eps"), [([1e200, -1e200], 1e-6), ([0.0, 1e-200], 0), ([999.999, 1000.0], 1e-6)])
def test_far_and_near_rewards_stay_numbers(rewards: list[float], eps: float) -> None:
    """Two rewards as far apart, or as close together, as floats allow are one deviation off their mean."""
    assert [abs(one) for one in group_advantages(rewards, [0, 0], eps)] == pytest.approx([1, 1], abs=3e-3)


def test_eps_stands_outside_of_the_root() -> None:
    """With eps = 1 a deviation of 0.5 is divided by 1.5."""
    assert group_advantages([1, 0], [0, 0], eps=1) == pytest.approx([0.5 / 1.5, -0.5 / 1.5])


@pytest.mark.parametrize("reward", [None, math.nan, math.inf])
def test_a_reward_that_is_no_number_is_refused(reward: Any) -> None:
    """None, NaN and infinities are refused with the trajectory's index."""
    with pytest.raises(ValueError, match="trajectory 2, reward is"):
        group_advantages([1, 0, reward], [0, 0, 1])


def test_a_reward_of_text_is_refused() -> None:
    """A string is no reward, even where it reads as a number."""
    with pytest.raises(TypeError, match="trajectory 0, reward is str '1'"):
        group_advantages(["1", 0], [0, 0])


def test_a_label_that_cannot_be_hashed_is_refused() -> None:
    """A list is no label."""
    with pytest.raises(TypeError, match=r"trajectory 1, group label is list \[1\]"):
        group_advantages([1, 0], [0, [1]])


def test_labels_and_rewards_of_different_number_are_refused() -> None:
    """The message has both numbers."""
    with pytest.raises(ValueError, match="3 rewards and 2 group labels"):
        group_advantages([1, 2, 3], [0, 0])


@pytest.mark.parametrize("eps", [-1e-9, math.nan, None])
def test_an_eps_below_zero_is_refused(eps: Any) -> None:
    """A negative eps, and one that is no number, is refused here and where the objective is made."""
    for call in (lambda: group_advantages([1, 0], [0, 0], eps), lambda: make_objective(eps=eps)):
        with pytest.raises(ValueError, match="eps is"):
            call()


def test_rewards_become_advantages_within_groups() -> None:
    """The objective with `groups` gives the loss that `group_advantages` handed over gives."""
    rewards, labels = [1.0, 0.0, 2.0, 5.0], ["x", "y", "x", "y"]
    made = [recorded([10], [20 + at], [-1.0], reward) for at, reward in enumerate(rewards)]
    probe, objective = random_probe(4, 2), make_objective()
    assert torch.equal(
        objective(probe, made, groups=labels).loss,
        objective(probe, made, advantages=group_advantages(rewards, labels)).loss,
    )


def test_fillers_are_in_no_group() -> None:
    """A filler row with any reward, label and entry leaves the others' advantages, loss and metrics as they were."""
    made = [recorded([10], [20], [-5.0], 1.0), recorded([11], [21], [-6.0], 0.0)]
    probe, objective = random_probe(3, 2), make_objective()
    short = random_probe(3, 2)
    short.logits = short.logits.detach()[:2].requires_grad_()
    for filler in (recorded([11], [21], [-6.0], 0.0, filler=True), recorded([11], [21], None, None, filler=True)):
        of_groups = objective(probe, [*made, filler], groups=[1, 1, 1])
        given = objective(probe, [*made, filler], advantages=[0.999998, -0.999998, None])
        without = objective(short, made, groups=[1, 1])
        assert of_groups.loss.item() == pytest.approx(without.loss.item(), abs=1e-6)
        assert given.loss.item() == pytest.approx(without.loss.item(), abs=1e-6)
        assert of_groups.metrics == pytest.approx(without.metrics)


def test_a_missing_reward_is_named_by_its_trajectory() -> None:
    """The index in the message is that of the call, filler rows counted."""
    made = [recorded([10], [20], [-5.0], None, filler=True), recorded([11], [21], [-6.0], None)]
    with pytest.raises(ValueError, match="trajectory 1, reward is None"):
        make_objective()(random_probe(2, 2), made, groups=[1, 1])


def test_a_reward_without_room_in_float64_is_named() -> None:
    """An integer of 400 digits is refused by the trajectory that has it, and 1e39 is a reward like others."""
    with pytest.raises(ValueError, match="trajectory 1, reward is too large for float64"):
        group_advantages([1, 10**400], [0, 0])
    assert group_advantages([np.float32(1), 1e39], [0, 0]) == pytest.approx([-1.0, 1.0])


def test_advantages_win_over_groups() -> None:
    """Where both are given, the labels are not even read."""
    made = [recorded([10], [20], [-5.0], None)]
    probe, objective = random_probe(1, 2), make_objective()
    alone = objective(probe, made, advantages=[2.0])
    assert torch.equal(objective(probe, made, advantages=[2.0], groups=[[], []]).loss, alone.loss)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "neither advantages nor groups"),
        ({"advantages": [1.0]}, "advantages has 1 entries for 2 trajectories"),
        ({"groups": [1, 2, 3]}, "groups has 3 entries for 2 trajectories"),
        ({"advantages": [1.0, math.nan]}, "trajectory 1: advantages is nan"),
        ({"advantages": [None, 1.0]}, "trajectory 0: advantages is None"),
        ({"advantages": [1.0, [1.0, 2.0]]}, "trajectory 1: advantages has 2 entries, expected 1"),
        ({"advantages": [1.0, [math.inf]]}, r"trajectory 1: advantages\[0\] is inf"),
        ({"advantages": [1.0, "a"]}, "trajectory 1: advantages"),
        ({"advantages": [10**400, 1.0]}, "trajectory 0: advantages is too large for float64"),
        ({"advantages": [1.0, [-(10**5000)]]}, r"trajectory 1: advantages\[0\] is too large for float64"),
        ({"advantages": [1.0, 1e39]}, r"trajectory 1: advantages is 1e\+39, expected .* at most 3.40282e\+38"),
    ],
)
def test_advantages_that_do_not_fit_are_refused(given: Any, message: str) -> None:
    """Numbers of entries are compared, and what stands beside a selected prediction has to be finite."""
    made = [recorded([10], [20], [-1.0]), recorded([11], [21], [-1.0])]
    with pytest.raises(ValueError, match=message):
        make_objective()(random_probe(2, 2), made, **given)


def test_advantages_come_in_any_container() -> None:
    """Lists, tuples, arrays and tensors of numbers, and of lists of numbers, give the same loss."""
    made = [recorded([10], [20, 21], [-5.0, -6.0]), recorded([11], [21, 22], [-6.0, -5.0])]
    probe, objective = random_probe(2, 3), make_objective()
    for plain in ([0.5, -2.0], [[0.5, 0.25], [-2.0, 1.0]]):
        expected = objective(probe, made, advantages=plain).loss
        array = torch.tensor(plain, dtype=torch.float64)
        for given in (tuple(plain), array, array.numpy(), list(array), list(array.numpy())):
            assert torch.equal(objective(probe, made, advantages=given).loss, expected)
