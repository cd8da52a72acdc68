"""Recorded routing of several turns, and what a consumer asks of a batch before it replays it."""

from typing import Any

import numpy as np
import pytest
import torch

from packer_reference.routing import expect_replay_batch, join_turn_routing

IDS = [110, 111, 120, 121, 122], [110, 111, 120, 130, 131, 140]


def record(*values: int, dtype: Any = torch.int64) -> torch.Tensor:
    """A record of one layer and one expert a row."""
    return torch.tensor(values, dtype=dtype).reshape(-1, 1, 1)


def test_the_border_is_the_shared_prefix() -> None:
    """Rows of ids that are gone do not stay, though the number of rows would come out right."""
    got = join_turn_routing(IDS[0], record(10, 11, 12, 13), IDS[1], record(20, 21, 22, 23, 24))
    assert got.flatten().tolist() == [10, 11, 12, 23, 24]
    assert (got.dtype, got.shape) == (torch.int8, (5, 1, 1))


def test_ids_and_records_of_every_kind() -> None:
    """Ids may be tensors or arrays, and one record may be an array of bytes where the other is a tensor."""
    got = join_turn_routing(
        torch.tensor(IDS[0]), np.full((4, 1, 1), 255, np.uint8), np.array(IDS[1]), record(20, 21, 22, 23, 24)
    )
    assert got.flatten().tolist() == [255, 255, 255, 23, 24]
    assert got.dtype == torch.int16


def test_the_joined_record_has_memory_of_its_own() -> None:
    """Writing into the joined record changes neither turn's."""
    earlier, later = record(1, 1, 1, 1, dtype=torch.int8), record(2, 2, 2, 2, 2, dtype=torch.int8)
    join_turn_routing(IDS[0], earlier, IDS[1], later).fill_(9)
    assert (earlier.unique().tolist(), later.unique().tolist()) == ([1], [2])


REFUSED: dict[str, tuple[Any, type[Exception], str]] = {
    "no shared prefix": (([1], record(), [2, 3], record(1)), ValueError, "begin with 0 common ids, of 1 and 2"),
    "no earlier record": (([1], None, [1, 2], record(1)), ValueError, "the earlier turn carries no rollout_routed"),
    "too many rows": (([1], record(4), [1, 2], record(1)), ValueError, "earlier turn has 1 row, expected 0"),
    "too few rows": (([1], record(), [1, 2, 3], record(1)), ValueError, "later turn has 1 row, expected 2"),
    "rows before the first": (([1], record(), [1, 2], record(1), 1), ValueError, "expected 0: .* from first_row=1 on"),
    "a layout of its own": (
        ([1, 2], record(1), [1, 2], torch.zeros(1, 2, 1, dtype=torch.int8)),
        ValueError,
        r"later turn has \[layers, top_k\] = \[2, 1\], the earlier turn has \[1, 1\]",
    ),
    "below -1": (([1, 2], record(-56), [1, 2], record(1)), ValueError, "holds -56"),
    "a first row behind the last": (([1, 2], record(1), [1, 2], record(), 2), ValueError, "first_row is 2"),
    "a first row that is none": (([1, 2], record(1), [1, 2], record(1), "0"), TypeError, "first_row is '0'"),
    "a first row that is a bool": (([1, 2], record(1), [1, 2], record(1), False), TypeError, "first_row is False"),
    "ids that are none": (("12", record(1), [1, 2], record(1)), TypeError, "earlier_ids: got str '12'"),
    "lists": (([1, 2], [[[1]]], [1, 2], record(1)), TypeError, "of the earlier turn is a list"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_turns(name: str) -> None:
    """Turns that cannot be joined are refused, naming the turn and what was found."""
    given, kind, text = REFUSED[name]
    with pytest.raises(kind, match=text):
        join_turn_routing(*given)


def batch(routing: Any) -> dict[str, Any]:
    """A batch of two rows of three ids."""
    return {"input_ids": torch.zeros(2, 3, dtype=torch.int64), "forward_replay_routing": routing}


def test_a_batch_to_replay() -> None:
    """A batch that fits the model passes, with filler, the last expert, and none known; so does one without a place."""
    routing = torch.full((2, 3, 4, 2), 7, dtype=torch.int8)
    routing[0, 2] = -1
    expect_replay_batch(batch(routing), 4, 2, 8)
    expect_replay_batch(batch(routing), 4, 2)
    expect_replay_batch(batch(torch.zeros(2, 3, 0, 2, dtype=torch.int8)), 0, 2, 8)


NOT_REPLAYED: dict[str, tuple[Any, str]] = {
    "missing": (None, "is missing, .* either the rollout recorded nothing, or the packer's policy_collate_fn"),
    "a width of its own": (
        torch.zeros(2, 4, 4, 2, dtype=torch.int8),
        r"has shape \[2, 4, 4, 2\], expected \[2, 3, 4, 2\]",
    ),
    "layers": (torch.zeros(2, 3, 3, 2, dtype=torch.int8), r"has shape \[2, 3, 3, 2\], expected \[2, 3, 4, 2\]"),
    "top_k": (torch.zeros(2, 3, 4, 1, dtype=torch.int8), r"has shape \[2, 3, 4, 1\], expected \[2, 3, 4, 2\]"),
    "floats": (torch.zeros(2, 3, 4, 2), "has the type float32"),
    "bytes": (torch.zeros(2, 3, 4, 2, dtype=torch.uint8), "has the type uint8"),
    "an array": (np.zeros((2, 3, 4, 2), np.int8), r"is a ndarray, expected a tensor \[2, 3, 4, 2\]"),
    "below -1": (torch.full((2, 3, 4, 2), -2, dtype=torch.int8), "holds -2"),
    "beyond the experts": (torch.full((2, 3, 4, 2), 8, dtype=torch.int8), "holds expert 8, .* experts=8, 0 to 7"),
}


@pytest.mark.parametrize("name", NOT_REPLAYED)
def test_refused_batches(name: str) -> None:
    """A batch that the model cannot replay is refused with ValueError that names the key."""
    routing, text = NOT_REPLAYED[name]
    with pytest.raises(ValueError, match=f"forward_replay_routing {text}"):
        expect_replay_batch(batch(routing), 4, 2, 8)


def test_a_batch_without_the_key() -> None:
    """An absent key is refused as None is."""
    with pytest.raises(ValueError, match="forward_replay_routing is missing"):
        expect_replay_batch({"input_ids": torch.zeros(1, 1, dtype=torch.int64)}, 1, 1)
