"""Faults of chapter objectives, in rows that are not a single turn: what is joined, and what of it is trained."""

from collections.abc import Mapping
from typing import Any

from packproof.zoo.member import fault
from packproof.zoo.miniature_objective import MiniatureObjective
from packproof.zoo.miniature_objective_rows import ObjectiveRow

__all__: list[str] = []


@fault("OBJ-14", report="https://github.com/PrimeIntellect-ai/prime-rl/issues/1334")
class JoinedByLength(MiniatureObjective):
    """A turn whose prompt is longer than the row is taken to continue it, whatever a template made of the history.
    Reported: https://github.com/PrimeIntellect-ai/prime-rl/issues/1334."""

    def _continues(self, last: ObjectiveRow, turn: ObjectiveRow) -> bool:
        return len(turn.prompt or []) >= len(last.prompt or []) + len(last.completion)


@fault("OBJ-14", report="https://github.com/huggingface/trl/issues/5224")
class LastTurnsPromptIsEnough(MiniatureObjective):
    """A turn continues the row if its prompt begins with the last one's; what the model answered is not compared.
    Reported: https://github.com/huggingface/trl/issues/5224."""

    def _continues(self, last: ObjectiveRow, turn: ObjectiveRow) -> bool:
        prompt, before = turn.prompt or [], last.prompt or []
        return prompt[: len(before)] == before and len(prompt) >= len(before) + len(last.completion)


@fault("OBJ-14")
class StreamsWithoutTheSuffix(MiniatureObjective):
    """Ids grow by the suffix and streams do not, so that later turns stand beside the numbers of earlier places."""

    def _append(self, last: ObjectiveRow, turn: ObjectiveRow) -> None:
        super()._append(last, turn)
        count = last.entries.count(-1)
        last.entries = [*(one for one in last.entries if one >= 0), *[-1] * count]


@fault("OBJ-14")
class RowForEveryTurn(MiniatureObjective):
    """Every turn begins a row of its own, also one that goes on where the last one ended."""

    def _continues(self, last: ObjectiveRow, turn: ObjectiveRow) -> bool:
        return False


@fault("OBJ-15", report="https://github.com/allenai/open-instruct/pull/1202")
class SuffixTrained(MiniatureObjective):
    """What tools and templates wrote between two turns is trained like an answer. Reported:
    https://github.com/allenai/open-instruct/pull/1202."""

    def _suffix_weights(self, count: int) -> list[int]:
        return [1] * count

    def _check_logprobs(self, row: ObjectiveRow, place: int) -> None:
        if row.entries[place] >= 0:
            super()._check_logprobs(row, place)

    def _logprob(self, row: ObjectiveRow, place: int) -> float | None:
        known = super()._logprob(row, place)
        return 0.0 if known is None and row.entries[place : place + 1] == [-1] else known

    def _advantage(self, row: ObjectiveRow, place: int, given: Any) -> float:
        return super()._advantage(row, place, given)


@fault("OBJ-15", report="https://github.com/huggingface/trl/pull/4976")
class SampledUnread(MiniatureObjective):
    """Of two masks one is read: a tool's output inside a completion keeps its weight. Reported:
    https://github.com/huggingface/trl/pull/4976."""

    def _single(self, number: int, trajectory: Any, info: Mapping[str, Any]) -> ObjectiveRow:
        row = super()._single(number, trajectory, info)
        row.sampled = None
        return row


@fault("OBJ-15", report="https://github.com/NovaSky-AI/SkyRL/pull/758")
class AppendedEndTrained(MiniatureObjective):
    """The last id of a completion is trained whoever put it there, and an end token that a framework added is.
    Reported: https://github.com/NovaSky-AI/SkyRL/pull/758."""

    def _check_sampled(self, row: ObjectiveRow) -> None:
        super()._check_sampled(row)
        if row.sampled:
            row.sampled = [*row.sampled[:-1], 1]


@fault("OBJ-15")
class SampledOfAnyLength(MiniatureObjective):
    """`sampled` of another length than the completion is read as far as it goes."""

    def _check_sampled(self, row: ObjectiveRow) -> None:
        pass
