"""Faults of chapter routing: rows are cut and filled until they fit, and layouts with them; ids out of range pass."""

from typing import Any

from packproof.zoo.member import fault
from packproof.zoo.miniature_routed import MiniatureRouted

__all__: list[str] = []


class _Fitted(MiniatureRouted):
    """Makes records fit before it looks at them, as far as they are records at all."""

    def policy_collate_fn(self, processed_samples: Any, computed_max_len: int) -> dict[str, Any]:
        records = [_read(row.forward_routing) for row in processed_samples]
        own = [one for one in records if one is not None]
        rows = []
        for row, record in zip(processed_samples, records, strict=True):
            fitted = row.forward_routing if record is None else self._fitted(record, len(row.input_ids) - 1, own)
            rows.append(type(row)(row.input_ids, row.logprob_masks, fitted))
        return super().policy_collate_fn(rows, computed_max_len)

    def _fitted(self, record: Any, wanted: int, records: list[Any]) -> Any:
        raise NotImplementedError


def _read(record: Any) -> Any:
    """A record as an array; None for what is none."""
    import numpy as np

    if getattr(record, "ndim", 0) != 3 or getattr(getattr(record, "device", None), "type", "cpu") != "cpu":
        return None
    array = np.asarray(record)
    return array if array.dtype.kind in "iu" else None


def _filled(record: Any, shape: list[int], value: int) -> Any:
    """The record in the corner of an array of this shape, of which the rest holds `value`."""
    import numpy as np

    made = np.full(shape, value, np.int64)
    corner = tuple(slice(0, min(size, own)) for size, own in zip(shape, record.shape, strict=True))
    made[corner] = record[corner]
    return made


@fault("ROUTE-3")
class ShortRecordsFilled(_Fitted):
    """A record with too few rows is filled with zeros behind; had the first row been lost, all are a neighbour's.

    Seen in public trainers, where a short column came out filled with zeros.
    """

    def _fitted(self, record: Any, wanted: int, records: list[Any]) -> Any:
        return _filled(record, [wanted, *record.shape[1:]], 0) if len(record) < wanted else record


@fault("ROUTE-3", report="https://github.com/sgl-project/sglang/issues/20964")
class LongRecordsCut(_Fitted):
    """The rows beyond the last are cut off, always by what is too much, whatever it was that went wrong before.

    Rows cut by one rule for two cases: https://github.com/sgl-project/sglang/issues/20964.
    """

    def _fitted(self, record: Any, wanted: int, records: list[Any]) -> Any:
        return record[:wanted]


@fault("ROUTE-3", report="https://github.com/sgl-project/sglang/pull/26555")
class TruncatedIdsWithTheirOldRecord(_Fitted):
    """Ids and mask were cut and the record was not: of too many rows, the last ones are kept.

    A record that belongs to a text of another length: https://github.com/sgl-project/sglang/pull/26555.
    """

    def _fitted(self, record: Any, wanted: int, records: list[Any]) -> Any:
        return record[len(record) - wanted :] if len(record) > wanted else record


@fault("ROUTE-3")
class RowCountLeftUnsaid(MiniatureRouted):
    """A record of the wrong length is refused in words that name neither number, nor whose record it is."""

    def _check_rows(self, where: str, record: Any, expected: int) -> None:
        if len(record) != expected:
            raise ValueError("the routing does not fit")


@fault("ROUTE-4")
class NegativeIdsTaken(MiniatureRouted):
    """Only the upper side is looked at: -56, which is expert 200 read as int8, goes on to the device."""

    def _check_ids(self, where: str, record: Any) -> None:
        super()._check_ids(where, record.clip(min=-1))


@fault("ROUTE-4")
class NegativeIdsClamped(_Fitted):
    """Numbers below -1 are made -1, as if nothing had been recorded where something went wrong."""

    def _fitted(self, record: Any, wanted: int, records: list[Any]) -> Any:
        return record if record.dtype == "uint8" else record.clip(min=-1)


@fault("ROUTE-4")
class ExpertCountTaken(MiniatureRouted):
    """The number of experts is itself taken for one of them, and only what lies beyond it is refused."""

    def _check_ids(self, where: str, record: Any) -> None:
        for value in record.flatten().tolist():
            if value < -1 or (self.experts is not None and value > self.experts):
                raise ValueError(f"{where} holds {value}, of {self.experts} experts")


@fault("ROUTE-4")
class LastExpertRefused(MiniatureRouted):
    """The last expert is refused, because ids are compared with E - 1 as if they were counted from one."""

    def _check_ids(self, where: str, record: Any) -> None:
        for value in record.flatten().tolist():
            if value < -1 or (self.experts is not None and value >= self.experts - 1):
                raise ValueError(f"{where} holds {value}, of {self.experts} experts")


@fault("ROUTE-4")
class IdsTakenModulo(_Fitted):
    """Ids beyond the number of experts are taken modulo it: another model's record replays somebody's experts."""

    def _fitted(self, record: Any, wanted: int, records: list[Any]) -> Any:
        if self.experts is None:
            return record
        below = record < 0
        taken = record.copy()
        taken[~below] %= self.experts
        return taken


@fault("ROUTE-9")
class LayoutOfTheFirst(_Fitted):
    """The first sample's layers and top_k are used for all: other records are filled and cut into that shape."""

    def _fitted(self, record: Any, wanted: int, records: list[Any]) -> Any:
        same = record.shape[1:] == records[0].shape[1:]
        return record if same else _filled(record, [len(record), *records[0].shape[1:]], -1)


@fault("ROUTE-9")
class LayersBroadcast(_Fitted):
    """A record of one layer beside others of several is repeated for each of them, as broadcasting does by itself."""

    def _fitted(self, record: Any, wanted: int, records: list[Any]) -> Any:
        layers = max(one.shape[1] for one in records)
        return record.repeat(layers, axis=1) if record.shape[1] == 1 else record


@fault("ROUTE-9")
class WidestLayoutForAll(_Fitted):
    """Every record is widened to the most layers and the largest top_k of the batch, with -1 where it has none."""

    def _fitted(self, record: Any, wanted: int, records: list[Any]) -> Any:
        widest = [max(sizes) for sizes in zip(*(one.shape[1:] for one in records), strict=True)]
        return _filled(record, [len(record), *widest], -1)
