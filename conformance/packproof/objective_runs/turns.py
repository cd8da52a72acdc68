"""Conversations of cases: the rows that their turns make, and what of it was sampled."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from packer_schemas.objective_cases import RecordedTurn, TurnsCase
from packer_schemas.routing import ROLLOUT_ROUTED_EXPERTS_KEY
from packproof.objective_runs.trajectories import text_of, trajectory

__all__ = ["Joined", "conversation", "first_difference", "joined", "record_of", "sampled_of"]


@dataclass
class Joined:
    """A row: its ids, and by position what is predicted there.

    `entries` is the place among all completion ids of the trajectory, in order, or None for prompts and suffixes;
    `turns` are the numbers of the turns in it.
    """

    prompt_len: int
    ids: list[int]
    entries: list[int | None]
    turns: list[int] = field(default_factory=list)


def joined(turns: Sequence[RecordedTurn]) -> list[Joined]:
    """The rows that the turns make: one, and another one for every turn that does not continue the row so far."""
    rows: list[Joined] = []
    count = 0
    for number, turn in enumerate(turns):
        prompt, completion = list(turn.prompt_ids), list(turn.completion_ids)
        if not rows or prompt[: len(rows[-1].ids)] != rows[-1].ids:
            rows.append(Joined(len(prompt), [], [None] * (len(prompt) - 1)))
        row = rows[-1]
        row.entries = [
            *row.entries[: len(row.ids) and len(row.ids) - 1],
            *[None] * (len(prompt) - max(len(row.ids), 1)),
        ]
        row.ids = prompt + completion
        row.entries = [*row.entries, *range(count, count + len(completion)), None]
        row.turns.append(number)
        count += len(completion)
    return rows


def record_of(length: int, turn: int) -> Any:
    """The record `[L - 1, 1, 1]` of a turn with so many ids: its expert at position i is 100 * (turn + 1) + i."""
    import torch

    return torch.arange(100 * (turn + 1), 100 * (turn + 1) + length - 1).reshape(-1, 1, 1)


def sampled_of(turns: Sequence[RecordedTurn]) -> list[int]:
    """For each completion id of all turns, in order, whether it was sampled."""
    return [one for turn in turns for one in ([1] * len(turn.completion_ids) if turn.sampled is None else turn.sampled)]


def first_difference(turns: Sequence[RecordedTurn], number: int) -> int:
    """The first position at which the prompt of a turn is not the row so far."""
    so_far = next(row for row in joined(turns[:number])[::-1]).ids
    prompt = turns[number].prompt_ids
    return next((at for at, (one, other) in enumerate(zip(prompt, so_far, strict=False)) if one != other), len(prompt))


def conversation(case: TurnsCase, logprobs: Sequence[float]) -> Any:
    """The trajectory with `logprobs`, one for each completion id, and with `sampled` where the case has it."""
    records: list[dict[str, Any]] = []
    count = 0
    for number, turn in enumerate(case.turns):
        own = list(logprobs[count : count + len(turn.completion_ids)])
        count += len(turn.completion_ids)
        record = {"prompt_ids": list(turn.prompt_ids), "completion_ids": list(turn.completion_ids), "logprobs": own}
        record |= {} if turn.sampled is None else {"sampled": list(turn.sampled)}
        if case.routed:
            record[ROLLOUT_ROUTED_EXPERTS_KEY] = record_of(len(turn.prompt_ids) + len(turn.completion_ids), number)
        records.append(record)
    info: dict[str, Any] = records[0] if len(records) == 1 else {"turns": records}
    if case.n_ignore_prefix_tokens:
        info["n_ignore_prefix_tokens"] = case.n_ignore_prefix_tokens
    first = case.turns[0]
    text = text_of(first.completion_ids) if len(records) == 1 else ""  # which is nobody's then
    if case.text:
        del info["completion_ids"]
    return trajectory(text_of(first.prompt_ids), text, 1.0, **info)
