"""Batches with records that are to be refused: good ones, with one thing changed in some of the samples."""

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from packer_schemas.plain_array import Array
from packer_schemas.routing_cases import RoutedSample, RoutingBatchCase
from packproof.fitting import Build, Cases
from packproof.routed.broken import broken_rules
from packproof.routed.strategies import FEW, record, sample, samples, shapes
from packproof.vocabulary import Vocabulary

__all__ = ["WRONG_LAYOUTS", "WRONG_ROWS", "WRONG_VALUES"]

_BELOW = ((-2, "int8"), (-56, "int8"), (-128, "int16"), (-(2**63), "int64"))
_EXPERTS = (4, 4, 256)


def _cases(rule: str, build: Build) -> Cases:
    def unfit(case: RoutingBatchCase, _: Any) -> str:
        others = [one for one in broken_rules(case.samples, case.experts) if one != rule]
        return f"its records are for {', '.join(others)} to refuse" if others else ""

    return Cases(build, unfit)


def _batch(model: str | None, made: Sequence[RoutedSample], experts: int | None = None) -> RoutingBatchCase:
    return RoutingBatchCase(model=model, samples=list(made), experts=experts)


def _changed(one: RoutedSample, **changes: Any) -> RoutedSample:
    return one.model_copy(update=changes)


def _array(one: RoutedSample) -> Array:
    assert one.record is not None, "every sample that is changed has a record"
    return one.record


@st.composite
def _wrong_rows(draw: st.DrawFn, model: str | None, vocabulary: Vocabulary) -> RoutingBatchCase:
    """A record that is too long or too short by a few rows, or has none; sometimes it is another sample's."""
    made = draw(samples(vocabulary, FEW, (1, 3), typed=False))
    at = draw(st.integers(0, len(made) - 1))
    array = _array(made[at])
    rows = array.shape[0]
    wrong = draw(st.sampled_from([one for one in (rows + 1, rows - 1, 0, rows + 3) if one >= 0 and one != rows]))
    longer = record(FEW[0], 0, (wrong, *array.shape[1:]))
    made[at] = _changed(made[at], record=longer)
    return _batch(model, made)


@st.composite
def _wrong_values(draw: st.DrawFn, model: str | None, vocabulary: Vocabulary) -> RoutingBatchCase:
    """A number below -1, or on either side of the number of experts, in one place of a record that has rows."""
    experts = draw(st.sampled_from([*_EXPERTS, None]))
    value, dtype = draw(st.sampled_from(_BELOW if experts is None else [(experts + by, "int64") for by in (-1, 0, 1)]))
    made = draw(samples(vocabulary, FEW, (1, 3), typed=False))
    lengths = draw(shapes(least=2))
    at, layout = draw(st.integers(0, len(made) - 1)), _array(made[0]).shape[1:]
    array = record(FEW[0], 0, (sum(lengths) - 1, *layout), dtype)
    place = draw(st.integers(0, len(array.values) - 1))
    values = [*array.values[:place], str(value) if abs(value) > 2**53 else value, *array.values[place + 1 :]]
    array = Array(dtype=dtype, shape=array.shape, values=values)
    made[at] = sample(vocabulary, at + 1, lengths, array)
    return _batch(model, made, experts)


@st.composite
def _wrong_layouts(draw: st.DrawFn, model: str | None, vocabulary: Vocabulary) -> RoutingBatchCase:
    """Two samples and more, one of which has another number of layers, or of top_k, or the two exchanged."""
    made = draw(samples(vocabulary, FEW, (2, 4), typed=False))
    at, array = draw(st.integers(0, len(made) - 1)), _array(made[0])
    layers, top_k = array.shape[1:]
    options = [(layers + 1, top_k), (layers, top_k + 1), (top_k, layers), (1, top_k), (layers, 1)]
    layout = draw(st.sampled_from([one for one in options if one != (layers, top_k)]))
    rows = _array(made[at]).shape[0]
    made[at] = _changed(made[at], record=record(FEW[0], 0, (rows, *layout)))
    return _batch(model, made)


WRONG_ROWS = _cases("ROUTE-3", _wrong_rows)
WRONG_VALUES = _cases("ROUTE-4", _wrong_values)
WRONG_LAYOUTS = _cases("ROUTE-9", _wrong_layouts)
