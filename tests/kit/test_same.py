"""When the kit takes two values of a packer for the same: by type and content, and NaN is itself."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch

from packproof.same import same


@dataclass(slots=True)
class Slotted:
    """Keeps its one value in a slot."""

    value: Any


class Plain:
    """Knows no equality."""

    def __init__(self, value: Any) -> None:
        self.value = value


NAN = float("nan")


@pytest.mark.parametrize(
    "make",
    [
        lambda: NAN * 1,
        lambda: np.float32("nan"),
        lambda: torch.tensor([1.0, NAN]),
        lambda: np.array([[NAN, 2.0]]),
        lambda: {"a": [torch.tensor(1), (NAN * 1,)]},
        lambda: Slotted(torch.tensor([1, 2])),
        lambda: Plain(Slotted([np.arange(3)])),
        object,
    ],
    ids=["nan", "numpy nan", "tensor", "array", "nested", "slots", "attributes", "nothing to tell"],
)
def test_two_made_alike_are_the_same(make):
    """Values made twice in the same way are the same, NaN, tensors and objects without equality too."""
    assert same(make(), make())


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (1, True),
        (1, 1.0),
        ([1], (1,)),
        (torch.tensor([1]), torch.tensor([1], dtype=torch.int32)),
        (torch.tensor([1]), torch.tensor([[1]])),
        (torch.tensor([NAN]), torch.tensor([0.0])),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        (Slotted(1), Slotted(2)),
        (Plain([Slotted(1)]), Plain([Slotted(2)])),
    ],
)
def test_two_that_differ_somewhere_are_not(first, second):
    """A type, a dtype, a shape, the order of keys, or a slot deep inside is enough to differ."""
    assert not same(first, second)
