"""A packer whose policy inputs carry recorded routing, on one page, in steps that a fault can replace one by one."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packproof.zoo.miniature import MiniaturePacker

__all__ = ["MiniatureRouted", "RoutedRow"]

_TYPES = ("int8", "int16", "int32", "int64", "uint8")


@dataclass
class RoutedRow:
    """A policy input with room for a record."""

    input_ids: list[int]
    logprob_masks: list[Any]
    forward_routing: Any = None


class MiniatureRouted(MiniaturePacker):
    """Keeps every rule on recorded routing that binds a packer; it reads how many experts its model has."""

    experts: int | None = None

    def _load(self, name_or_path: str, trust_remote_code: bool) -> Any:
        file = Path(name_or_path, "config.json")
        if file.is_file():
            self.experts = json.loads(file.read_text(encoding="utf-8")).get("num_experts")
        return super()._load(name_or_path, trust_remote_code)

    def _row(self, prompt: list[int], completion: list[int], ignored: int) -> Any:
        return RoutedRow(**super()._row(prompt, completion, ignored))

    def policy_compute_max_len(self, processed_samples: Any) -> int:
        """The longest row."""
        return super().policy_compute_max_len([vars(row) for row in processed_samples])

    def policy_collate_fn(self, processed_samples: Any, computed_max_len: int) -> dict[str, Any]:
        """The rows as tensors, and their records, if they have any."""
        batch = super().policy_collate_fn([vars(row) for row in processed_samples], computed_max_len)
        if self._is_routed([row.forward_routing for row in processed_samples]):
            records = [self._record(at, row) for at, row in enumerate(processed_samples)]
            self._check_layouts(records)
            batch[self._key()] = self._laid_out(records, computed_max_len)
        return batch

    def _key(self) -> str:
        return "forward_replay_routing"

    def _is_routed(self, records: list[Any]) -> bool:
        has = [record is not None for record in records]
        if any(has) and not all(has):
            raise ValueError(f"sample {has.index(False)} has no forward_routing, and {sum(has)} of {len(has)} do")
        return any(has)

    def _record(self, at: int, row: Any) -> Any:
        """The record of one sample, checked, as an array."""
        where = f"sample {at}, forward_routing"
        record = self._array(where, row.forward_routing)
        self._check_rows(where, record, len(row.input_ids) - 1)
        self._check_ids(where, record)
        return record

    def _array(self, where: str, record: Any) -> Any:
        import numpy as np
        import torch

        if isinstance(record, torch.Tensor):
            self._check_place(where, record)
            record = record.numpy()
        if not isinstance(record, np.ndarray) or record.dtype.name not in _TYPES:
            raise TypeError(f"{where} is {getattr(record, 'dtype', type(record).__name__)}, expected integers")
        if record.ndim != 3:
            raise ValueError(f"{where} has {record.ndim} axes, expected [rows, layers, top_k]")
        return record

    def _check_place(self, where: str, record: Any) -> None:
        if record.device.type != "cpu":
            raise ValueError(f"{where} lies on {record.device}")

    def _check_rows(self, where: str, record: Any, expected: int) -> None:
        if len(record) != expected:
            raise ValueError(f"{where} has {len(record)} rows, expected {expected}")

    def _check_ids(self, where: str, record: Any) -> None:
        for value in record.flatten().tolist():
            if value < -1 or (self.experts is not None and value >= self.experts):
                raise ValueError(f"{where} holds {value}, of {self.experts} experts")

    def _check_layouts(self, records: list[Any]) -> None:
        layouts = [list(record.shape[1:]) for record in records]
        for at, layout in enumerate(layouts):
            if layout != layouts[0]:
                raise ValueError(f"sample {at} has the layers and top_k {layout}, sample 0 has {layouts[0]}")

    def _laid_out(self, records: list[Any], width: int) -> Any:
        """The records, each at the beginning of its row."""
        import torch

        made = self._empty(records, width)
        for row, record in zip(made, records, strict=True):
            self._place(row, self._values(record))
        return torch.from_numpy(made)

    def _empty(self, records: list[Any], width: int) -> Any:
        import numpy as np

        return np.full((len(records), width, *records[0].shape[1:]), self._filler(), self._type(records))

    def _filler(self) -> int:
        return -1

    def _type(self, records: list[Any]) -> str:
        largest = max(int(record.max(initial=0)) for record in records)
        return next(f"int{bits}" for bits in (8, 16, 32, 64) if largest < 2 ** (bits - 1))

    def _values(self, record: Any) -> Any:
        return record

    def _place(self, row: Any, record: Any) -> None:
        row[: len(record)] = record
