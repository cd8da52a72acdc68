"""Descriptions of what a packer gave: equal exactly where type and content are, and the same in every process."""

import itertools
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch

from packer_schemas import RLPolicyInput, canonical_json
from packproof.described import described


@dataclass
class Row:
    input_ids: list[int]
    mask: Any = None


@dataclass
class Moved(Row):
    pass


class Slotted:
    __slots__ = ("input_ids",)

    def __init__(self, ids: list[int]) -> None:
        self.input_ids = ids


DIFFERENT: list[Any] = [
    *(None, True, 1, 1.0, -0.0, 0, 0.0, float("nan"), float("inf"), "1", b"1", bytearray(b"1"), "\ud800", "\\ud800"),
    *([1], (1,), {1}, frozenset({1}), [], (), {}, {"a": 1}, {"a": True}, {1: "a"}, {"1": "a"}, [[1], 2], [1, [2]]),
    *(np.int64(1), np.int32(1), np.float32(1), np.array([1]), np.array([[1]]), np.array([1], dtype=np.int32)),
    *(
        torch.tensor([1]),
        torch.tensor([[1]]),
        torch.tensor([1], dtype=torch.int32),
        torch.tensor(1),
        torch.tensor([True]),
    ),
    *(
        torch.tensor([1.0]),
        torch.tensor([1.0 + 2**-20]),
        torch.tensor([float("nan")]),
        torch.zeros(300),
        torch.ones(300),
    ),
    *(torch.arange(300), torch.arange(300).flip(0), torch.arange(300).view(3, 100), torch.zeros(0), torch.zeros(0, 2)),
    *(Row([1]), Row([1], [1]), Row([2]), Slotted([1, 2]), print, int, torch.eye(2).to_sparse()),
]


def test_different_values_are_described_differently() -> None:
    """Types, dtypes, shapes, signs, borders of lists and values all show, in every pair of different values."""
    texts = [canonical_json(described(value)) for value in DIFFERENT]
    pairs = itertools.combinations(range(len(DIFFERENT)), 2)
    assert [(DIFFERENT[one], DIFFERENT[other]) for one, other in pairs if texts[one] == texts[other]] == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param({"a": 1, "b": 2}, {"b": 2, "a": 1}, id="order of keys"),
        pytest.param({"x", "y", "z"}, {"z", "y", "x"}, id="order of a set"),
        pytest.param(
            Row([1]),
            Moved([1]),
            id="class",
        ),
        pytest.param(torch.arange(6).view(2, 3).t(), torch.tensor([[0, 3], [1, 4], [2, 5]]), id="strides"),
        pytest.param(float("nan"), -float("nan"), id="NaN"),
        pytest.param(
            RLPolicyInput(input_ids=[1], logprob_masks=[0]),
            RLPolicyInput(input_ids=[1], logprob_masks=[0]),
            id="models",
        ),
    ],
)
def test_what_makes_no_difference_does_not_show(one: Any, other: Any) -> None:
    """Order of keys, class names and memory layout are no part of a value."""
    assert described(one) == described(other)


def test_a_value_that_holds_itself_has_an_end() -> None:
    """A list within itself is described, and differently from one that is only nested."""
    value: list[Any] = [1]
    value.append(value)
    assert described(value) == [1, {"again": 1}]
    assert described([1, [1, []]]) != described(value)


def test_no_description_varies_by_process() -> None:
    """Two processes with other hash seeds describe sets, objects without a form and big tensors alike."""
    script = (
        "import torch; from packproof.described import described\n"
        "print(described([{'a', 'b', 'c', 'd'}, object(), lambda: 1, torch.arange(999), {'k': {'x', 'y'}}]))"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", script], env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("1", "2")
    ]  # fmt: skip
    assert runs[0] == runs[1]
    assert " at 0x" not in runs[0]
