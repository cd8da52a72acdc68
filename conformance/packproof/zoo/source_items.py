"""Faults of chapter sources, in the items: unsteady, missing, too many, or of another form."""

import os
import random
import time
from pathlib import Path
from typing import Any, ClassVar

from packproof.zoo.member import fault
from packproof.zoo.miniature_source import MiniaturePairs, MiniatureRows

__all__: list[str] = []


@fault("SOURCE-3", report="https://github.com/huggingface/datasets/pull/8284")
class RowsFromASet(MiniatureRows):
    """The rows were made unique with a set, so that each process has an order of its own.

    A set-like value that follows the hash seed: https://github.com/huggingface/datasets/pull/8284.
    """

    def _ordered(self, names: list[str]) -> list[str]:
        return list({*names})


@fault("SOURCE-3")
class AugmentedWhenRead(MiniatureRows):
    """Every read draws a number from the global generator and puts it into the row, as augmentation does."""

    def _item(self, place: int) -> Any:
        return super()._item(place) | {"temperature": random.random()}


@fault("SOURCE-3")
class ShuffledWithoutASeed(MiniatureRows):
    """The rows are shuffled once, when the source is built, by a generator that nobody seeded."""

    def _ordered(self, names: list[str]) -> list[str]:
        return random.Random().sample(names, len(names))


@fault("SOURCE-3")
class ReadsOnInItsFile(MiniatureRows):
    """An open file is read on: the row that comes depends on the one that was asked for before."""

    _last = 0

    def _item(self, place: int) -> Any:
        row = super()._item(place) | {"after": self._last}
        self._last = place
        return row


@fault("SOURCE-3")
class AnotherOrderInWorkers(MiniatureRows):
    """What is unpickled in a worker begins at another row, for its offset is the process's own."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= state
        self._names = [*self._names[1:], self._names[0]]


@fault("SOURCE-3")
class RowsNameTheFolder(MiniatureRows):
    """A row holds a path that was made absolute, so that it differs with the working directory."""

    def _item(self, place: int) -> Any:
        return super()._item(place) | {"image": str(Path(f"{place}.png").absolute())}


@fault("SOURCE-3")
class RowsFollowTheTimeZone(MiniatureRows):
    """A time stamp is turned into local time when the row is read."""

    def _item(self, place: int) -> Any:
        return super()._item(place) | {"written": time.strftime("%d.%m. %H:%M", time.localtime(place * 3600))}


@fault("SOURCE-3")
class CountsItsReads(MiniatureRows):
    """The row says how often it was read, as a curriculum does that lives in the source."""

    def __init__(self, count: int, start: int = 0, falling: bool = False) -> None:
        super().__init__(count, start, falling)
        self._reads: dict[int, int] = {}

    def _item(self, place: int) -> Any:
        self._reads[place] = self._reads.get(place, 0) + 1
        return super()._item(place) | {"pass": self._reads[place]}


@fault("SOURCE-3")
class RowsNameTheProcess(MiniatureRows):
    """A row holds the number of the process that read it, for debugging."""

    def _item(self, place: int) -> Any:
        return super()._item(place) | {"worker": os.getpid()}


@fault("SOURCE-4")
class CountsBeforeItFilters(MiniatureRows):
    """The length counts a row that was left out afterwards, and the last index has nothing."""

    def __len__(self) -> int:
        return super().__len__() + 1


@fault("SOURCE-4")
class EmptyRowsAreNone(MiniatureRows):
    """A row that cannot be used is handed out as None, for the collator to leave out."""

    def _item(self, place: int) -> Any:
        return None if place == 3 else super()._item(place)


@fault("SOURCE-4")
class BadRowRaises(MiniatureRows):
    """One row of the file cannot be parsed, which shows only when it is read."""

    def _item(self, place: int) -> Any:
        if place == 4:
            raise ValueError("Expecting ',' delimiter: line 1 column 9 (char 8)")
        return super()._item(place)


@fault("SOURCE-3", "SOURCE-4", "SOURCE-5")
class LengthIsAGuess(MiniatureRows):
    """The length is taken from the size of the file until the first row was read, and from then on it is right."""

    _read = False

    def __len__(self) -> int:
        return super().__len__() - (not self._read)

    def _item(self, place: int) -> Any:
        self._read = True
        return super()._item(place)


@fault("SOURCE-5")
class ComputesAnyRow(MiniatureRows):
    """Rows are computed from their index, also those that nobody counted."""

    def __getitem__(self, index: int) -> Any:
        return {"question": f"What is {index} + 1?"} if index >= len(self) else super().__getitem__(index)


@fault("SOURCE-5")
class WrapsRound(MiniatureRows):
    """An index past the end begins at the first row again, so that walking the source does not end."""

    def __getitem__(self, index: int) -> Any:
        return super().__getitem__(index % len(self))


@fault("SOURCE-5")
class KeyErrorPastTheEnd(MiniatureRows):
    """The rows lie in a dictionary, so what comes past the end is a KeyError, which ends no loop."""

    def __getitem__(self, index: int) -> Any:
        try:
            return super().__getitem__(index)
        except IndexError:
            raise KeyError(index) from None


@fault("SOURCE-5")
class MinusOneIsTheFirst(MiniatureRows):
    """A negative index loses its sign on the way."""

    def _place(self, index: int) -> int:
        return super()._place(abs(index) - (index < 0))


@fault("SOURCE-5")
class OnlyMinusOneIsTaken(MiniatureRows):
    """The last row is special: -1 is answered, and every other negative index refused."""

    def _place(self, index: int) -> int:
        if index < -1:
            raise IndexError(index)
        return super()._place(index)


@fault("SOURCE-7")
class PairsAsLists(MiniaturePairs):
    """A pair is a list of three, as JSON reads it."""

    def _item(self, place: int) -> Any:
        return list(super()._item(place))


@fault("SOURCE-7")
class PairsWithoutAPrompt(MiniaturePairs):
    """Winner and loser hold the prompt each, and the item is these two."""

    def _item(self, place: int) -> Any:
        prompt, winner, loser = super()._item(place)
        return f"{prompt} {winner}", f"{prompt} {loser}"


@fault("SOURCE-7")
class PairsWithAMargin(MiniaturePairs):
    """The item has a fourth entry, by how much the winner was preferred."""

    def _item(self, place: int) -> Any:
        return (*super()._item(place), 0.5)


@fault("SOURCE-7")
class OnePairIsATie(MiniaturePairs):
    """Where nobody preferred either answer, the item is the pair of prompt and answer."""

    arguments: ClassVar[dict[str, Any]] = {"count": 9}

    def _item(self, place: int) -> Any:
        return super()._item(place)[:2] if place == 5 else super()._item(place)
