"""Rows from a Parquet file: one row group is decoded at a time, and the last ones are kept."""

import bisect
import os
from collections.abc import Iterable
from itertools import accumulate
from typing import Any

from packer_reference.sources.file_bytes import FileBytes
from packer_reference.sources.map_style import place_of

__all__ = ["KEPT_BYTES", "ParquetRows"]

KEPT_BYTES = 256 * 2**20
"""Decoded row groups that a process keeps, in bytes; the latest one is kept whatever its size."""


class ParquetRows:
    """A map-style source over a local Parquet file; needs pyarrow.

    Reading a row decodes its row group, unless that is among those kept: a file that is read in shuffled order wants
    row groups of about a thousand rows, or to be small. Copies in worker processes open the file on their own. Raises
    `OSError` for a file that cannot be read, and `ValueError`, with its name, for one that is no Parquet file or names
    a column twice, and for a row group or a value, with its row and column, that cannot be read. Spec: sources,
    SOURCE-3 to SOURCE-5.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._file = FileBytes(path)
        self._columns: list[str] | None = None
        self._digest: str | None = None
        self._forget()
        metadata = self._opened().metadata
        self._names: list[str] = self._opened().schema_arrow.names
        if twice := sorted({name for name in self._names if self._names.count(name) > 1}):
            raise ValueError(f"{self._file.name}: has the column {twice[0]!r} twice, expected it once")
        counts = [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]
        self._ends = list(accumulate(counts))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __getitem__(self, index: int) -> dict[str, Any]:
        place = place_of(index, len(self))
        group = bisect.bisect_right(self._ends, place)
        start = self._ends[group - 1] if group else 0
        table, row = self._decoded(group), dict[str, Any]()
        for name, column in zip(table.column_names, table.columns, strict=True):
            try:
                row[name] = column[place - start].as_py()
            except (ValueError, OverflowError) as error:  # text that is no UTF-8, a date that Python does not have
                raise ValueError(f"{self._file.name}: row {place}: column {name!r}: {error}") from error
        return row

    def read_only(self, columns: Iterable[str]) -> None:
        """From now on decode only these columns, if the file has them all; else leave rows whole, to tell of them."""
        wanted = list(dict.fromkeys(columns))
        if set(wanted) <= set(self._names):
            self._columns = wanted
            self._forget()

    def cursor_fingerprint(self) -> str:
        """Another string for every content of the file; the same in every process and folder (SOURCE-10)."""
        if self._digest is None:
            self._digest = self._file.digest()
        return f"packer_reference.parquet-v1-{self._digest}"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_open": None, "_kept": {}}

    def _forget(self) -> None:
        self._open: Any = None
        self._opened_in = 0
        self._kept: dict[int, Any] = {}

    def _opened(self) -> Any:
        if self._open is None or self._opened_in != os.getpid():  # what pyarrow holds does not outlive a fork
            import pyarrow
            import pyarrow.parquet

            try:
                self._open = pyarrow.parquet.ParquetFile(self._file.path)
            except pyarrow.ArrowException as error:
                raise ValueError(f"{self._file.name}: is no Parquet file that can be read: {error}") from error
            self._opened_in = os.getpid()
        return self._open

    def _decoded(self, group: int) -> Any:
        table = self._kept.pop(group, None)
        if table is None:
            table = self._read(group)
            room = KEPT_BYTES - table.nbytes
            for other, kept in list(self._kept.items())[::-1]:  # the latest ones first
                room -= kept.nbytes
                if room < 0:
                    self._kept.pop(other, None)  # gone, perhaps, where two threads read
        self._kept[group] = table
        return table

    def _read(self, group: int) -> Any:
        import pyarrow

        try:
            return self._opened().read_row_group(group, columns=self._columns, use_threads=False)
        except (pyarrow.ArrowException, OSError) as error:
            raise ValueError(f"{self._file.name}: row group {group} cannot be read: {error}") from error
