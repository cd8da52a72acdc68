"""Vectors are there to be failed: small faults, put into the oracle one at a time, and each is caught by a vector."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from outcomes import disagreeing

from packer_spec.oracle import documents
from packer_spec.oracle import identity as canonical
from packer_spec.vectors import identity

ANSWERS: dict[str, Callable[[Any], Any]] = {"identity": identity.answer}


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
    monkeypatch.setattr(module, function, fault)
    assert disagreeing(name, ANSWERS[name]) != []
