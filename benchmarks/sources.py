"""Speed of the reference sources on files, as ratios against the library `datasets`, measured in the same run.

    python benchmarks/sources.py [ROWS]

Rows are written to a temporary folder; default 300,000 of about 370 bytes. The peer makes an Arrow copy of a file when
it opens it, and reads rows from there; the reference reads the file itself. The peer of the digest is SHA-256 over the
whole file in one thread.
"""

import hashlib
import json
import os
import random
import sys
import tempfile
from collections.abc import Callable
from itertools import count as numbers
from pathlib import Path
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
from turns import medians

from packer_reference.sources import JsonlRows, ParquetRows, PromptSource, file_bytes, parquet_rows
from packer_schemas import PromptSourceSettings

ROUNDS, READS = 7, 3_000
SETTINGS = PromptSourceSettings(prompt_column="question", response_column="answer", metadata_columns=["id"])


def main() -> None:
    """Measure and print every ratio."""
    datasets.disable_progress_bars()
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 300_000
    with tempfile.TemporaryDirectory() as folder:
        jsonl, parquet = write(Path(folder), count)
        print(f"{count:,} rows, JSON Lines {jsonl.stat().st_size / 1e6:.0f} MB, Parquet {size_of(parquet):.0f} MB")
        opening(jsonl, parquet, Path(folder))
        peer_jsonl = datasets.Dataset.from_json(str(jsonl), cache_dir=f"{folder}/cache")
        peer_parquet = datasets.Dataset.from_parquet(str(parquet), cache_dir=f"{folder}/cache")
        rows, table = JsonlRows(jsonl), ParquetRows(parquet)
        reading("JSON Lines", rows, peer_jsonl, count)
        reading("Parquet, groups of 1,000", table, peer_parquet, count)
        unkept(ParquetRows(parquet), peer_parquet, count)
        overhead(rows, count)
        digest(jsonl)


def write(folder: Path, count: int) -> tuple[Path, Path]:
    """The same rows as a JSON Lines file and as a Parquet file with row groups of 1,000."""
    padding = "A sentence of padding. " * 12
    made = [
        {"question": f"What is {number} + 1? {padding}", "answer": str(number + 1), "id": number}
        for number in range(count)
    ]
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in made))
    pq.write_table(pa.Table.from_pylist(made), folder / "rows.parquet", row_group_size=1_000)
    return folder / "rows.jsonl", folder / "rows.parquet"


def size_of(path: Path) -> float:
    """Megabytes."""
    return path.stat().st_size / 1e6


def opening(jsonl: Path, parquet: Path, folder: Path) -> None:
    """From a path to a source with a fingerprint, against the peer's Arrow copy, made anew each time."""
    caches = numbers()

    def peer(read: Callable[..., Any], path: Path) -> Callable[[], Any]:
        return lambda: read(str(path), cache_dir=str(folder / f"opened{next(caches)}"))

    def both(ours: Callable[..., Any], read: Callable[..., Any], path: Path) -> list[float]:
        return medians(lambda: ours(path).cursor_fingerprint(), peer(read, path), rounds=3)

    print("opening, with a fingerprint of the content on our side")
    show("JSON Lines", *both(JsonlRows, datasets.Dataset.from_json, jsonl))
    show("Parquet", *both(ParquetRows, datasets.Dataset.from_parquet, parquet))


def reading(kind: str, ours: Any, peer: Any, count: int) -> None:
    """One row at a time, in shuffled order and in the file's."""
    order = random.Random(0).sample(range(count), READS)
    assert [ours[place] for place in order[:100]] == [peer[place] for place in order[:100]]
    print(f"reading {kind}, per row")
    show("shuffled", *each(ours, peer, order))
    show("in order", *each(ours, peer, list(range(READS))))


def unkept(ours: ParquetRows, peer: Any, count: int) -> None:
    """Shuffled order where no decoded row group is found again, as in a file far beyond what is kept."""
    parquet_rows.KEPT_BYTES = 0
    show("none kept", *each(ours, peer, random.Random(2).sample(range(count), 100)))


def each(ours: Any, peer: Any, places: list[int]) -> tuple[float, float]:
    """Seconds a row of both."""
    both = medians(lambda: [ours[place] for place in places], lambda: [peer[place] for place in places], rounds=ROUNDS)
    return both[0] / len(places), both[1] / len(places)


def overhead(rows: JsonlRows, count: int) -> None:
    """A sample made of the configured columns, against the bare row."""
    order = random.Random(1).sample(range(count), READS)
    source = PromptSource(rows, SETTINGS, "benchmark", fresh=True)
    made, bare = medians(
        lambda: [source[place] for place in order], lambda: [rows[place] for place in order], rounds=ROUNDS
    )
    print(f"a sample against its row: {made / bare:.2f} times the time")


def digest(path: Path) -> None:
    """The digest of a file by pieces, against one SHA-256 over all of it."""

    def whole() -> str:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    ours, peer = medians(lambda: file_bytes.FileBytes(path).digest(), whole, rounds=ROUNDS)
    size = size_of(path)
    print(f"digest: {size / ours:.0f} MB/s, SHA-256 in one thread {size / peer:.0f} MB/s, ratio {peer / ours:.2f}")


def show(what: str, ours: float, peer: float) -> None:
    """One line: both times and their ratio."""
    unit, scale = ("us", 1e6) if ours < 1e-2 else ("ms", 1e3)
    print(f"  {what:<12} {scale * ours:8.1f} {unit}, datasets {scale * peer:8.1f} {unit}, ratio {peer / ours:.2g}")


if __name__ == "__main__":
    main()
