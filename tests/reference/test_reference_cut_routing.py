"""Policy inputs cut, joined and sent, with their records."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch

from packer_reference.routing import cut_policy_input, flatten_routing, join_policy_inputs
from packer_schemas import RLPolicyInput


@dataclass(frozen=True)
class Frozen:
    """A policy input of another code base, which cannot be written to."""

    input_ids: tuple[int, ...]
    logprob_masks: tuple[int, ...]
    forward_routing: Any = None


class Named(NamedTuple):
    """Another one."""

    input_ids: list[int]
    logprob_masks: list[int]
    forward_routing: Any = None


class Plain:
    """And one with attributes alone."""

    def __init__(self, input_ids: list[int], logprob_masks: list[int], forward_routing: Any = None) -> None:
        self.input_ids, self.logprob_masks, self.forward_routing = input_ids, logprob_masks, forward_routing


def sample(*rows: int, cls: Any = Frozen, dtype: Any = np.int64) -> Any:
    """A sample with a record of one layer and one expert for each position but the last."""
    ids = list(range(110, 111 + len(rows)))
    mask = [0] + [1] * (len(rows) - 1) + [0] * bool(rows)
    made = cls(input_ids=ids, logprob_masks=mask)
    record = np.array(rows, dtype).reshape(-1, 1, 1)
    if cls is RLPolicyInput:
        return made.model_copy(update={"forward_routing": torch.from_numpy(record)})
    return cls(ids, mask, record)


@pytest.mark.parametrize("cls", [Frozen, Named, Plain, RLPolicyInput])
def test_every_class_of_policy_input(cls: Any) -> None:
    """A cut and a join give a policy input of the class that came in, which stays as it was."""
    given = sample(3, 1, 2, cls=cls)
    cut = cut_policy_input(given, 1, 4)
    assert (type(cut), list(cut.input_ids)) == (cls, [111, 112, 113])
    assert (cut.logprob_masks, cut.forward_routing.flatten().tolist()) == ([1, 1, 0], [1, 2])
    joined = join_policy_inputs(iter([given, cut]))
    assert (type(joined), joined.input_ids) == (cls, [110, 111, 112, 113, 111, 112, 113])
    assert joined.logprob_masks == [0, 1, 1, 0, 1, 1, 0]
    assert joined.forward_routing.flatten().tolist() == [3, 1, 2, -1, 1, 2]
    assert (list(given.input_ids), given.forward_routing.flatten().tolist()) == ([110, 111, 112, 113], [3, 1, 2])


def test_the_mask_ends_where_the_cut_does() -> None:
    """The last position of a cut predicts an id that is gone, so that its mask entry is 0."""
    assert cut_policy_input(sample(3, 1, 2), 0, 3).logprob_masks == [0, 1, 0]


def test_without_a_record() -> None:
    """What has no record has none after a cut or a join either."""
    bare = Plain([1, 2], [0, 0])
    assert cut_policy_input(bare, 0, 1).forward_routing is None
    assert join_policy_inputs([bare, bare]).forward_routing is None
    assert flatten_routing([bare, bare]) is None


def test_memory_of_its_own() -> None:
    """Writing into what was cut, joined or flattened does not change the sample."""
    given = sample(3, 1, 2, dtype=np.int8)
    cut_policy_input(given, 0, 4).forward_routing.fill_(9)
    join_policy_inputs([given]).forward_routing.fill_(9)
    sent = flatten_routing([given])
    assert sent is not None
    sent[0].fill_(9)
    assert given.forward_routing.flatten().tolist() == [3, 1, 2]


def test_rows_and_counts() -> None:
    """All rows travel in one array, in the smallest type, and the counts tell them apart, also where there are none."""
    given = [sample(3, -1), sample(), sample(255, dtype=np.uint8)]
    sent = flatten_routing(iter(given))
    assert sent is not None
    rows, counts = sent
    assert (rows.dtype, rows.shape, counts) == (torch.int16, (3, 1, 1), [2, 0, 1])
    assert [part.flatten().tolist() for part in rows.split(counts)] == [[3, -1], [], [255]]


MEDIA = RLPolicyInput(input_ids=[1, 2], logprob_masks=[0, 0], mm_kwargs={"pixel_values": [1]})
OTHER = Plain([1, 2], [0, 0], np.zeros((1, 2, 1), np.int8))
REFUSED: dict[str, tuple[Any, tuple[Any, ...], type[Exception], str]] = {
    "cut of nothing": (cut_policy_input, (sample(3), 1, 1), ValueError, "positions 1 to 1 of 2 input_ids"),
    "cut from the end": (cut_policy_input, (sample(3), -1, 2), ValueError, "positions -1 to 2 of 2"),
    "cut behind the end": (cut_policy_input, (sample(3), 0, 3), ValueError, "positions 0 to 3 of 2"),
    "cut at no number": (cut_policy_input, (sample(3), 0.5, 3), TypeError, "start is 0.5, expected a position"),
    "cut of media": (cut_policy_input, (MEDIA, 0, 1), ValueError, "has mm_kwargs, and media do not follow"),
    "cut of lists": (cut_policy_input, (Plain([1], [0], []), 0, 1), TypeError, "forward_routing is a list"),
    "a row too many": (cut_policy_input, (Plain([1], [0], OTHER.forward_routing), 0, 1), ValueError, "has 1 row, exp"),
    "no samples": (join_policy_inputs, ([],), ValueError, "got 0 policy inputs"),
    "join of media": (join_policy_inputs, ([MEDIA],), ValueError, "has mm_kwargs"),
    "join of a mixture": (
        join_policy_inputs,
        ([sample(3), Plain([1], [0])],),
        ValueError,
        "sample 1 carries no",
    ),
    "join of layouts": (
        join_policy_inputs,
        ([sample(3), OTHER],),
        ValueError,
        r"sample 1, .* \[2, 1\], sample 0",
    ),
    "below -1": (join_policy_inputs, ([sample(-56)],), ValueError, "sample 0, forward_routing holds -56"),
    "sent as a mixture": (flatten_routing, ([Plain([1], [0]), sample(3)],), ValueError, "sample 0 carries no"),
    "sent in two layouts": (
        flatten_routing,
        ([sample(3), OTHER],),
        ValueError,
        r"sample 1, .* \[2, 1\], sample 0",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    """What cannot be cut, joined or sent with its record is refused, naming what was found."""
    run, given, kind, text = REFUSED[name]
    with pytest.raises(kind, match=text):
        run(*given)
