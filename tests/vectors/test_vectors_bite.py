"""Vectors are there to be failed: small faults, put into the oracle one at a time, and each is caught by a vector."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from outcomes import disagreeing

from packer_spec.oracle import Array, batching, columns, documents, elements, records
from packer_spec.oracle import authority as ids
from packer_spec.oracle import identity as canonical
from packer_spec.oracle import routing as batches
from packer_spec.oracle import wire as rows
from packer_spec.vectors import authority, dataflow, identity, routing, sharding, wire, wire_bytes
from packer_spec.vectors import records as record_tables

ANSWERS: dict[str, Callable[[Any], Any]] = {
    "authority": authority.answer,
    "dataflow": dataflow.answer,
    "identity": identity.answer,
    "routing": routing.answer,
    "sharding": sharding.answer,
    "wire": wire.answer,
}
BYTES_OF = elements.bytes_of


def reads(text: str) -> Any:
    """A text as the json module reads it, where it is not told otherwise."""
    return json.loads(text)


def zero_is_a_float(text: str) -> Any:
    """A reader for which minus zero is always a float."""
    return json.loads(text, parse_int=lambda digits: -0.0 if digits == "-0" else int(digits))


def whole_floats_are_integers(text: str) -> Any:
    """A reader with one type of number."""
    return json.loads(text, parse_float=lambda digits: int(number) if (number := float(digits)) % 1 == 0 else number)


def by_set(where: str, given: Any, fields: dict[str, type]) -> None:
    """Takes whatever has the fields, more among them, of any type."""
    if not set(fields) <= set(given):
        raise ValueError(where, *fields)


def as_far_as_there(where: str, given: Any, fields: dict[str, type]) -> None:
    """Takes whatever has no other fields."""
    if not set(given) <= set(fields):
        raise ValueError(where, *given)


def of_parts_alone(field: str, given: str, fits: str) -> None:
    """Looks at the digests of the parts, and not at that over them."""
    if field != "sha256" and given != fits:
        raise ValueError(field)


def of_all_alone(field: str, given: str, fits: str) -> None:
    """Looks at the digest over the parts, and not at theirs."""
    if field == "sha256" and given != fits:
        raise ValueError(field)


def without_case(field: str, given: str, fits: str) -> None:
    """Compares digests whatever their letters."""
    if given.lower() != fits:
        raise ValueError(field)


def taken(*_: Any) -> None:
    """Refuses nothing."""


def big_endian(dtype: str, value: Any) -> bytes:
    """The higher byte first."""
    return BYTES_OF(dtype, value)[::-1]


def bfloat16_as_float16(dtype: str, value: Any) -> bytes:
    """Through a library that does not know bfloat16."""
    return BYTES_OF("float16" if dtype == "bfloat16" else dtype, value)


def bfloat16_as_float32(dtype: str, value: Any) -> bytes:
    """Twice as many bytes as there should be."""
    return BYTES_OF("float32" if dtype == "bfloat16" else dtype, value)


def through_doubles(dtype: str, value: Any) -> bytes:
    """Integers by way of a double, as in a language with one type of number."""
    return BYTES_OF(dtype, min(int(float(value)), 2**63 - 1) if dtype == "int64" else value)


def one_nan(dtype: str, value: Any) -> bytes:
    """NaNs lose their payload bits."""
    return BYTES_OF(dtype, {"bits": ONE_NAN[dtype]} if isinstance(value, dict) else value)


def one_zero(dtype: str, value: Any) -> bytes:
    """Minus zero becomes zero."""
    return BYTES_OF(dtype, value if isinstance(value, dict) else value or 0)


def wide_bools(dtype: str, value: Any) -> bytes:
    """Bools of four bytes."""
    return BYTES_OF("int32" if dtype == "bool" else dtype, value)


def any_kwargs(mode: Any, kwargs: Any) -> bool:
    """Settings with a kwarg that the constructor does not know."""
    return mode in (None, "pad_to_max_shape", "patchify") and (mode != "patchify" or kwargs.get("patch_dim", 0) >= 1)


def any_size(mode: Any, kwargs: Any) -> bool:
    """Patches of any size, zero among them."""
    return mode in (None, "pad_to_max_shape", "patchify") and not set(kwargs) - {"patch_dim"}


def begins_with_zero(field: str, jagged: rows.Jagged) -> None:
    """Looks at the first offset alone."""
    if jagged.offsets[0] != 0:
        raise ValueError(field, "offsets")


def ends_right(field: str, jagged: rows.Jagged) -> None:
    """Looks at the last offset alone."""
    if jagged.offsets[-1] != len(jagged.values):
        raise ValueError(field, "offsets")


def all_ragged(read: dict[str, columns.Column], tags: Any) -> dict[str, columns.Column]:
    """Rebuilds every ragged column, whatever its name."""
    return {name: rows.decode(name, one, tags) if isinstance(one, rows.Jagged) else one for name, one in read.items()}


def sorted_columns(read: dict[str, columns.Column], tags: Any) -> dict[str, columns.Column]:
    """Gives the columns in the order of their names."""
    return dict(sorted(REASSEMBLED(read, tags).items()))


def in_order(names: Any) -> list[str]:
    """Names in the order in which they were written."""
    return [name for name in names or () if name in rows.PACKED_FIELDS + columns.PER_TOKEN_FIELDS]


def known_inclusive(at: int, record: Array, experts: int | None) -> None:
    """Takes E itself for an expert."""
    EXPECT_KNOWN(at, record, None if experts is None else experts + 1)


def known_from_two(at: int, record: Array, experts: int | None) -> None:
    """Refuses E - 1 too."""
    EXPECT_KNOWN(at, record, None if experts is None else experts - 1)


def float_dtype(values: Any) -> str:
    """Compares as doubles, for which the last integers of int64 are one more."""
    return SMALLEST([float(value) for value in values])


def rounded(given: dict[str, Any]) -> Array:
    """Ids by way of a double."""
    one = ARRAY(given)
    return Array(one.dtype, one.shape, tuple(min(int(float(value)), 2**63 - 1) for value in one.values))


def own_dtype(found: Any, like: Array) -> Array:
    """A cut or joined record keeps the type of the first record."""
    one = OF_ROWS(found, like)
    return Array(like.dtype, one.shape, one.values)


def python_cut(record: Array, start: int, stop: int) -> Array:
    """A slice as Python takes it: no border is a fault."""
    return OF_ROWS(records._rows(record)[start : stop - 1], record)


def without_tags(given: Any) -> Any:
    """A runner that takes tags for maps, and so refuses what they stand for."""
    return given


def of_any_sequence(name: str, given: Any) -> list[int]:
    """Takes what can be walked: a text, or the keys of a map."""
    return IDS_OF(name, [int(one) if isinstance(one, str) else one for one in given])


def strictly(sizes: list[int], settings: batching.Sequential) -> Any:
    """A full budget counts as too full."""
    budget = settings.max_sequence_length
    return SEQUENTIAL(sizes, settings if budget is None else replace(settings, max_sequence_length=max(1, budget - 1)))


def in_order_only(sizes: list[int], settings: batching.Sequential) -> Any:
    """Never looks ahead."""
    return SEQUENTIAL(sizes, replace(settings, lookahead_limit=1))


def further(sizes: list[int], settings: batching.Sequential) -> Any:
    """Looks one sample further than asked."""
    return SEQUENTIAL(sizes, replace(settings, lookahead_limit=settings.lookahead_limit + 1))


def always_dropping(sizes: list[int], settings: batching.Sequential) -> Any:
    """A policy that nobody declared."""
    return SEQUENTIAL(sizes, replace(settings, oversize="drop"))


def with_end(policy: str) -> Callable[..., Any]:
    """One end policy, whatever was asked for."""
    return lambda epochs, size, _, **ends: FIXED(epochs, size, policy, **ends)


def rest_kept(epochs: Any, size: int, policy: str, *, ends: bool, drop_last: bool) -> Any:
    """Has no drop_last."""
    return FIXED(epochs, size, policy, ends=ends)


def by_rank_again(items: Any, shard_rank: int, shard_world_size: int, num_workers: int, *, split: bool) -> Any:
    """Splits by rank what has split itself by rank."""
    return BLOCK(items, shard_rank, shard_world_size, num_workers, split=False)


def by_worker_alone(items: Any, shard_rank: int, shard_world_size: int, num_workers: int, *, split: bool) -> Any:
    """Every rank of a block reads all of it."""
    return BLOCK(items, shard_rank, shard_world_size, num_workers, split=True)


def unchecked(order: Any, dp_rank: int, dp_world_size: int, worker_id: int, num_workers: int) -> list[int]:
    """Counts a rank of -1 from the end."""
    return sharding.streams(order, dp_world_size, num_workers)[dp_rank * num_workers + worker_id]


def as_the_first(found: list[Array | None]) -> Array | None:
    """Joins whatever has a record."""
    return JOINED([one for one in found if one is not None])


IDS_OF = ids._ids
SEQUENTIAL, FIXED, BLOCK = batching.sequential, batching.fixed_size, sharding.block
EXPECT_KNOWN, SMALLEST = batches._expect_known, batches.smallest_dtype
ARRAY, OF_ROWS, JOINED = routing.array, records._of, records.joined
ONE_NAN = {"float16": "7e00", "bfloat16": "7fc0", "float32": "7fc00000", "float64": "7ff8000000000000"}
REASSEMBLED = columns.reassembled

MUTANTS = [
    ("authority", authority, "_value", without_tags),
    ("authority", ids, "_ids", of_any_sequence),
    ("dataflow", batching, "sequential", strictly),
    ("dataflow", batching, "sequential", in_order_only),
    ("dataflow", batching, "sequential", further),
    ("dataflow", batching, "sequential", always_dropping),
    *(("dataflow", batching, "fixed_size", with_end(policy)) for policy in ("span", "short", "drop")),
    ("dataflow", batching, "fixed_size", rest_kept),
    ("sharding", sharding, "block", by_rank_again),
    ("sharding", sharding, "block", by_worker_alone),
    ("sharding", sharding, "stream", unchecked),
    ("identity", documents, "_BYTES", 655),
    ("identity", documents, "_BYTES", 65535),
    ("identity", documents, "_BYTES", 65537),
    ("identity", documents, "_expect_declaration", taken),
    ("identity", documents, "_expect_names", taken),
    ("identity", documents, "_expect_digest", taken),
    ("identity", documents, "_expect_digest", of_parts_alone),
    ("identity", documents, "_expect_digest", of_all_alone),
    ("identity", documents, "_expect_digest", without_case),
    ("identity", documents, "_expect_fields", taken),
    ("identity", documents, "_expect_fields", by_set),
    ("identity", documents, "_expect_fields", as_far_as_there),
    ("identity", canonical, "_LEVELS", 9),
    ("identity", canonical, "_LEVELS", 99),
    ("identity", canonical, "_LEVELS", 101),
    ("identity", canonical, "_DIGITS", 4299),
    ("identity", identity, "value_of_text", reads),
    ("identity", identity, "value_of_text", zero_is_a_float),
    ("identity", identity, "value_of_text", whole_floats_are_integers),
    ("routing", batches, "_expect_known", taken),
    ("routing", batches, "_expect_known", known_inclusive),
    ("routing", batches, "_expect_known", known_from_two),
    ("routing", batches, "expect_record", taken),
    ("routing", batches, "expect_layout", taken),
    ("routing", batches, "smallest_dtype", float_dtype),
    ("routing", routing, "array", rounded),
    ("routing", record_tables, "array", rounded),
    ("routing", records, "_of", own_dtype),
    ("routing", records, "cut", python_cut),
    ("routing", records, "joined", as_the_first),
    ("routing", records, "expect_layout", taken),
    ("routing", records, "expect_record", taken),
    ("wire", wire_bytes, "bytes_of", big_endian),
    ("wire", wire_bytes, "bytes_of", bfloat16_as_float16),
    ("wire", wire_bytes, "bytes_of", bfloat16_as_float32),
    ("wire", wire_bytes, "bytes_of", through_doubles),
    ("wire", wire_bytes, "bytes_of", one_nan),
    ("wire", wire_bytes, "bytes_of", one_zero),
    ("wire", wire_bytes, "bytes_of", wide_bools),
    ("wire", rows, "_are_settings", any_kwargs),
    ("wire", rows, "_are_settings", any_size),
    ("wire", rows, "_are_shapes", lambda _: True),
    ("wire", rows, "canonical", taken),
    ("wire", rows, "_expect_payload", taken),
    ("wire", rows, "_expect_payload", begins_with_zero),
    ("wire", rows, "_expect_payload", ends_right),
    ("wire", columns, "reassembled", all_ragged),
    ("wire", columns, "reassembled", sorted_columns),
    ("wire", columns, "present", in_order),
    ("wire", columns, "PER_TOKEN_FIELDS", ()),
]


@pytest.mark.parametrize("name", ANSWERS)
def test_the_oracle_agrees_with_its_vectors(name: str) -> None:
    """Without a fault nothing disagrees, so that what follows shows the faults."""
    assert disagreeing(name, ANSWERS[name]) == []


@pytest.mark.parametrize(("name", "module", "function", "fault"), MUTANTS)
def test_a_small_fault_is_caught(
    monkeypatch: pytest.MonkeyPatch, name: str, module: Any, function: str, fault: Any
) -> None:
    """An implementation with this one fault disagrees with a vector."""
    assert getattr(module, function) is not fault
    monkeypatch.setattr(module, function, fault)
    assert disagreeing(name, ANSWERS[name]) != []
