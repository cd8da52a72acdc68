"""Trajectories of cases: what a rollout would have recorded if the model that generated were the one that scores."""

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from packer_schemas.objective_cases import ScoredRow
from packer_schemas.observation import ObsBundle
from packer_schemas.trajectory import Trajectory
from packproof.violation import Unexercised

if TYPE_CHECKING:
    from packproof.objective_runs.probe import Probe

__all__ = [
    "entries_of",
    "expect_in_range",
    "found_in",
    "ids_of",
    "in_rows",
    "in_turns",
    "recorded",
    "selected",
    "text_of",
    "trajectory",
]


def trajectory(prompt: Any, completion: Any, reward: Any = None, **info: Any) -> Trajectory:
    """One trajectory, which may break the schema on purpose."""
    obs = ObsBundle(representations={"prompt": prompt})
    return Trajectory.model_construct(obs=obs, completion=completion, policy_info=info, reward=reward)


def text_of(ids: Sequence[int]) -> str:
    """The text that the kit's packer encodes to these ids: who shapes by text has the same row."""
    return "".join(map(chr, ids))


def recorded(row: ScoredRow, model: "Probe", reward: Any = 1.0, **more: Any) -> Trajectory:
    """A row as it was recorded: its logprobs, if any, are those of `model`, less the logarithm of its ratios.

    `more` replaces what was recorded.
    """
    completion = list(row.completion_ids)
    own = model.logprobs(ids_of(row))[len(row.prompt_ids) - 1 :]
    ratios = [*row.ratios, *[1.0] * len(completion)]
    info: dict[str, Any] = {"prompt_ids": list(row.prompt_ids), "completion_ids": completion}
    if row.logprobs:
        info["logprobs"] = [lp - math.log(ratio) for lp, ratio in zip(own, ratios, strict=False)]
    if row.n_ignore_prefix_tokens:
        info["n_ignore_prefix_tokens"] = row.n_ignore_prefix_tokens
    if row.sampled is not None:
        info["sampled"] = list(row.sampled)
    return trajectory(text_of(row.prompt_ids), text_of(completion), reward, **(info | more))


def found_in(row: Sequence[int], ids: Sequence[int]) -> int | None:
    """Where `ids` begin in a row that holds them; None where it does not."""
    wanted = list(ids)
    starts = range(len(row) - len(wanted) + 1)
    return next((at for at in starts if list(row[at : at + len(wanted)]) == wanted), None)


def ids_of(row: ScoredRow) -> list[int]:
    """Prompt and completion."""
    return [*row.prompt_ids, *row.completion_ids]


def entries_of(row: ScoredRow) -> list[int]:
    """Which of its completion ids have a selected prediction."""
    said = row.sampled or [1] * len(row.completion_ids)
    counted = range(row.n_ignore_prefix_tokens, len(row.completion_ids))
    return [entry for entry in counted if said[entry : entry + 1] == [1]]


def selected(row: ScoredRow) -> list[int]:
    """The positions of its selected predictions."""
    return [len(row.prompt_ids) - 1 + entry for entry in entries_of(row)]


def in_turns(one: Trajectory) -> Trajectory:
    """The same row, recorded as two turns, of which the second continues the first."""
    info: dict[str, Any] = dict(one.policy_info)
    prompt, completion = info.pop("prompt_ids"), info.pop("completion_ids")
    streams = {name: info.pop(name) for name in ("logprobs", "sampled") if name in info}
    border = max((len(completion) + 1) // 2, info.get("n_ignore_prefix_tokens", 0))
    info["turns"] = [
        {
            "prompt_ids": before,
            "completion_ids": completion[part],
            **{name: stream[part] for name, stream in streams.items()},
        }
        for part, before in ((slice(border), prompt), (slice(border, None), prompt + completion[:border]))
    ]
    return trajectory(one.obs.representations["prompt"], one.completion, one.reward, **info)


def in_rows(one: Trajectory, other: Trajectory) -> Trajectory:
    """The rows of both, recorded as two turns of the first."""
    turns = [dict(one.policy_info), dict(other.policy_info)]
    return trajectory(one.obs.representations["prompt"], "", one.reward, turns=turns)


def expect_in_range(
    rows: Sequence[ScoredRow], *, weights: bool = True, ignored: bool = True, unrecorded: bool = False
) -> None:
    """`Unexercised` for rows of which another rule speaks: n out of range, no prediction where `weights` are needed.

    Without `ignored`, n has to be 0; only where rows may be `unrecorded`, they have no logprobs.
    """
    for reason in _unfit(rows, weights, ignored, unrecorded):
        raise Unexercised(reason)


def _unfit(rows: Sequence[ScoredRow], weights: bool, ignored: bool, unrecorded: bool) -> Iterator[str]:
    for row in rows:
        n, count = row.n_ignore_prefix_tokens, len(row.completion_ids)
        if not 0 <= n <= count:
            yield f"n_ignore_prefix_tokens is {n} for {count} completion ids, of which OBJ-2 speaks"
        if row.sampled is not None and len(row.sampled) != count:
            yield "sampled is of another length, of which OBJ-15 speaks"
        if weights and not entries_of(row):
            yield "a row has no selected prediction, of which OBJ-10 speaks"
        if not row.logprobs and not unrecorded:
            yield "a row has no logprobs, of which OBJ-8 and OBJ-17 speak"
        if not ignored and n:
            yield "n_ignore_prefix_tokens is not 0, of which OBJ-7 speaks"
