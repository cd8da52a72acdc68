"""The part of the miniature run that saves cursors and decides about them; it has no fault either."""

import hashlib
import json
import logging
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["MiniatureCursors", "Opened"]

_log = logging.getLogger(__name__)


class Opened:
    """A source that a run has opened: `source` itself, the `path` of its factory, and the items as they are read."""

    def __init__(self, source: Any, path: str, read: Callable[["Opened", int], Any]) -> None:
        self.source = source
        self.path = path
        self._read = read

    def __len__(self) -> int:
        return len(self.source)

    def __getitem__(self, index: int) -> Any:
        return self._read(self, index)


class MiniatureCursors:
    """Saves cursors and decides what becomes of them."""

    def saved_fingerprint(self, opened: Opened) -> str | None:
        """The fingerprint of the cursor that is saved."""
        if not self._has_words(opened):
            return None
        return self._fingerprint(opened.source.cursor_fingerprint(), len(opened), opened)

    def decide_cursor(self, cursor_resume: str, opened: Opened, saved: Mapping[str, Any] | None) -> str:
        """`start` or `restore`; `ValueError` where the run is refused."""
        self._expect_mode(cursor_resume)
        if saved is None:
            return self._anew(cursor_resume, opened)
        if cursor_resume == "off":
            return self._start(f"the cursor of {saved['checkpoint']} is ignored")
        if self._holds_nothing(saved["documents"]):
            return self._without_cursor(cursor_resume, saved["checkpoint"])
        misfits = self._misfits(saved["documents"], opened)
        return self._misfitting(misfits, saved["checkpoint"]) if misfits else "restore"

    def _has_words(self, opened: Opened) -> bool:
        return hasattr(opened.source, "cursor_fingerprint")

    def _fingerprint(self, words: str, length: int, opened: Opened) -> str:
        return self._digest({"fingerprint": words, "length": length})

    def _digest(self, value: Any) -> str:
        text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()

    def _expect_mode(self, mode: str) -> None:
        if mode not in ("off", "auto", "strict"):
            raise ValueError(f"cursor_resume is {mode!r}, expected off, auto or strict")

    def _anew(self, mode: str, opened: Opened) -> str:
        if self._has_words(opened) or mode == "off":
            return "start"
        if mode == "strict":
            raise ValueError(f"{opened.path} gives a source without cursor_fingerprint()")
        return self._start("the source has no cursor_fingerprint()")

    def _start(self, why: str) -> str:
        _log.warning("the data starts at its beginning: %s", why)
        return "start"

    def _holds_nothing(self, documents: list[Any]) -> bool:
        return all(one is None for one in documents)

    def _without_cursor(self, mode: str, checkpoint: str) -> str:
        if mode == "strict":
            raise ValueError(f"{checkpoint} has no cursor")
        return self._start(f"{checkpoint} has no cursor")

    def _misfitting(self, misfits: list[str], checkpoint: str) -> str:
        raise ValueError(f"the cursor of {checkpoint} does not fit: {'; '.join(misfits)}")

    def _misfits(self, documents: list[Any], opened: Opened) -> list[str]:
        """What is wrong with the documents of a checkpoint, for a run of one rank."""
        if len(documents) != 1:
            return [f"dp_world_size: {len(documents)} in the checkpoint, 1 here"]
        return self._differences(documents[0], self._own(opened))

    def _own(self, opened: Opened) -> dict[str, Any]:
        """What a document of the run's loader holds, apart from the place."""
        mark = self.saved_fingerprint(opened)
        source = {"kind": "map", "length": len(opened), "seed": 0, "shuffle": False, "fingerprint": mark}
        own = {"schema_version": 1, "name": "", "source": source, "dp_rank": 0, "dp_world_size": 1, "num_workers": 0}
        return own | {"batches": ..., "next_worker": ..., "workers": ...}

    def _differences(self, document: dict[str, Any], own: dict[str, Any], under: str = "") -> list[str]:
        found: list[str] = []
        for name in dict.fromkeys([*own, *document]):
            theirs, mine = (side.get(name, "nothing") for side in (document, own))
            if name == "source" and isinstance(theirs, dict):
                found += self._differences(theirs, mine, "source.")
            elif (name not in document) or (mine is not ... and not self._equal(name, theirs, mine)):
                found.append(f"{under}{name}: {theirs} in the cursor, {mine} here")
        return found

    def _equal(self, name: str, theirs: Any, mine: Any) -> bool:
        return json.dumps(theirs, sort_keys=True) == json.dumps(mine, sort_keys=True)
