"""Faults of chapter objectives, in rows that are not a single turn: what is joined, and what of it is trained."""

from collections.abc import Mapping
from typing import Any

from packproof.zoo.member import fault
from packproof.zoo.miniature_objective import MiniatureObjective
from packproof.zoo.miniature_objective_rows import ObjectiveRow
from packproof.zoo.objective_loss import LogprobsCompactedOverSampled

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


@fault("OBJ-14")
class FirstTurnsAlone(MiniatureObjective):
    """It takes conversations as long as they have one turn, and refuses the others as turns that do not go on."""

    def _continues(self, last: ObjectiveRow, turn: ObjectiveRow) -> bool:
        raise ValueError("turns: the second one does not continue the first")


class _OfSeveralTurns(MiniatureObjective):
    """Is told of every row that turns make, before anything is done with it."""

    def _joined(self, number: int, trajectory: Any) -> list[ObjectiveRow]:
        rows = super()._joined(number, trajectory)
        for place, row in enumerate(rows):
            self._made(row, place)
        return rows

    def _made(self, row: ObjectiveRow, place: int) -> None:
        """Change a row as it has its streams, number `place` of its trajectory."""


@fault("OBJ-14")
class LogprobsOfTurnsCompacted(LogprobsCompactedOverSampled):
    """In turns alone, logprobs of ids that nobody sampled are left out, and others move up to their places."""

    def _single(self, number: int, trajectory: Any, info: Mapping[str, Any]) -> ObjectiveRow:
        if info is trajectory.policy_info:
            return MiniatureObjective._single(self, number, trajectory, info)
        return super()._single(number, trajectory, info)


@fault("OBJ-14")
class AdvantagesOfTurnsLessIgnored(_OfSeveralTurns):
    """The ids that n leaves out take no entry in the list of a conversation, of which each turn then has others."""

    def _made(self, row: ObjectiveRow, place: int) -> None:
        row.entries = [max(entry - row.ignored, 0) if entry >= 0 else entry for entry in row.entries]


@fault("OBJ-14")
class AdvantagesCountedAnewByRow(_OfSeveralTurns):
    """A new row counts its entries in the list of advantages from the front again."""

    def _made(self, row: ObjectiveRow, place: int) -> None:
        least = min((entry for entry in row.entries if entry >= 0), default=0)
        row.entries = [entry - least if entry >= 0 else entry for entry in row.entries]


@fault("OBJ-14")
class IgnoredInEveryRow(_OfSeveralTurns):
    """n of the first turn is taken off the front of every new row, and what was sampled there has weight nowhere."""

    def _joined(self, number: int, trajectory: Any) -> list[ObjectiveRow]:
        rows = super()._joined(number, trajectory)
        for row in rows[1:]:
            row.ignored = min(rows[0].ignored, len(row.completion))
        return rows


@fault("OBJ-14")
class AdvantagesByRow(MiniatureObjective):
    """Row by row an advantage is taken off the list, and a conversation of two rows uses up its neighbour's."""

    def _rows(self, number: int, trajectory: Any) -> list[ObjectiveRow]:
        self.made = [*([] if number == 0 else self.made), *super()._rows(number, trajectory)]
        return [row for row in self.made if row.trajectory == number]

    def _advantages(self, trajectories: Any, advantages: Any, groups: Any) -> list[Any]:
        self.weights = super()._advantages(trajectories, advantages, groups)
        return self.weights

    def _advantage(self, row: ObjectiveRow, place: int, given: Any) -> float:
        at = next(at for at, one in enumerate(self.made) if one is row)
        taken = self.weights[min(at, len(self.weights) - 1)]
        return super()._advantage(row, place, given if isinstance(given, list) else taken)


@fault("OBJ-14")
class RoutingOfTheLastTurn(MiniatureObjective):
    """A joined row replays the last turn's record, in which earlier answers were routed as a prompt."""

    def _joined_routing(self, last: ObjectiveRow, turn: ObjectiveRow) -> Any:
        return turn.routing


@fault("OBJ-14")
class RoutingJoinedBehindTheRow(MiniatureObjective):
    """The next record is taken from the first new id on, and the last id of the row so far is left without experts."""

    def _joined_routing(self, last: ObjectiveRow, turn: ObjectiveRow) -> Any:
        joined = super()._joined_routing(last, turn)
        if joined is not None:
            joined[len(last.prompt or []) + len(last.completion) - 1 :][:1] = -1
        return joined


@fault("OBJ-15", report="https://github.com/allenai/open-instruct/pull/1202")
class SuffixTrained(MiniatureObjective):
    """What tools and templates wrote between two turns is trained like an answer. Reported:
    https://github.com/allenai/open-instruct/pull/1202."""

    def _suffix_weights(self, count: int) -> list[int]:
        return [1] * count

    def _check_logprobs(self, row: ObjectiveRow, place: int) -> None:
        if -1 not in row.entries[place : place + 1]:
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


@fault("OBJ-15")
class SampledUnreadInLaterRows(_OfSeveralTurns):
    """Where a conversation begins a new row, all that its turns hold from there on is trained."""

    def _made(self, row: ObjectiveRow, place: int) -> None:
        self._check_sampled(row)
        if place and row.sampled is not None:
            row.sampled = [int(entry >= 0) for entry in row.entries]


@fault("OBJ-15")
class SampledOfTextsUnread(MiniatureObjective):
    """Where the completion is a text, whose ids the packer makes, nobody looks which of them were sampled."""

    def _single(self, number: int, trajectory: Any, info: Mapping[str, Any]) -> ObjectiveRow:
        row = super()._single(number, trajectory, info)
        row.sampled = None if isinstance(row.completion, str) else row.sampled
        return row
