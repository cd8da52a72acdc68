"""No false alarm on packers whose answers and batches are unusual and right."""

from collections import deque

import numpy as np
import pytest
import torch

from known_good.verdicts import not_passed
from packer_schemas.cases import BatchCase, Sample
from packproof import check_packer
from packproof.registry import check_for
from packproof.runner import replay_case
from packproof.subject import Subject
from packproof.zoo.miniature import MiniaturePacker


class Text(str):
    """A string that is also something else."""

    __slots__ = ("origin",)


class OtherSequences(MiniaturePacker):
    """Answers with a subclass of `str`, with sequences that are no lists, and with integers of NumPy."""

    def get_rollout_input(self, item):
        return Text(super().get_rollout_input(item))

    def rollout_collate_fn(self, items):
        return deque(items)

    def get_rollout_output(self, completions, *args, **kwargs):
        return tuple(one if isinstance(one, str) else np.array(one, dtype=np.int64) for one in completions)

    def batch_size(self, batch):
        return np.int64(len(batch))

    def policy_compute_max_len(self, processed_samples):
        return np.int32(super().policy_compute_max_len(processed_samples))


class OtherColumns(MiniaturePacker):
    """Adds columns to the batch by `columns(rows, width)`."""

    def _collate(self, rows, width):
        return super()._collate(rows, width) | self.columns(len(rows), width)


def with_columns(columns):
    """A factory of packers with more columns."""
    return type("WithColumns", (OtherColumns,), {"columns": staticmethod(columns)})


def nested(count):
    """A nested tensor of as many parts, each of another length."""
    return torch.nested.nested_tensor([torch.arange(number + 1) for number in range(count)])


class Turn:
    """Knows the turn before it, which knows it too."""

    def __init__(self, before=None):
        self.before, self.after = before, None if before else Turn(self)


class OtherFields(MiniaturePacker):
    """Puts on its rows what leads back to itself, arrays of arrays, and a sparse tensor."""

    def _row(self, prompt, completion, ignored):
        parts = np.empty(2, dtype=object)
        parts[:] = [np.zeros(2), np.ones(3)]
        loop: list[object] = []
        loop.append(loop)
        more = {"turn": Turn(), "loop": loop, "parts": parts, "sparse": torch.eye(3).to_sparse()}
        return super()._row(prompt, completion, ignored) | more


class InferenceTensors(MiniaturePacker):
    """Collates under inference mode, whose tensors nobody may write to outside of it."""

    @torch.inference_mode()
    def policy_collate_fn(self, processed_samples, computed_max_len):
        return super().policy_collate_fn(processed_samples, computed_max_len)


@pytest.mark.parametrize(
    "factory",
    [
        OtherSequences,
        with_columns(lambda count, width: {"position_ids": torch.arange(width).unsqueeze(0).expand(count, width)}),
        with_columns(lambda count, width: {"position_ids": torch.arange(width)}),
        with_columns(lambda count, width: {"shape": torch.tensor([count, width]), "scale": torch.tensor(2.0)}),
        with_columns(lambda count, width: {"advantages": torch.full((count,), float("nan"))}),
        with_columns(lambda count, width: {"sparse": torch.eye(count).to_sparse(), "nested": nested(count)}),
        with_columns(lambda count, width: {"pair": torch.ones(count)} if count == 2 else {}),
        InferenceTensors,
    ],
    ids=[
        "other sequences",
        "expanded",
        "one row for all",
        "shape",
        "nan",
        "no rows",
        "of pairs only",
        "inference mode",
    ],
)
def test_odd_answers_conform(factory):
    """Deques, NumPy integers, columns that are no rows, NaN, and tensors nobody can write to break no rule."""
    report = check_packer(factory, select=["ROLL", "COLL"], effort="quick", raise_on_failure=False)
    assert not_passed(report) == {}


def test_odd_fields_conform():
    """Rows with objects that lead back to themselves, arrays of arrays and sparse tensors break no rule."""
    report = check_packer(OtherFields, select=["LIFE", "COLL", "CPU"], effort="quick", raise_on_failure=False)
    assert not_passed(report) == {}


@pytest.mark.parametrize("rule", ["COLL-8", "COLL-9", "COLL-13"])
def test_a_column_that_only_looks_like_rows_is_none(rule):
    """In a batch of two samples, two wide, a column of two positions is not taken for one entry per sample."""
    packer = with_columns(lambda count, width: {"position_ids": torch.arange(width)})
    samples = [Sample(prompt_ids=[110], completion=[120]), Sample(prompt_ids=[210], completion=[220])]
    assert replay_case(check_for(rule), Subject(packer), BatchCase(samples=samples)).status == "pass"
