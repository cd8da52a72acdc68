"""Faults of chapter sources in whoever takes sources in: fingerprints, and cursors that come back."""

import json
import logging
from collections.abc import Mapping
from typing import Any

from packproof.zoo.member import fault
from packproof.zoo.miniature_cursors import Opened
from packproof.zoo.miniature_run import MiniatureRun

__all__: list[str] = []

_log = logging.getLogger(__name__)


@fault("SOURCE-11")
class LengthLeftOut(MiniatureRun):
    """The fingerprint is made from the source's own words alone, and a row that was appended does not show."""

    def _fingerprint(self, words: str, length: int, opened: Opened) -> str:
        return self._digest({"fingerprint": words})


@fault("SOURCE-11")
class PathIncluded(MiniatureRun):
    """The dotted path goes into the fingerprint, and a factory that moved ends the lineage of its data."""

    def _fingerprint(self, words: str, length: int, opened: Opened) -> str:
        return self._digest({"fingerprint": words, "length": length, "path": opened.path})


@fault("SOURCE-11")
class WordsInAscii(MiniatureRun):
    """Letters beyond ASCII are escaped before they are hashed, which is JSON and not the canonical form."""

    def _digest(self, value: Any) -> str:
        return super()._digest(_mapped_texts(value))


def _mapped_texts(value: dict[str, Any]) -> dict[str, Any]:
    """The words as JSON in ASCII has them."""
    return {name: json.dumps(one)[1:-1] if isinstance(one, str) else one for name, one in value.items()}


@fault("SOURCE-11")
class WordsSaved(MiniatureRun):
    """The source's own words are saved as they are, without the length and without a digest."""

    def _fingerprint(self, words: str, length: int, opened: Opened) -> str:
        return words


@fault("SOURCE-11")
class FirstDigitsSaved(MiniatureRun):
    """Sixteen digits of the fingerprint are kept, which no other run's are equal to."""

    def _digest(self, value: Any) -> str:
        return super()._digest(value)[:16]


@fault("SOURCE-11")
class PathForWords(MiniatureRun):
    """A source without a fingerprint gets one of its path, which vouches for content that nobody looked at."""

    def saved_fingerprint(self, opened: Opened) -> str | None:
        """As the miniature, and a digest of the path in place of null."""
        return super().saved_fingerprint(opened) or self._digest({"path": opened.path, "length": len(opened)})


@fault("SOURCE-12", report="https://github.com/mosaicml/streaming/issues/437")
class MisfitStartsAnew(MiniatureRun):
    """A cursor that does not fit is a line in the log, and the run shows its first rows again.

    A loaded state that was not applied: https://github.com/mosaicml/streaming/issues/437.
    """

    def _misfitting(self, misfits: list[str], checkpoint: str) -> str:
        return self._start(f"the cursor of {checkpoint} does not fit: {misfits}")


@fault("SOURCE-12")
class PairsStartAnew(MiniatureRun):
    """Cursors are kept of prompts alone, and whatever the checkpoint holds, preferences begin at the first pair."""

    def open_preferences(self, settings: Mapping[str, Any]) -> Opened:
        """As the miniature, remembered."""
        opened = super().open_preferences(settings)
        vars(opened)["pairs"] = True
        return opened

    def decide_cursor(self, cursor_resume: str, opened: Opened, saved: Mapping[str, Any] | None) -> str:
        """As the miniature, for prompts."""
        if saved is not None and "pairs" in vars(opened):
            return self._start("there are no cursors of preferences")
        return super().decide_cursor(cursor_resume, opened, saved)


@fault("SOURCE-12")
class StrictOnlyForCheckpoints(MiniatureRun):
    """`strict` begins a run that will never be able to tell its data from other data."""

    def _anew(self, mode: str, opened: Opened) -> str:
        return super()._anew("auto" if mode == "strict" else mode, opened)


@fault("SOURCE-12")
class StrictTakesNothing(MiniatureRun):
    """`strict` goes on from a checkpoint that holds no cursor, as `auto` does."""

    def _without_cursor(self, mode: str, checkpoint: str) -> str:
        return super()._without_cursor("auto", checkpoint)


@fault("SOURCE-12")
class StartsInSilence(MiniatureRun):
    """A start from the first item is told to whoever reads debug messages."""

    def _start(self, why: str) -> str:
        _log.debug("the data starts at its beginning: %s", why)
        return "start"


@fault("SOURCE-12")
class OffRestores(MiniatureRun):
    """`off` saves no cursor, and one that is there is restored all the same."""

    def decide_cursor(self, cursor_resume: str, opened: Opened, saved: Mapping[str, Any] | None) -> str:
        """As the miniature; with a cursor, as if `off` were `auto`."""
        mode = "auto" if cursor_resume == "off" and saved is not None else cursor_resume
        return super().decide_cursor(mode, opened, saved)


@fault("SOURCE-12")
class OneRankWillDo(MiniatureRun):
    """The first cursor that a checkpoint has is restored, and that the other ranks have none is not noticed."""

    def _misfits(self, documents: list[Any], opened: Opened) -> list[str]:
        return super()._misfits([next(one for one in documents if one is not None)], opened)


@fault("SOURCE-12")
class EmptyIsNone(MiniatureRun):
    """An empty document is taken for no document, and the run starts anew with a warning."""

    def _holds_nothing(self, documents: list[Any]) -> bool:
        return not any(documents)


@fault("SOURCE-12")
class FingerprintComparedIfBoth(MiniatureRun):
    """Fingerprints are compared where both sides have one, so that a source without one fits every cursor."""

    def _equal(self, name: str, theirs: Any, mine: Any) -> bool:
        return super()._equal(name, theirs, mine) or (name == "fingerprint" and None in (theirs, mine))


@fault("SOURCE-12")
class ContentNotCompared(MiniatureRun):
    """Length, seed and shuffle are compared, and the fingerprint is there for the log."""

    def _equal(self, name: str, theirs: Any, mine: Any) -> bool:
        return name == "fingerprint" or super()._equal(name, theirs, mine)


@fault("SOURCE-12")
class OrderNotCompared(MiniatureRun):
    """A cursor of another order is restored, and its numbers mean other items."""

    def _equal(self, name: str, theirs: Any, mine: Any) -> bool:
        return name in ("seed", "shuffle") or super()._equal(name, theirs, mine)


@fault("SOURCE-12")
class VersionNotRead(MiniatureRun):
    """A document of a later layout is read as if it had this one."""

    def _equal(self, name: str, theirs: Any, mine: Any) -> bool:
        return name == "schema_version" or super()._equal(name, theirs, mine)


@fault("SOURCE-12")
class MissingFieldsPassed(MiniatureRun):
    """What a document does not say is not compared, and an empty one fits everywhere."""

    def _differences(self, document: dict[str, Any], own: dict[str, Any], under: str = "") -> list[str]:
        return super()._differences(document, {name: own[name] for name in document if name in own}, under)


@fault("SOURCE-12")
class OtherModesAreAuto(MiniatureRun):
    """Any other word for the mode means `auto`, a misspelt `strict` among them."""

    def _expect_mode(self, mode: str) -> None:
        pass


@fault("SOURCE-12")
class FieldsUntold(MiniatureRun):
    """The refusal says that the cursor does not fit, and not in what."""

    def _misfitting(self, misfits: list[str], checkpoint: str) -> str:
        raise ValueError(f"the cursor of {checkpoint} is not one of this run")


@fault("SOURCE-12")
class AutoWantsCursor(MiniatureRun):
    """`auto` refuses a checkpoint that has no cursor, and older ones are of no use."""

    def _without_cursor(self, mode: str, checkpoint: str) -> str:
        return super()._without_cursor("strict", checkpoint)
