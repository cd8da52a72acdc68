"""No false alarm on data sources: those of the reference, and those that people write."""

import io
import json
import tarfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from packer_schemas import Report
from packproof import check_source

OUTSIDERS = [
    "Computed",
    "Preferences",
    "TorchRows",
    "data_set",
    "plain_list",
    "rows_with_arrays",
    "shuffled",
]
ROWS = [{"uid": f"r{number}", "prompt": f"What is {number} + 1?", "answer": number + 1} for number in range(5)]
PAIRS = [{"prompt": f"What is {number} + 1?", "winner": "yes", "loser": [number]} for number in range(4)]


def seen(target: str, kwargs: dict[str, Any] | None = None, **options: Any) -> Report:
    return check_source(target, kwargs, effort="quick", **options)


def passed(report: Report) -> set[str]:
    return {one.requirement for one in report.subjects[0].outcomes if one.status == "pass"}


def lines(path: Path, rows: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("name", OUTSIDERS)
def test_a_source_as_people_write_it_keeps_every_rule(name: str) -> None:
    """Sources of lists, data sets, arrays, computed rows and named triples break nothing that binds them."""
    report = seen(f"known_good.outsider_sources:{name}")
    assert report.subjects[0].verdict == "conformant"
    assert {"SOURCE-3", "SOURCE-4", "SOURCE-5"} <= passed(report)


def test_a_source_that_cannot_be_pickled_keeps_every_rule(tmp_path: Path) -> None:
    """An open file in a source is no fault, nor is a factory that refuses what an edit of its file made."""
    report = seen("known_good.outsider_sources:Lines", {"path": lines(tmp_path / "rows.jsonl", ROWS)})
    assert {"SOURCE-3", "SOURCE-10", "SOURCE-13"} <= passed(report)


@pytest.mark.parametrize("name", ["ArithmeticRows", "SyntheticPairs"])
def test_made_up_sources_of_the_reference_keep_every_rule(name: str) -> None:
    """What the reference makes up names itself, and names its items."""
    kwargs = {"count": 150} if name == "SyntheticPairs" else {}
    report = seen(f"packer_reference.sources.made_up:{name}", kwargs)
    assert {"SOURCE-3", "SOURCE-4", "SOURCE-5", "SOURCE-10", "SOURCE-13"} <= passed(report)


def test_json_lines_of_the_reference_keep_every_rule(tmp_path: Path) -> None:
    """Rows and pairs of a file: every edit of a line shows in the fingerprint."""
    rows = seen("packer_reference.sources:JsonlRows", {"path": lines(tmp_path / "rows.jsonl", ROWS)})
    pairs = seen("packer_reference.sources:JsonlPairs", {"path": lines(tmp_path / "pairs.jsonl", PAIRS)})
    assert {"SOURCE-3", "SOURCE-4", "SOURCE-5", "SOURCE-10"} <= passed(rows)
    assert {"SOURCE-3", "SOURCE-4", "SOURCE-5", "SOURCE-7", "SOURCE-10"} <= passed(pairs)


def test_parquet_rows_and_tar_pairs_of_the_reference_keep_every_rule(tmp_path: Path) -> None:
    """Files that are no text are read in two processes and from pickled copies; nobody edits them."""
    table, archive = str(tmp_path / "rows.parquet"), str(tmp_path / "pairs.tar")
    pq.write_table(pa.Table.from_pylist(ROWS), table)
    with tarfile.open(archive, "w") as tar:
        for key in ("a", "b"):
            for part in ("prompt", "winner", "loser"):
                content = f"{part} of {key}".encode()
                member = tarfile.TarInfo(f"{key}.{part}.txt")
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))
    rows = seen("packer_reference.sources:ParquetRows", {"path": table})
    pairs = seen("packer_reference.sources:TarPairs", {"path": archive})
    assert {"SOURCE-3", "SOURCE-4", "SOURCE-5", "SOURCE-10"} <= passed(rows)
    assert {"SOURCE-3", "SOURCE-4", "SOURCE-5", "SOURCE-7", "SOURCE-10", "SOURCE-13"} <= passed(pairs)


def test_the_run_of_the_reference_keeps_every_rule() -> None:
    """The reference takes sources in as the chapter says, beside a source of its own or alone."""
    report = seen("packer_reference.sources.made_up:ArithmeticRows", run="packer_reference:ReferenceRun")
    assert report.subjects[0].verdict == "conformant"
    assert passed(report) == {f"SOURCE-{number}" for number in range(1, 18)}
