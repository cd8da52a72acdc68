"""The slow oracle against what it does not share code with: the json module, doubles, and its own way back."""

import itertools
import json
import math
import random
from typing import Any

import pytest

from packer_spec.oracle import Array, identity, partition, records, sharding, wire
from packer_spec.oracle.typed_values import value_of

VALUES = [
    None,
    True,
    [1, 1.0, -0.0, 1e16, 1e15, 1e-5, 1e-4, 5e-324, 1.7976931348623157e308, 2**64, -(2**70)],
    {"b": {"d": [], "c": {}}, "a": '\x00\x1f\x7f\u2028\u00e9\U0001f600"\\/', "": None},
    {"\U0001f600": 1, "\ufb33": 2, "\ud7ff": 3, "z": 4, "Z": 5},
]


def by_json(value: object) -> str:
    """The canonical text as the json module writes it, which the chapter allows once the refusals are made."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


@pytest.mark.parametrize("value", VALUES, ids=range(len(VALUES)))
def test_canonical_text_is_what_the_json_module_writes(value: object) -> None:
    """The serialiser written by hand and the one of the standard library agree on every kind of value."""
    assert identity.canonical(value) == by_json(value)


def test_canonical_floats_agree_over_all_magnitudes() -> None:
    """Two thousand doubles of every magnitude, drawn with a fixed seed, are written alike by hand and by json."""
    draw = random.Random(20)
    for exponent in range(-1000, 1000):
        number = math.ldexp(draw.uniform(-1, 1), exponent)
        assert identity.canonical(number) == by_json(number)
        assert float(identity.canonical(number)) == number


@pytest.mark.parametrize("value", [(1,), {1}, b"a", object(), {1: "a"}, {True: 1}, {"a": (1,)}, float("inf"), "\ud800"])
def test_what_has_no_canonical_form_is_refused(value: object) -> None:
    """Tuples, sets, bytes, objects, keys that are no strings, infinities and lone surrogates are refused."""
    with pytest.raises((ValueError, TypeError)):
        identity.canonical(value)


def test_an_unknown_tag_is_an_error() -> None:
    """A tagged value with a tag that there is not is no value."""
    with pytest.raises(KeyError, match="tuple"):
        value_of({"tuple": []})


def test_ranks_are_all_given_out_and_near_their_shares() -> None:
    """In every small world three small ratios get all ranks, one each at least, and within one of what is their due."""
    for world in range(3, 9):
        for ratios in ([("a", a), ("b", b), ("c", 4)] for a in range(1, 12) for b in range(1, 12)):
            counts = dict(partition.rank_counts(ratios, world))
            assert sum(counts.values()) == world
            assert min(counts.values()) >= 1
            for name, ratio in ratios:
                assert counts[name] == 1 or abs(counts[name] - ratio * world / (ratios[0][1] + ratios[1][1] + 4)) <= 1


@pytest.mark.parametrize("ratio", [float("nan"), float("inf"), -0.5, "1", True, None])
def test_what_is_no_ratio_is_refused_by_name(ratio: Any) -> None:
    """A ratio that is no finite number from zero is refused with the name of its set."""
    with pytest.raises(ValueError, match="the ratio of b is"):
        partition.rank_counts([("a", 1), ("b", ratio)], 4)


@pytest.mark.parametrize(("world", "workers"), [(1, 1), (2, 3), (4, 1)])
def test_streams_are_slices_of_the_order(world: int, workers: int) -> None:
    """Stream s is the order from place s in steps of the number of streams, and together they are the order."""
    order = list(range(50, 73))
    found = sharding.streams(order, world, workers)
    assert found == [order[start :: world * workers] for start in range(world * workers)]
    assert sorted(item for items in found for item in items) == order


def test_an_array_fills_its_shape() -> None:
    """Values that do not fill the shape are refused."""
    with pytest.raises(ValueError, match=r"3 values do not fill the shape \[2, 2\]"):
        Array("int8", (2, 2), (1, 2, 3))


def test_the_wire_leads_back() -> None:
    """Whatever is encoded is decoded to the same rows, empty rows and empty segments among them."""
    segments = [Array("int64", shape, tuple(range(math.prod(shape)))) for shape in ((1, 2), (2, 2), (0, 3), (3,))]
    draw = random.Random(7)
    for _ in range(200):
        rows = tuple(tuple(draw.choices(segments, k=draw.randrange(3))) for _ in range(draw.randrange(1, 5)))
        packed = wire.Packed(rows, "patchify", {"patch_dim": 2})
        jagged, tags = wire.encode("pixel_values", packed, len(rows))
        assert (jagged is None) == (tags is None) == (not any(rows))
        if jagged is not None:
            assert wire.decode("pixel_values", jagged, tags) == packed


def test_any_rows_of_the_wire_lead_back_to_the_same_rows() -> None:
    """Rows of a payload, selected, repeated and reordered together with their tags, are those rows of the value."""
    rows = tuple((Array("int64", (1, 2), (at, at + 1)),) * (at % 3) for at in range(6))
    jagged, tags = wire.encode("num_frames", wire.Packed(rows), len(rows))
    assert jagged is not None
    assert tags is not None
    draw = random.Random(3)
    for _ in range(50):
        chosen = draw.choices(range(6), k=draw.randrange(1, 5))
        pieces = [jagged.values[jagged.offsets[at] : jagged.offsets[at + 1]] for at in chosen]
        offsets = tuple(itertools.accumulate((len(piece) for piece in pieces), initial=0))
        selected = wire.Jagged(jagged.dtype, tuple(itertools.chain(*pieces)), offsets)
        again = wire.decode("num_frames", selected, [tags[at] for at in chosen])
        assert again.rows == tuple(rows[at] for at in chosen)


def test_a_cut_of_a_join_is_what_was_joined() -> None:
    """A record joined of several gives each of them back when it is cut at their borders."""
    parts = [Array("int8", (rows, 2, 1), tuple(range(10 * rows, 12 * rows))) for rows in (2, 0, 3)]
    whole = records.joined(parts)
    assert whole is not None
    assert whole.shape == (7, 2, 1)
    start = 0
    for part in parts:
        stop = start + part.shape[0] + 1
        assert records.cut(whole, start, stop) == part
        start = stop
