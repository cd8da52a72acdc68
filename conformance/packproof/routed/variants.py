"""Good cases with one thing wrong about them: a rule is tried on all of these, whatever the case that it is given."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from packer_schemas.plain_array import Array
from packer_schemas.routing_cases import RoutedSample, RoutingReplayCase, RoutingTurnsCase

__all__ = ["as_bytes", "mixtures", "wrong_borders", "wrong_layouts", "wrong_records", "wrong_replays", "wrong_turns"]


def wrong_records(samples: Sequence[RoutedSample]) -> Iterator[list[RoutedSample]]:
    """The samples, the last of which is handed over what is no record: a list, floats, bools, other axes, elsewhere."""
    for change in _NO_RECORDS:
        yield [*samples[:-1], change(samples[-1])]


def _retyped(dtype: str) -> Callable[[RoutedSample], RoutedSample]:
    def change(one: RoutedSample) -> RoutedSample:
        array = _record(one)
        values: list[Any] = [int(bool(value)) for value in array.values] if dtype == "bool" else [*array.values]
        return _changed(one, Array(dtype=dtype, shape=array.shape, values=values))

    return change


def _reshaped(shape: Callable[[list[int]], list[int]]) -> Callable[[RoutedSample], RoutedSample]:
    def change(one: RoutedSample) -> RoutedSample:
        array = _record(one)
        return _changed(one, Array(dtype=array.dtype, shape=shape(array.shape), values=array.values))

    return change


def _record(one: RoutedSample) -> Array:
    assert one.record is not None, "every sample that is changed has a record"
    return one.record


def _changed(one: RoutedSample, record: Array | None) -> RoutedSample:
    return one.model_copy(update={"record": record, "container": "tensor"})


_NO_RECORDS: tuple[Callable[[RoutedSample], RoutedSample], ...] = (
    lambda one: one.model_copy(update={"container": "list"}),
    lambda one: one.model_copy(update={"container": "meta tensor"}),
    _retyped("float32"),
    _retyped("float64"),
    _retyped("bool"),
    _reshaped(lambda shape: [shape[0], shape[1] * shape[2]]),
    _reshaped(lambda shape: [*shape, 1]),
    _reshaped(lambda shape: [1, *shape]),
)


def mixtures(samples: Sequence[RoutedSample]) -> Iterator[list[RoutedSample]]:
    """Two samples and more, the first or the last of which has no record."""
    if len(samples) > 1:
        yield [_changed(samples[0], None), *samples[1:]]
        yield [*samples[:-1], _changed(samples[-1], None)]


def wrong_layouts(samples: Sequence[RoutedSample]) -> Iterator[list[RoutedSample]]:
    """Two samples and more, the last of which has one expert more in every place."""
    if len(samples) > 1:
        rows, layers, top_k = _record(samples[-1]).shape
        wider = Array(dtype="int64", shape=[rows, layers, top_k + 1], values=[1] * (rows * layers * (top_k + 1)))
        yield [*samples[:-1], _changed(samples[-1], wider)]


def as_bytes(samples: Sequence[RoutedSample]) -> list[Array]:
    """Records of the layouts of these samples, of bytes with all of their bits in use, in no order."""
    found, ids = [], (255, 0, 3, 200, 128)
    for one in samples:
        count = len(_record(one).values)
        found.append(Array(dtype="uint8", shape=_record(one).shape, values=[ids[at % 5] for at in range(count)]))
    return found


def wrong_borders(start: int, end: int, length: int) -> list[tuple[int, int]]:
    """Borders that no cut of so many positions has, beside two that one has."""
    return [(-1, end), (start, length + 1), (start, start), (end, start), (-1, length)]


def wrong_replays(case: RoutingReplayCase) -> Iterator[RoutingReplayCase]:
    """A batch that fits the model, without its routing, and for models of other layers, top_k, or fewer experts."""
    assert case.routing is not None, "a batch that fits has routing"
    yield case.model_copy(update={"routing": None})
    yield case.model_copy(update={"layers": case.layers + 1})
    yield case.model_copy(update={"top_k": case.top_k + 1})
    yield case.model_copy(update={"width": case.width + 1})
    largest = max(int(one) for one in case.routing.values)
    if largest > 0:
        yield case.model_copy(update={"experts": largest})


def wrong_turns(case: RoutingTurnsCase) -> Iterator[RoutingTurnsCase]:
    """Turns that share nothing, of which one has no record, another number of rows, another layout or first row."""
    earlier, later = case.earlier_record, case.later_record
    assert earlier is not None, "turns that are joined have records"
    assert later is not None, "turns that are joined have records"
    yield case.model_copy(update={"later_ids": [case.earlier_ids[0] + 1, *case.later_ids[1:]]})
    yield case.model_copy(update={"earlier_record": None})
    yield case.model_copy(update={"later_record": None})
    for rows in (earlier.shape[0] + 1, earlier.shape[0] - 1):
        if rows >= 0:
            yield case.model_copy(update={"earlier_record": _resized([rows, *earlier.shape[1:]])})
    yield case.model_copy(update={"later_record": _resized([*later.shape[:2], later.shape[2] + 1])})
    yield case.model_copy(update={"first_row": -1})
    yield case.model_copy(update={"first_row": len(case.later_ids)})


def _resized(shape: list[int]) -> Array:
    count = shape[0] * shape[1] * shape[2]
    return Array(dtype="int64", shape=shape, values=[at % 100 for at in range(count)])
