"""What counts as memory shared between a policy input and the arguments it was made from."""

from typing import Any

import numpy as np
import pytest
import torch

from packer_schemas.observation import ObsBundle
from packproof.driver import observation
from packproof.sharing import shared

CONVERSATION = [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}]
ITEM: ObsBundle = observation(CONVERSATION)
PROMPT: Any = ITEM.representations["prompt"]
ARRAY = np.arange(4)
TENSOR = torch.arange(4)


class Row:
    """A policy input without a `__dict__`."""

    __slots__ = ("extra", "never_filled")

    def __init__(self, extra: Any) -> None:
        self.extra = extra


@pytest.mark.parametrize(
    ("row", "where"),
    [
        ({"sample": ITEM}, "sample"),
        ({"messages": PROMPT}, "messages"),
        ({"turns": tuple(PROMPT)}, "turns[0]"),
        ({"record": {"parts": [PROMPT[0]["content"]]}}, "record['parts'][0]"),
        (Row(PROMPT), "extra"),
        ({"ids": ARRAY[1:]}, "ids"),
        ({"ids": torch.from_numpy(ARRAY)}, "ids"),
        ({"ids": TENSOR.view(2, 2)}, "ids"),
        ({"ids": TENSOR.numpy()}, "ids"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_the_callers_is_found(row: Any, where: str) -> None:
    """The same object, and another one over the same memory, are found at any depth and named."""
    assert shared(row, ITEM, ARRAY, TENSOR)[0] == where


@pytest.mark.parametrize(
    "row",
    [
        {"messages": [dict(turn) | {"content": "Hi"} for turn in PROMPT]},
        {"ids": ARRAY.copy(), "more": TENSOR.clone()},
        {"weights": torch.tensor([float("nan")], requires_grad=True), "score": float("nan")},
        {"mask": torch.ones(3).to_sparse(), "away": torch.ones(3, device="meta"), "half": torch.ones(3).bfloat16()},
        Row("Hi"),
    ],
    ids=["copied messages", "copied ids", "nan", "odd tensors", "text"],
)
def test_copies_and_values_are_no_sharing(row: Any) -> None:
    """What was copied, or cannot be changed, is the packer's own, and tensors that NumPy cannot see are no error."""
    assert shared(row, ITEM, ARRAY, TENSOR) == []
