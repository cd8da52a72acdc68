"""Faults of chapter routing: other names, records that are taken unseen, mixtures that are made to fit."""

import warnings
from typing import Any

from packproof.zoo.member import fault
from packproof.zoo.miniature_routed import MiniatureRouted

__all__: list[str] = []


@fault("ROUTE-1")
class RoutingUnderItsOwnName(MiniatureRouted):
    """The batch holds the records under `routed_experts`, the engine's word for them, where no model looks."""

    def _key(self) -> str:
        return "routed_experts"


@fault("ROUTE-1")
class RoutingUnderTwoNames(MiniatureRouted):
    """The records stand under the declared key and, for older trainers, under an alias that somebody may write into."""

    def policy_collate_fn(self, processed_samples: Any, computed_max_len: int) -> dict[str, Any]:
        batch = super().policy_collate_fn(processed_samples, computed_max_len)
        return batch | ({"routing": batch[self._key()].clone()} if self._key() in batch else {})


@fault("ROUTE-1")
class RoutingLeftOutOfTheBatch(MiniatureRouted):
    """Ids and mask are collated and the records are checked, and then nobody adds them: replay finds nothing."""

    def policy_collate_fn(self, processed_samples: Any, computed_max_len: int) -> dict[str, Any]:
        batch = super().policy_collate_fn(processed_samples, computed_max_len)
        batch.pop(self._key(), None)
        return batch


@fault("ROUTE-1")
class RoutingAliasRead(MiniatureRouted):
    """A policy input without `forward_routing` is asked for `routed_experts`, which another stage may have left."""

    def policy_collate_fn(self, processed_samples: Any, computed_max_len: int) -> dict[str, Any]:
        for row in processed_samples:
            if row.forward_routing is None:
                row.forward_routing = getattr(row, "routed_experts", None)
        rows = [type(row)(row.input_ids, row.logprob_masks, row.forward_routing) for row in processed_samples]
        return super().policy_collate_fn(rows, computed_max_len)


@fault("ROUTE-2")
class ListsMadeRecords(MiniatureRouted):
    """Whatever comes is made an array, so that lists pass, and with them whatever else looks like numbers."""

    def _array(self, where: str, record: Any) -> Any:
        import numpy as np

        return super()._array(where, np.array(record, np.int64) if isinstance(record, list) else record)


@fault("ROUTE-2")
class FloatsMadeRecords(MiniatureRouted):
    """Floats are cast to integers: a record that went through half precision passes, and its ids are other ones."""

    def _array(self, where: str, record: Any) -> Any:
        import torch

        if isinstance(record, torch.Tensor) and record.is_floating_point():
            record = record.long()
        return super()._array(where, record)


@fault("ROUTE-2")
class BoolsMadeRecords(MiniatureRouted):
    """A mask of chosen experts, true or false, is taken for their ids, of which there are then two."""

    def _array(self, where: str, record: Any) -> Any:
        import torch

        boolean = isinstance(record, torch.Tensor) and record.dtype == torch.bool
        return super()._array(where, record.to(torch.uint8) if boolean else record)


@fault("ROUTE-2")
class FlatRecordsTaken(MiniatureRouted):
    """Records of two axes are taken for those of one layer, so a cut on the wrong axis has the right shape again."""

    def _array(self, where: str, record: Any) -> Any:
        return super()._array(where, record[:, None] if getattr(record, "ndim", 0) == 2 else record)


@fault("ROUTE-2")
class RecordsFetchedFromDevices(MiniatureRouted):
    """A record that lies on another device is replaced by an empty one of its shape, instead of being refused."""

    def _check_place(self, where: str, record: Any) -> None:
        pass

    def _array(self, where: str, record: Any) -> Any:
        import torch

        moved = isinstance(record, torch.Tensor) and record.device.type != "cpu"
        return super()._array(where, torch.zeros(record.shape, dtype=record.dtype) if moved else record)


@fault("ROUTE-2")
class ArraysRefused(MiniatureRouted):
    """Only tensors are taken, though arrays of NumPy are what engines and wires hand over."""

    def _array(self, where: str, record: Any) -> Any:
        if type(record).__module__ == "numpy":
            raise TypeError(f"{where} is an array, expected a tensor")
        return super()._array(where, record)


@fault("ROUTE-8")
class MixtureFilled(MiniatureRouted):
    """Samples without a record get one of -1 throughout beside those that have one: half of the batch is replayed."""

    def policy_collate_fn(self, processed_samples: Any, computed_max_len: int) -> dict[str, Any]:
        import numpy as np

        has = [row for row in processed_samples if row.forward_routing is not None]
        rows = []
        for row in processed_samples:
            made = type(row)(row.input_ids, row.logprob_masks, row.forward_routing)
            if has and row.forward_routing is None:
                made.forward_routing = np.full((len(row.input_ids) - 1, *has[0].forward_routing.shape[1:]), -1)
            rows.append(made)
        return super().policy_collate_fn(rows, computed_max_len)


@fault("ROUTE-8")
class FirstSampleDecides(MiniatureRouted):
    """Whether the batch is routed is asked of sample 0 alone; where that one has no record, the others lose theirs."""

    def _is_routed(self, records: list[Any]) -> bool:
        return records[0] is not None and super()._is_routed(records)


@fault("ROUTE-8")
class MixtureDropped(MiniatureRouted):
    """In a mixture all records are dropped with a warning that nobody reads, and the run goes on without replay."""

    def _is_routed(self, records: list[Any]) -> bool:
        if None in [record is not None or None for record in records] and any(one is not None for one in records):
            warnings.warn("some samples have no routing; dropped", stacklevel=2)
            return False
        return super()._is_routed(records)


@fault("ROUTE-8")
class KeyWithoutRouting(MiniatureRouted):
    """A batch without records has the key all the same, with None under it, which is neither routing nor absence."""

    def policy_collate_fn(self, processed_samples: Any, computed_max_len: int) -> dict[str, Any]:
        return {self._key(): None} | super().policy_collate_fn(processed_samples, computed_max_len)
