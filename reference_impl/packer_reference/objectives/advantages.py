"""Advantages of groups: how much better an answer was than the others to the same question."""

import math
from collections.abc import Container, Hashable, Iterable, Mapping, Sequence
from typing import Any

from packer_reference.finite import finite_number
from packer_reference.group_labels import group_label, plain_values

__all__ = ["expect_eps", "group_advantages", "trajectory_advantages"]


def group_advantages(rewards: Iterable[Any], groups: Iterable[Hashable], eps: float = 1e-6) -> list[float]:
    """For every reward, the reward less the mean of its group, by the group's population deviation plus `eps`.

    `groups` has one label for each reward; equal labels are one group wherever they stand. A group of one, and a group
    of equal rewards, gives exactly 0.0. Computed in float64. Raises `ValueError` for lists of different length, a
    negative `eps` and a reward that is None, NaN or infinite, `TypeError` for a reward that is no number or a label
    that cannot be hashed. Spec: objectives, OBJ-12.
    """
    values = plain_values(rewards, "group_advantages: rewards")
    labels = plain_values(groups, "group_advantages: groups")
    if len(values) != len(labels):
        raise ValueError(
            f"group_advantages: {len(values)} rewards and {len(labels)} group labels, expected one label for each"
        )
    return list(_within_groups(dict(enumerate(values)), labels, eps).values())


def trajectory_advantages(
    trajectories: Sequence[Any], fillers: Container[int], advantages: Any, groups: Any, eps: float
) -> list[Any]:
    """The entry of every trajectory: of `advantages` where that is given, else made from rewards within `groups`.

    At the indices in `fillers`, nothing is read and None returned. `ValueError` where both are None, or where there is
    not one entry for each trajectory; otherwise raises as `group_advantages` does. Spec: objectives, OBJ-11 and OBJ-12.
    """
    given, name = (advantages, "advantages") if advantages is not None else (groups, "groups")
    if given is None:
        raise ValueError(
            "objective: neither advantages nor groups; pass advantages=, a number or a list for each trajectory, "
            "or groups=, a label for each, to have them made from the rewards"
        )
    entries = plain_values(given, f"objective: {name}")
    if len(entries) != len(trajectories):
        raise ValueError(
            f"objective: {name} has {len(entries)} entries for {len(trajectories)} trajectories, expected one for each"
        )
    if advantages is None:
        rewards = {at: getattr(one, "reward", None) for at, one in enumerate(trajectories) if at not in fillers}
        made = _within_groups(rewards, entries, eps)
        return [made.get(at) for at in range(len(entries))]
    return [None if at in fillers else entry for at, entry in enumerate(entries)]


def _within_groups(rewards: Mapping[int, Any], labels: Sequence[Any], eps: float) -> dict[int, float]:
    where = "group_advantages"
    expect_eps(eps, where)
    members: dict[Hashable, dict[int, float]] = {}
    for at, reward in rewards.items():
        number = finite_number(reward, f"{where}: trajectory {at}, reward")
        members.setdefault(group_label(labels[at], f"{where}: trajectory {at}, group label"), {})[at] = number
    advantages = dict.fromkeys(rewards, 0.0)
    for group in members.values():
        if min(group.values()) < max(group.values()):  # else zero, and not what rounding leaves of the mean
            mean = math.fsum(reward / len(group) for reward in group.values())
            off = {at: reward - mean for at, reward in group.items()}
            deviation = math.hypot(*off.values()) / math.sqrt(len(group))
            advantages |= {at: one / (deviation + eps) for at, one in off.items()}
    return advantages


def expect_eps(eps: Any, where: str) -> None:
    """`ValueError` unless `eps` is a finite number of at least 0."""
    if finite_number(eps, f"{where}: eps") < 0:
        raise ValueError(f"{where}: eps is {eps}, expected a number of at least 0")
