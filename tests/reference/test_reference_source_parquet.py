"""Parquet files as sources: random access by row groups, and what is kept of them."""

import os
import pickle
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from packer_reference.sources import ParquetRows, build_prompt_source, parquet_rows
from packer_schemas import PromptSourceSettings

TABLE = pa.table(
    {
        "question": [f"What is {number} + 1?" for number in range(10)],
        "answer": [number + 1 for number in range(10)],
        "turns": [[{"role": "user", "content": str(number)}] * (number % 3) for number in range(10)],
        "nothing": pa.array([None] * 10, pa.string()),
    }
)
ROWS: list[dict[str, Any]] = TABLE.to_pylist()


@pytest.fixture(params=[1, 3, 10])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A file whose row groups have up to so many rows."""
    pq.write_table(TABLE, tmp_path / "rows.parquet", row_group_size=request.param)
    return tmp_path / "rows.parquet"


@pytest.mark.parametrize("kept", [0, 2**20])
def test_rows_come_in_any_order(path: Path, monkeypatch: pytest.MonkeyPatch, kept: int) -> None:
    """Every index gives its row, forwards, backwards and again, whether decoded groups are kept or not."""
    monkeypatch.setattr(parquet_rows, "KEPT_BYTES", kept)
    source = ParquetRows(path)
    for place in [*range(10), *range(9, -1, -1), 5, 0, 5]:
        assert source[place] == ROWS[place]
    assert source[-1] == ROWS[9]
    with pytest.raises(IndexError):
        source[10]


def test_only_the_group_of_a_row_is_decoded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A read costs one group at most, and none while its group is kept; the latest ones are, while there is room."""
    pq.write_table(TABLE, tmp_path / "rows.parquet", row_group_size=2)
    read: list[int] = []
    real = pq.ParquetFile.read_row_group

    def noted(self: Any, i: int, **given: Any) -> Any:
        read.append(i)
        return real(self, i, **given)

    monkeypatch.setattr(pq.ParquetFile, "read_row_group", noted)
    source = ParquetRows(tmp_path / "rows.parquet")
    assert [source[place]["answer"] for place in (4, 5, 0, 4, 9, 1)] == [5, 6, 1, 5, 10, 2]
    assert read == [2, 0, 4]
    monkeypatch.setattr(parquet_rows, "KEPT_BYTES", 0)
    assert [source[place]["answer"] for place in (2, 3, 9, 3)] == [3, 4, 10, 4]
    assert read == [2, 0, 4, 1, 4, 1]


def test_empty_row_groups_hold_no_row(tmp_path: Path) -> None:
    """Groups without rows, which some writers leave behind, move no index."""
    with pq.ParquetWriter(tmp_path / "rows.parquet", TABLE.schema) as writer:
        for part in (TABLE.slice(0, 0), TABLE.slice(0, 4), TABLE.slice(0, 0), TABLE.slice(4, 6)):
            writer.write_table(part)
    assert list(ParquetRows(tmp_path / "rows.parquet")) == ROWS


def test_only_configured_columns_are_decoded(path: Path) -> None:
    """Samples are as without that economy, and a missing column is told with all that the file has."""
    settings = {"path": str(path), "prompt_column": "question", "metadata_columns": ["answer", "nothing"]}
    source = build_prompt_source(PromptSourceSettings(**settings))
    assert source.source[7].keys() == {"question", "answer", "nothing"}
    made = {"prompt": "What is 7 + 1?", "metadata": {"answer": 8, "nothing": None}}
    assert source[7].representations == made
    with pytest.raises(ValueError, match=r"row 0 has no column 'anwser'.* 'question', 'answer', 'turns', 'nothing'$"):
        build_prompt_source(PromptSourceSettings(**settings, response_column="anwser"))


def test_a_row_function_sees_every_column(path: Path) -> None:
    """With a function of the user's nobody knows which columns it looks at."""
    settings = PromptSourceSettings(path=str(path), prompt_column="question", items_fn="user_sources.shouting")
    source = build_prompt_source(settings)
    assert source.source[0].keys() == ROWS[0].keys()
    assert source[1].representations == {"prompt": "WHAT IS 1 + 1?"}


def test_what_is_no_parquet_file_is_named(tmp_path: Path) -> None:
    """Another kind of file, a cut one and one that names a column twice are refused by their path."""
    (tmp_path / "text.parquet").write_text("question\n")
    with pytest.raises(ValueError, match=r"text.parquet: is no Parquet file that can be read"):
        ParquetRows(tmp_path / "text.parquet")
    pq.write_table(TABLE, tmp_path / "rows.parquet")
    (tmp_path / "cut.parquet").write_bytes((tmp_path / "rows.parquet").read_bytes()[:-100])
    with pytest.raises(ValueError, match=r"cut.parquet: is no Parquet file that can be read"):
        ParquetRows(tmp_path / "cut.parquet")
    pq.write_table(pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]), tmp_path / "twice.parquet")
    with pytest.raises(ValueError, match=r"twice.parquet: has the column 'a' twice"):
        ParquetRows(tmp_path / "twice.parquet")


def test_without_pyarrow_it_says_what_to_install(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra that brings it is named beside the path."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ValueError, match=r"rows.parquet' cannot be opened: .*pip install pyarrow"):
        build_prompt_source(PromptSourceSettings(path=str(path)))


def test_a_broken_row_group_is_named(tmp_path: Path) -> None:
    """Damage inside a file comes out with the row, and names file and group."""
    pq.write_table(TABLE, tmp_path / "rows.parquet", row_group_size=5, compression="zstd", use_dictionary=False)
    raw = bytearray((tmp_path / "rows.parquet").read_bytes())
    raw[4:40] = bytes(36)
    (tmp_path / "bad.parquet").write_bytes(raw)
    source = ParquetRows(tmp_path / "bad.parquet")
    assert source[9] == ROWS[9]
    with pytest.raises(ValueError, match=r"bad.parquet: row group 0 cannot be read"):
        source[0]


def test_a_value_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    """Text that is no UTF-8, which writers do not always check, is told with file, row and column."""
    texts = pa.array([b"fine", b"fine too", b"\xff"], pa.binary()).view(pa.string())
    pq.write_table(pa.table({"uid": [1, 2, 3], "question": texts}), tmp_path / "rows.parquet", row_group_size=2)
    source = ParquetRows(tmp_path / "rows.parquet")
    assert source[1] == {"uid": 2, "question": "fine too"}
    with pytest.raises(ValueError, match=r"rows.parquet: row 2: column 'question': 'utf-8' codec can't decode"):
        source[2]


def test_the_fingerprint_follows_the_file(tmp_path: Path) -> None:
    """Edited and reordered rows change it; a copy, a read, a pickle and a choice of columns do not."""
    first = tmp_path / "rows.parquet"
    pq.write_table(TABLE, first)
    source = ParquetRows(first)
    one = source.cursor_fingerprint()
    (tmp_path / "copy.parquet").write_bytes(first.read_bytes())
    assert ParquetRows(tmp_path / "copy.parquet").cursor_fingerprint() == one
    source.read_only(["answer"])
    assert source[0] == {"answer": 1}
    assert pickle.loads(pickle.dumps(source)).cursor_fingerprint() == one
    pq.write_table(TABLE.take([1, 0, *range(2, 10)]), tmp_path / "swapped.parquet")
    pq.write_table(TABLE.slice(0, 9), tmp_path / "shorter.parquet")
    others = [ParquetRows(tmp_path / f"{name}.parquet").cursor_fingerprint() for name in ("swapped", "shorter")]
    assert len({one, *others}) == 3


def test_a_file_that_was_replaced_is_refused(path: Path) -> None:
    """A source that is read again in another process, or asked for its fingerprint, notices."""
    source = ParquetRows(path)
    pq.write_table(TABLE.slice(0, 5), path)
    os.utime(path, ns=(1, 1))
    with pytest.raises(ValueError, match=r"rows.parquet: the file was changed"):
        pickle.loads(pickle.dumps(source))[0]
    with pytest.raises(ValueError, match=r"rows.parquet: the file was changed"):
        source.cursor_fingerprint()
