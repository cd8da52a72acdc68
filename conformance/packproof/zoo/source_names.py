"""Faults of chapter sources, in what a source says of itself: its fingerprint and its membership ids."""

import hashlib
import uuid
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from packproof.zoo.member import fault
from packproof.zoo.miniature_source import MiniatureLines, MiniatureSource

__all__: list[str] = []


@fault("SOURCE-10")
class NameAndCount(MiniatureSource):
    """The fingerprint is a name and the number of rows, whatever stands in them."""

    def cursor_fingerprint(self) -> Any:
        """Name and count."""
        return f"sums-v1-count={len(self)}"


@fault("SOURCE-10")
class NameAlone(MiniatureSource):
    """The fingerprint is a name that nobody ever raised."""

    def cursor_fingerprint(self) -> Any:
        """The name."""
        return "sums"


@fault("SOURCE-10")
class OrderLeftOut(MiniatureSource):
    """The rows are sorted before they are hashed, so that another order has the same fingerprint."""

    def _decisive(self) -> Sequence[str]:
        return sorted(super()._decisive())


@fault("SOURCE-10")
class FirstLineAlone(MiniatureLines):
    """Only the first line and the length are hashed, for reading all would take long."""

    def _decisive(self) -> Sequence[str]:
        return [self._names[0], str(len(self))]


@fault("SOURCE-10", report="https://github.com/axolotl-ai-cloud/axolotl/issues/341")
class FileNameAndSize(MiniatureLines):
    """The fingerprint knows the name of the file and how long it is, and not what stands in it.

    Other files met an old set in https://github.com/axolotl-ai-cloud/axolotl/issues/341.
    """

    def _decisive(self) -> Sequence[str]:
        path = Path(self._path)
        return [path.name, str(path.stat().st_size)]


@fault("SOURCE-10")
class FilePathAlone(MiniatureLines):
    """The fingerprint is made of the path, whatever stands in the file there."""

    def _decisive(self) -> Sequence[str]:
        return [self._path]


@fault("SOURCE-10")
class LinesWithoutTheirOrder(MiniatureLines):
    """The digests of the lines are added up, which loses their order."""

    def cursor_fingerprint(self) -> Any:
        """A sum of digests."""
        digests = [hashlib.sha256(name.encode()).digest() for name in self._names]
        return f"{sum(int.from_bytes(one) for one in digests):x}"


@fault("SOURCE-10", report="https://github.com/huggingface/datasets/pull/8284")
class HashedByPython(MiniatureSource):
    """The fingerprint is Python's own hash, which differs in every process.

    A key that followed the hash seed: https://github.com/huggingface/datasets/pull/8284.
    """

    def cursor_fingerprint(self) -> Any:
        """Python's hash."""
        return str(hash(tuple(self._names)))


@fault("SOURCE-10", report="https://github.com/huggingface/datasets/issues/2775")
class DrawnAtBuilding(MiniatureSource):
    """Each source draws a fingerprint when it is built.

    A random key in the place of one that is made from the content: https://github.com/huggingface/datasets/issues/2775.
    """

    def __init__(self, count: int, start: int = 0, falling: bool = False) -> None:
        super().__init__(count, start, falling)
        self._drawn = uuid.uuid4().hex

    def cursor_fingerprint(self) -> Any:
        """The number drawn."""
        return self._drawn


@fault("SOURCE-10")
class FolderInTheFingerprint(MiniatureSource):
    """The working directory goes into the fingerprint, so that a run that moved is refused."""

    def _decisive(self) -> Sequence[str]:
        return [str(Path.cwd()), *super()._decisive()]


@fault("SOURCE-10")
class ReadsChangeIt(MiniatureSource):
    """The fingerprint covers a counter of the source's own, and is another one once rows were read."""

    _reads = 0

    def _item(self, place: int) -> Any:
        self._reads += 1
        return super()._item(place)

    def _decisive(self) -> Sequence[str]:
        return [*super()._decisive(), str(self._reads)]


@fault("SOURCE-10")
class BytesForAFingerprint(MiniatureSource):
    """The digest is returned as bytes, which no cursor can hold."""

    def cursor_fingerprint(self) -> Any:
        """Bytes."""
        return super().cursor_fingerprint().encode()


@fault("SOURCE-10")
class EmptyFingerprint(MiniatureSource):
    """The method is there to satisfy the protocol, and returns an empty string."""

    def cursor_fingerprint(self) -> Any:
        """Nothing."""
        return ""


@fault("SOURCE-13")
class IdsInAList(MiniatureSource):
    """The ids come in a list, which whoever gets it may write into."""

    def membership_ids(self) -> Any:
        """A list."""
        return list(super().membership_ids())


@fault("SOURCE-13")
class PositionsForIds(MiniatureSource):
    """The ids count positions, so that two sources have all of them in common, or none."""

    def membership_ids(self) -> Any:
        """Counted."""
        return tuple(f"row-{place}" for place in range(len(self)))


@fault("SOURCE-13")
class LineNumbersForIds(MiniatureLines):
    """A line goes by its number, and every line behind one that was dropped has another id than before."""

    def membership_ids(self) -> Any:
        """Line numbers."""
        return tuple(f"{Path(self._path).name}:{number}" for number in range(len(self)))


@fault("SOURCE-13")
class IdsWithTheFolder(MiniatureLines):
    """The ids hold the folder of the file, so that a line that was copied to the held-out file is another item."""

    def membership_ids(self) -> Any:
        """Path and digest."""
        return tuple(f"{Path(self._path).parent}:{one}" for one in super().membership_ids())


@fault("SOURCE-13")
class TopicsForIds(MiniatureSource):
    """Rows on one topic share an id, and count as one item."""

    def membership_ids(self) -> Any:
        """Topics."""
        return tuple(f"topic-{int(name.removeprefix('sum-')) // 5}" for name in self._names)


@fault("SOURCE-13")
class IdsByReading(MiniatureSource):
    """Every item is read for its id, and with it every image there is."""

    def membership_ids(self) -> Any:
        """From the items."""
        return tuple(self[place]["uid"] for place in range(len(self)))


@fault("SOURCE-13")
class IdsByOpeningMedia(MiniatureSource):
    """The id is looked for in the video of each row."""

    def membership_ids(self) -> Any:
        """From videos, where there are some."""
        for name in self._names:
            with suppress(OSError):
                Path(f"{name}.mp4").read_bytes()
        return super().membership_ids()


@fault("SOURCE-13")
class NumbersForIds(MiniatureSource):
    """The ids are integers, as a data base numbers its rows."""

    def membership_ids(self) -> Any:
        """Integers."""
        return tuple(int(name.removeprefix("sum-")) for name in self._names)


@fault("SOURCE-13")
class OneIdIsEmpty(MiniatureSource):
    """A row without a name has the empty string."""

    def membership_ids(self) -> Any:
        """The first one is empty."""
        return ("", *super().membership_ids()[1:])


@fault("SOURCE-13")
class OneIdTooFew(MiniatureSource):
    """The last row was added later, and its id was forgotten."""

    def membership_ids(self) -> Any:
        """All but one."""
        return super().membership_ids()[:-1]


@fault("SOURCE-13")
class IdsFromASet(MiniatureSource):
    """The ids were made unique with a set, and stand in an order of the process."""

    def membership_ids(self) -> Any:
        """In any order."""
        return tuple({*super().membership_ids()})


@fault("SOURCE-13")
class IdsDrawnAnew(MiniatureSource):
    """Every call draws new ids, so that nothing ever overlaps."""

    def membership_ids(self) -> Any:
        """Drawn."""
        return tuple(uuid.uuid4().hex for _ in self._names)
