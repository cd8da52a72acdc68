"""Rows from a JSON Lines file, read one at a time from where they stand."""

import json
import os
from typing import Any

from packer_reference.sources.file_bytes import FileBytes
from packer_reference.sources.json_lines import index_lines
from packer_reference.sources.map_style import place_of

__all__ = ["JsonlRows"]


class JsonlRows:
    """A map-style source over a UTF-8 file with one JSON object a line; blank lines hold no row.

    The file is read once, for the places of the rows and a digest, and rows are parsed when they are asked for. Copies
    in worker processes read the file on their own. Raises `OSError` for a file that cannot be read, and `ValueError`,
    with file and line, for one that holds something else than objects. Spec: sources, SOURCE-3 to SOURCE-5.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._file = FileBytes(path)
        self._index = index_lines(self._file)

    def __len__(self) -> int:
        return len(self._index.lines)

    def __getitem__(self, index: int) -> dict[str, Any]:
        place = place_of(index, len(self))
        start, stop = (int(edge) for edge in self._index.starts[place : place + 2])
        raw = self._file.read(start, stop - start)
        try:
            return json.loads(raw.decode("utf-8"))
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{self.where(place)}: is not JSON: {error}") from error

    def where(self, index: int) -> str:
        """File and line of a row."""
        return f"{self._file.name}:{self._index.lines[index]}"

    def cursor_fingerprint(self) -> str:
        """Another string for every content of the file; the same in every process and folder (SOURCE-10)."""
        return f"packer_reference.jsonl-v1-{self._index.digest}"
