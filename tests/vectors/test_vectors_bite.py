"""Vectors are there to be failed: small faults, put into the oracle one at a time, and each is caught by a vector."""

import json
from collections.abc import Callable
from typing import Any

import pytest
import record_faults
import wire_faults
from outcomes import disagreeing

from packer_spec.oracle import authority as ids
from packer_spec.oracle import batching, columns, documents, records, resume
from packer_spec.oracle import identity as canonical
from packer_spec.oracle import routing as batches
from packer_spec.oracle import wire as rows
from packer_spec.vectors import authority, dataflow, identity, routing, sharding, wire, wire_bytes
from packer_spec.vectors import records as record_tables
from packer_spec.vectors import resume as resume_tables

ANSWERS: dict[str, Callable[[Any], Any]] = {
    "authority": authority.answer,
    "dataflow": dataflow.answer,
    "identity": identity.answer,
    "resume": resume_tables.answer,
    "routing": routing.answer,
    "sharding": sharding.answer,
    "wire": wire.answer,
}


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


MUTANTS = [
    ("resume", resume, "following", record_faults.from_worker_zero),
    ("resume", resume, "_reading", record_faults.forgets_aside),
    ("resume", resume, "_reading", record_faults.behind_the_index),
    ("resume", resume, "_slice", record_faults.of_the_world),
    ("resume", resume, "_expect_places", taken),
    ("resume", resume, "_expect_within", taken),
    ("resume", resume, "_expect_fields", taken),
    ("authority", authority, "_value", record_faults.without_tags),
    ("authority", ids, "_ids", record_faults.of_any_sequence),
    ("dataflow", batching, "sequential", record_faults.strictly),
    ("dataflow", batching, "sequential", record_faults.in_order_only),
    ("dataflow", batching, "sequential", record_faults.further),
    ("dataflow", batching, "sequential", record_faults.always_dropping),
    *(("dataflow", batching, "fixed_size", record_faults.with_end(policy)) for policy in ("span", "short", "drop")),
    ("dataflow", batching, "fixed_size", record_faults.rest_kept),
    ("sharding", sharding, "block", record_faults.by_rank_again),
    ("sharding", sharding, "block", record_faults.by_worker_alone),
    ("sharding", sharding, "stream", record_faults.unchecked),
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
    ("routing", batches, "_expect_known", record_faults.known_inclusive),
    ("routing", batches, "_expect_known", record_faults.known_from_two),
    ("routing", batches, "expect_record", taken),
    ("routing", batches, "expect_layout", taken),
    ("routing", batches, "smallest_dtype", record_faults.float_dtype),
    ("routing", routing, "array", record_faults.rounded),
    ("routing", record_tables, "array", record_faults.rounded),
    ("routing", records, "_of", record_faults.own_dtype),
    ("routing", records, "cut", record_faults.python_cut),
    ("routing", records, "joined", record_faults.as_the_first),
    ("routing", records, "expect_layout", taken),
    ("routing", records, "expect_record", taken),
    ("wire", wire_bytes, "bytes_of", wire_faults.big_endian),
    ("wire", wire_bytes, "bytes_of", wire_faults.bfloat16_as_float16),
    ("wire", wire_bytes, "bytes_of", wire_faults.bfloat16_as_float32),
    ("wire", wire_bytes, "bytes_of", wire_faults.through_doubles),
    ("wire", wire_bytes, "bytes_of", wire_faults.one_nan),
    ("wire", wire_bytes, "bytes_of", wire_faults.one_zero),
    ("wire", wire_bytes, "bytes_of", wire_faults.wide_bools),
    ("wire", rows, "_are_settings", wire_faults.any_kwargs),
    ("wire", rows, "_are_settings", wire_faults.any_size),
    ("wire", rows, "_are_shapes", lambda _: True),
    ("wire", rows, "canonical", taken),
    ("wire", rows, "_expect_payload", taken),
    ("wire", rows, "_expect_payload", wire_faults.begins_with_zero),
    ("wire", rows, "_expect_payload", wire_faults.ends_right),
    ("wire", columns, "reassembled", wire_faults.all_ragged),
    ("wire", columns, "reassembled", wire_faults.sorted_columns),
    ("wire", columns, "present", wire_faults.in_order),
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
