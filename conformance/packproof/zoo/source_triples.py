"""Faults of chapter sources, in what a run takes for a triple of prompt, winner and loser."""

from collections.abc import Mapping
from typing import Any

from packproof.zoo.member import fault
from packproof.zoo.miniature_cursors import Opened
from packproof.zoo.miniature_run import MiniatureRun

__all__: list[str] = []


@fault("SOURCE-7")
class TakesListsOfThree(MiniatureRun):
    """A list of three is as good as a tuple to this run, and so is one whose order its author made up."""

    def _expect_triple(self, item: Any, where: str) -> None:
        super()._expect_triple(tuple(item) if isinstance(item, list) else item, where)


@fault("SOURCE-7")
class TakesAnythingOfLengthThree(MiniatureRun):
    """Whatever has a length of three is taken apart, a text into three characters."""

    def _expect_triple(self, item: Any, where: str) -> None:
        if isinstance(item, (Mapping, list)) or len(item) != 3:
            super()._expect_triple(item, where)


@fault("SOURCE-7")
class ReadsMappings(MiniatureRun):
    """A mapping with the three names is read as if it were a triple."""

    def _triple(self, opened: Opened, index: int) -> Any:
        item = opened.source[index]
        if isinstance(item, Mapping):
            return item["prompt"], item["winner"], item["loser"]
        return super()._triple(opened, index)


@fault("SOURCE-7")
class LoserComesFirst(MiniatureRun):
    """The run was written for triples of another order, and trains the model towards what people rejected."""

    def _triple(self, opened: Opened, index: int) -> Any:
        prompt, winner, loser = super()._triple(opened, index)
        return prompt, loser, winner


@fault("SOURCE-7")
class LeavesTheFourthOut(MiniatureRun):
    """What stands behind the loser is left out without a word."""

    def _expect_triple(self, item: Any, where: str) -> None:
        super()._expect_triple(item[:3] if isinstance(item, tuple) else item, where)


@fault("SOURCE-7")
class PairRefusedWithoutItsIndex(MiniatureRun):
    """The refusal says what is wrong with an item, and not with which one of a million."""

    def _expect_triple(self, item: Any, where: str) -> None:
        super()._expect_triple(item, where.partition(": ")[0])


@fault("SOURCE-7")
class PairRefusedWithoutItsPath(MiniatureRun):
    """The refusal names the index, and not the source."""

    def _expect_triple(self, item: Any, where: str) -> None:
        super()._expect_triple(item, where.rpartition(": ")[2])
