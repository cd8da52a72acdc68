"""How much of the beginning of a completion carries no loss, because a differently rewarded one begins alike."""

import itertools
from collections.abc import Hashable, Sequence
from numbers import Integral
from typing import Any

import numpy as np

from packer_reference.finite import finite_number
from packer_reference.group_labels import group_label, plain_values
from packer_reference.token_ids import token_ids
from packer_reference.trajectories import plain_trajectories

__all__ = ["ignore_shared_prefixes"]


def ignore_shared_prefixes(
    trajectories: Sequence[Any], groups: int | Sequence[Hashable], minimum: int, packer: Any = None
) -> list[int]:
    """Set `policy_info["n_ignore_prefix_tokens"]` of every trajectory, and return the numbers.

    n is the longest beginning, of at least `minimum` ids and short of the whole, that a completion has in common with
    one of its group whose reward differs; 0 where there is none. `groups` is the number of trajectories in a group, of
    the flat list that a body returns, or a label for each trajectory. Ids are `completion_ids`, else a `completion` of
    ids; a text is encoded without special tokens by `packer`, the reward side's. Trajectories change all at once or,
    on an error, not at all.

    Raises `ValueError` for a minimum or groups that do not fit, a trajectory without a finite reward, and a text
    without a packer; `TypeError` for completions that are neither ids nor text, for rewards that are no numbers, for
    one trajectory alone, and for labels without a hash.
    Spec: bodies, BODY-20.
    """
    if isinstance(minimum, bool) or not isinstance(minimum, Integral) or minimum < 1:
        raise ValueError(f"ignore_shared_prefixes: minimum is {minimum!r}, expected an integer of at least 1")
    trajectories = plain_trajectories(trajectories, "ignore_shared_prefixes")
    members: dict[Hashable, list[int]] = {}
    for at, label in enumerate(_labels(groups, len(trajectories))):
        members.setdefault(label, []).append(at)
    completions = [_ids(each, packer, at) for at, each in enumerate(trajectories)]
    rewards = [_reward(each, at) for at, each in enumerate(trajectories)]
    ignored = [0] * len(trajectories)
    for group in members.values():
        found = _shared([completions[at] for at in group], [rewards[at] for at in group], minimum)
        for at, count in zip(group, found, strict=True):
            ignored[at] = count
    for each, count in zip(trajectories, ignored, strict=True):
        each.policy_info["n_ignore_prefix_tokens"] = count
    return ignored


def _shared(completions: list[list[int]], rewards: list[float], minimum: int) -> list[int]:
    """The number of every completion of one group.

    In sorted order two completions share what the least of the neighbours between them share, so that only neighbours
    are compared id by id.
    """
    order = sorted(range(len(completions)), key=completions.__getitem__)
    neighbours = [_common(completions[one], completions[other]) for one, other in itertools.pairwise(order)]
    found = [0] * len(completions)
    for place, at in enumerate(order):
        after = zip(order[place + 1 :], neighbours[place:], strict=True)
        before = zip(order[:place][::-1], neighbours[:place][::-1], strict=True)
        for others in (after, before):
            shared = len(completions[at])
            for other, step in others:
                shared = min(shared, step)
                if shared < max(minimum, found[at] + 1):
                    break
                if shared < len(completions[at]) and rewards[other] != rewards[at]:
                    found[at] = shared
                    break
    return found


def _common(one: list[int], other: list[int]) -> int:
    length = min(len(one), len(other))
    differ = np.flatnonzero(np.array(one[:length]) != np.array(other[:length]))
    return int(differ[0]) if len(differ) else length


def _labels(groups: Any, count: int) -> Sequence[Hashable]:
    if isinstance(groups, Integral) and not isinstance(groups, bool):
        if groups < 1 or count % groups:
            raise ValueError(
                f"ignore_shared_prefixes: groups is {groups}, expected a number that divides the {count} trajectories"
            )
        return [at // groups for at in range(count)]
    where = "ignore_shared_prefixes: groups"
    labels = plain_values(groups, where)
    if len(labels) != count:
        raise ValueError(
            f"{where} has {len(labels)} labels, expected the size of a group or {count} labels, one for each trajectory"
        )
    return [group_label(label, f"{where}, trajectory {at}") for at, label in enumerate(labels)]


def _ids(trajectory: Any, packer: Any, at: int) -> list[int]:
    where = f"ignore_shared_prefixes: trajectory {at}"
    completion = trajectory.policy_info.get("completion_ids")
    if completion is None:
        completion = trajectory.completion
    if not isinstance(completion, str):
        return token_ids(completion, f"{where}, completion_ids")
    if packer is None:
        raise ValueError(f"{where} has a text and no completion_ids; pass the reward side's packer, which encodes it")
    return list(packer.tokenizer(completion, add_special_tokens=False)["input_ids"])


def _reward(trajectory: Any, at: int) -> float:
    if trajectory.reward is None:
        raise ValueError(f"ignore_shared_prefixes: trajectory {at} has no reward; score the trajectories before")
    return finite_number(trajectory.reward, f"ignore_shared_prefixes: trajectory {at}, reward")
