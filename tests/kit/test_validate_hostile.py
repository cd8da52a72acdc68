"""`packproof validate` on data made to slip through, to break it, or to write on the terminal."""

import json
from pathlib import Path
from typing import Any

import pytest

from packproof.validation.schema_check import OwnSchema


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def said(name: str, value: Any) -> list[str]:
    """What one of our schemas says of a document."""
    return [f"{one.path}  {one.said}" for one in OwnSchema(name).problems(value, json.dumps(value).encode())]


@pytest.mark.parametrize("rows", [0, 1, 9])
def test_a_record_with_another_number_of_rows_is_refused(rows: int) -> None:
    """What a model knows of a tensor and its neighbours together is checked: `forward_routing` has L-1 rows."""
    value = {"input_ids": [1, 2, 3], "logprob_masks": [0, 1, 0], "mm_ranges": {"image": [[[0, 1]]]}}
    assert said("policy-input", {**value, "forward_routing": [[[0]]] * 2}) == []
    assert said("policy-input", {**value, "forward_routing": [[[0]]] * rows}) == [
        f"  expected 2 rows of forward_routing, one for each of the input_ids but the last, got {rows}"
    ]


def test_a_record_without_rows_is_one() -> None:
    """Of one id there is no prediction: a record without rows fits it, and it has all its axes."""
    assert said("policy-input", {"input_ids": [1], "logprob_masks": [0], "forward_routing": []}) == []


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        (
            "routing-record",
            [[[0, 2**63]]],
            "[0][0][1]  expected integers that int8 or int16 or int32 or int64 or uint8",
        ),
        ("policy-batch", {"input_ids": [[2**64]], "logprob_masks": [[True]]}, "input_ids[0][0]  expected integers"),
    ],
)
def test_a_number_that_no_dtype_holds_is_refused(name: str, value: Any, problem: str) -> None:
    """A tensor's numbers fit one of its declared dtypes, or the one furthest away is named."""
    assert said(name, value)[0].startswith(problem)
    assert said("routing-record", [[[-1, 2**63 - 1]]]) == said("routing-record", [[[255]]]) == []
