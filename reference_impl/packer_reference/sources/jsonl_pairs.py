"""Preference pairs from a JSON Lines file."""

import os
from typing import Any

from packer_reference.sources.jsonl_rows import JsonlRows

__all__ = ["JsonlPairs"]

_PLACES = ("prompt", "winner", "loser")


class JsonlPairs:
    """A map-style source of triples over a file of lines such as `{"prompt": ..., "winner": ..., "loser": ...}`.

    A prompt is text or a conversation, a payload text, a list of ids or an object; other keys of a line are left
    alone. Reading and errors are those of `JsonlRows`; a line that lacks one of the three is a `ValueError`, the first
    of them as soon as the source is made. Spec: sources, SOURCE-7.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._rows = JsonlRows(path)
        if len(self):
            self[0]

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: int) -> tuple[Any, Any, Any]:
        row = self._rows[index]
        if missing := [place for place in _PLACES if place not in row]:
            raise ValueError(
                f"{self._rows.where(index)}: has no {missing[0]!r}, expected an object with prompt, winner and loser; "
                f"it has {', '.join(map(repr, row)) or 'none'}"
            )
        return row["prompt"], row["winner"], row["loser"]

    def cursor_fingerprint(self) -> str:
        """Another string for every content of the file; the same in every process and folder (SOURCE-10)."""
        return f"packer_reference.jsonl-pairs-v1 {self._rows.cursor_fingerprint()}"
