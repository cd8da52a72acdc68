"""Which containers and numbers count as token ids."""

import enum
import marshal

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from packer_reference.token_ids import _all_plain, token_ids

IDS = [0, 1, 2, 255, 256, 151_935, 2**31 - 1, 2**31, 2**40]


class Token(enum.IntEnum):
    """Ids by name, as some projects keep them."""

    BOS = 1


CONTAINERS = {
    "list": list,
    "tuple": tuple,
    "numpy int64": lambda ids: np.array(ids, np.int64),
    "numpy uint64": lambda ids: np.array(ids, np.uint64),
    "strided numpy": lambda ids: np.array([ids, ids], np.int64).T[:, 0],
    "list of numpy int64": lambda ids: [np.int64(i) for i in ids],
    "mixed list": lambda ids: [np.int64(i) if i % 2 else i for i in ids],
    "tensor int64": lambda ids: torch.tensor(ids, dtype=torch.int64),
}


@pytest.mark.parametrize("container", CONTAINERS)
def test_containers(container: str) -> None:
    """Every container gives the same plain ints, also at the borders of small integer types."""
    got = token_ids(CONTAINERS[container](IDS), "ids")
    assert got == IDS
    assert {type(i) for i in got} == {int}


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.uint32])
def test_narrow_arrays(dtype: type) -> None:
    """Arrays, tensors and lists of narrow integers are ids too, without overflow warnings."""
    ids = [0, 1, 100, 100, 100, 127]
    assert token_ids(np.array(ids, dtype), "ids") == ids
    assert token_ids(torch.from_numpy(np.array(ids, dtype)), "ids") == ids
    assert token_ids(list(np.array(ids, dtype)), "ids") == ids


def test_int_subclass_becomes_plain() -> None:
    """A named id comes out as a plain int."""
    assert [type(i) for i in token_ids([5, Token.BOS], "ids")] == [int, int]


@pytest.mark.parametrize("empty", [[], (), np.array([], np.int32), torch.tensor([], dtype=torch.int64)])
def test_empty(empty: object) -> None:
    """No ids are an empty list: whether that is allowed is the caller's rule."""
    assert token_ids(empty, "ids") == []


def test_result_is_a_new_list() -> None:
    """Writing to the result leaves the argument alone."""
    given_ids, given_array = [1, 2], np.array([1, 2])
    token_ids(given_ids, "ids").append(9)
    token_ids(given_array, "ids")[0] = 9
    assert given_ids == [1, 2]
    assert given_array.tolist() == [1, 2]


BAD_ELEMENTS = {
    "True": (True, TypeError),
    "False": (False, TypeError),
    "numpy bool": (np.True_, TypeError),
    "float": (1.5, TypeError),
    "whole float": (2.0, TypeError),
    "numpy float": (np.float64(2), TypeError),
    "nan": (float("nan"), TypeError),
    "None": (None, TypeError),
    "str": ("7", TypeError),
    "list": ([7], TypeError),
    "negative": (-1, ValueError),
    "negative numpy": (np.int64(-5), ValueError),
    "most negative": (-(2**31), ValueError),
    "too large": (2**63, ValueError),
}


@pytest.mark.parametrize("wrap", [list, tuple])
@pytest.mark.parametrize("name", BAD_ELEMENTS)
def test_bad_elements(name: str, wrap: type) -> None:
    """An element that is no id is refused with field and position, even among thousands of good ones."""
    bad, kind = BAD_ELEMENTS[name]
    ids = [*range(3000)]
    ids[1234] = bad
    with pytest.raises(kind, match=r"prompt_ids\[1234\] is .*expected a token id|prompt_ids\[1234\].*does not fit"):
        token_ids(wrap(ids), "prompt_ids")


BAD_CONTAINERS = {
    "str": ("12", TypeError, "str '12'"),
    "bytes": (b"12", TypeError, "bytes"),
    "None": (None, TypeError, "NoneType None"),
    "int": (7, TypeError, "int 7"),
    "dict": ({1: 2}, TypeError, "dict"),
    "set": ({1, 2}, TypeError, "set"),
    "generator": ((i for i in [1]), TypeError, "generator"),
    "float array": (np.array([1.0]), TypeError, "float64"),
    "bool array": (np.array([True]), TypeError, "bool"),
    "object array": (np.array([1], object), TypeError, "object"),
    "2-d array": (np.array([[1, 2]]), ValueError, r"shape \[1, 2\]"),
    "0-d array": (np.array(3), ValueError, r"shape \[\]"),
    "negative array": (np.array([3, -1]), ValueError, r"ids\[1\] is -1"),
    "float tensor": (torch.tensor([1.0]), TypeError, "float32"),
    "bool tensor": (torch.tensor([True]), TypeError, "bool"),
    "2-d tensor": (torch.tensor([[1, 2]]), ValueError, r"shape \[1, 2\]"),
    "negative tensor": (torch.tensor([-1]), ValueError, r"ids\[0\] is -1"),
    "list of tensors": ([torch.tensor(1)], TypeError, r"ids\[0\]"),
}


@pytest.mark.parametrize("name", BAD_CONTAINERS)
def test_bad_containers(name: str) -> None:
    """What is no container of ids is refused by name."""
    bad, kind, text = BAD_CONTAINERS[name]
    with pytest.raises(kind, match=text):
        token_ids(bad, "ids")


_ints = st.integers(-(2**33), 2**33)
_others = st.one_of(
    st.booleans(), st.floats(), st.none(), st.text(max_size=3), st.just(Token.BOS), st.binary(max_size=3)
)


@given(st.lists(st.one_of(st.integers(0, 2**31 - 1), _ints, _others), max_size=12))
def test_fast_check_agrees_with_the_plain_one(values: list[object]) -> None:
    """The fast check says yes exactly for lists of plain ints from 0 to 2**31 - 1."""
    assert _all_plain(values) == all(type(v) is int and 0 <= v < 2**31 for v in values)


def test_fast_path_is_taken() -> None:
    """The dump format that the fast check reads is the one this Python writes."""
    assert marshal.dumps([105, 2**31 - 1], 2)[5:] == b"i\x69\0\0\0i\xff\xff\xff\x7f"
    assert _all_plain([0, 105, 151_935])
