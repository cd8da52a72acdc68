"""Steps that carry recorded routing and keep every rule on them, on one page; records are arrays of NumPy."""

from typing import Any

from packproof.zoo.miniature_routed import RoutedRow

__all__ = ["MiniatureSteps"]


class MiniatureSteps:
    """Attaches, cuts, joins and sends records, and asks a batch for them."""

    def shape_policy_input(self, packer: Any, trajectory: Any, n_ignore_prefix_tokens: int = 0) -> Any:
        """The policy input of a trajectory, with its record."""
        info = trajectory.policy_info
        made = packer.get_policy_input(
            trajectory.obs, info["completion_ids"], n_ignore_prefix_tokens, prompt_ids=info["prompt_ids"]
        )
        record = info.get(self._info_key())
        return made if record is None else self._attached(made, record)

    def _info_key(self) -> str:
        return "rollout_routed_experts"

    def _attached(self, made: Any, record: Any) -> Any:
        if not hasattr(made, "forward_routing"):
            raise TypeError(f"{type(made).__name__} has no room for rollout_routed_experts")
        self._check_rows("rollout_routed_experts", record, len(made.input_ids) - 1)
        made.forward_routing = record
        return made

    def _check_rows(self, where: str, record: Any, expected: int) -> None:
        if len(record) != expected:
            raise ValueError(f"{where} has {len(record)} rows, expected {expected}")

    def cut_policy_input(self, policy_input: Any, start: int, end: int) -> Any:
        """The positions `start` to `end - 1`."""
        self._check_borders(start, end, len(policy_input.input_ids))
        record = policy_input.forward_routing
        rows = None if record is None else self._packed([self._cut(_array(record), start, end)])
        return RoutedRow(policy_input.input_ids[start:end], [*policy_input.logprob_masks[start : end - 1], 0], rows)

    def _check_borders(self, start: int, end: int, length: int) -> None:
        if not 0 <= start < end <= length:
            raise ValueError(f"positions {start} to {end} of {length}")

    def _cut(self, rows: Any, start: int, end: int) -> Any:
        return rows[start : end - 1]

    def join_policy_inputs(self, policy_inputs: Any) -> Any:
        """All of them, one behind the other."""
        records = [one.forward_routing for one in policy_inputs]
        self._check_all_or_none(records)
        ids = [id for one in policy_inputs for id in one.input_ids]
        masks = [mark for one in policy_inputs for mark in one.logprob_masks]
        routed = bool(records) and records[0] is not None
        return RoutedRow(ids, masks, self._joined([*map(_array, records)]) if routed else None)

    def _check_all_or_none(self, records: list[Any]) -> None:
        has = [record is not None for record in records]
        if any(has) and not all(has):
            raise ValueError(f"sample {has.index(False)} has no record, and {sum(has)} of {len(has)} do")

    def _joined(self, records: list[Any]) -> Any:
        parts = []
        for at, record in enumerate(records):
            if record.shape[1:] != records[0].shape[1:]:
                raise ValueError(f"sample {at}: {record.shape[1:]}, sample 0: {records[0].shape[1:]}")
            parts += self._border(record) if at else []
            parts.append(record)
        return self._packed(parts)

    def _border(self, record: Any) -> list[Any]:
        """What lies between two records."""
        return [self._missing(record, 1)]

    def _missing(self, record: Any, count: int) -> Any:
        import numpy as np

        return np.full((count, *record.shape[1:]), -1, np.int64)

    def _packed(self, parts: list[Any]) -> Any:
        """The parts as one record, in its smallest type."""
        import numpy as np

        rows = np.concatenate([part.astype(np.int64) for part in parts])
        return rows.astype(self._type(int(rows.max(initial=0))))

    def _type(self, largest: int) -> str:
        return next(f"int{bits}" for bits in (8, 16, 32, 64) if largest < 2 ** (bits - 1))

    def join_turn_routing(
        self, earlier_ids: Any, earlier_record: Any, later_ids: Any, later_record: Any, first_row: int = 0
    ) -> Any:
        """The record of the later turn's ids."""
        shared = self._shared(earlier_ids, later_ids)
        self._check_turns(shared, first_row, len(later_ids))
        if earlier_record is None and later_record is None:
            return None
        if earlier_record is None or later_record is None:
            raise ValueError("one turn of two has no record")
        earlier, later = _array(earlier_record), _array(later_record)
        self._check_rows("the earlier turn", earlier, len(earlier_ids) - 1)
        self._check_rows("the later turn", later, len(later_ids) - 1 - first_row)
        if earlier.shape[1:] != later.shape[1:]:
            raise ValueError(f"the layouts are {earlier.shape[1:]} and {later.shape[1:]}")
        border = self._turn_border(shared, len(earlier_ids), len(later_ids))
        between = self._gap(later, max(0, first_row - border))
        return self._packed([earlier[:border], between, later[max(0, border - first_row) :]])

    def _gap(self, record: Any, count: int) -> Any:
        """Rows that neither turn recorded."""
        return self._missing(record, count)

    def _check_turns(self, shared: int, first_row: int, length: int) -> None:
        if shared == 0:
            raise ValueError("the turns share 0 ids")
        if not 0 <= first_row < length:
            raise ValueError(f"first_row {first_row}, expected 0 to {length - 1}")

    def _shared(self, earlier: Any, later: Any) -> int:
        both = min(len(earlier), len(later))
        return next((at for at in range(both) if earlier[at] != later[at]), both)

    def _turn_border(self, shared: int, earlier: int, later: int) -> int:
        return min(shared, earlier - 1, later - 1)

    def flatten_routing(self, policy_inputs: Any) -> Any:
        """All rows, and the number of rows of each."""
        records = [_array(one.forward_routing) for one in policy_inputs]
        return self._packed(records), [len(record) for record in records]

    def expect_replay_batch(self, batch: Any, layers: int, top_k: int, experts: int | None = None) -> None:
        """Raise `ValueError` unless the batch can be replayed."""
        routing = batch.get("forward_replay_routing")
        if routing is None:
            self._refuse("forward_replay_routing is missing: nothing was recorded, or it was not collated")
            return
        expected = [*batch["input_ids"].shape, layers, top_k]
        if not self._fits(list(routing.shape), expected):
            self._refuse(f"forward_replay_routing is {list(routing.shape)}, expected {expected}")
        self._check_ids(routing.flatten().tolist(), experts)
        if not str(routing.dtype).startswith("torch.int"):
            self._refuse(f"forward_replay_routing is {routing.dtype}")

    def _fits(self, got: list[int], expected: list[int]) -> bool:
        return got == expected

    def _check_ids(self, ids: list[Any], experts: int | None) -> None:
        for id in ids:
            if id < -1 or (experts is not None and id >= experts):
                self._refuse(f"forward_replay_routing holds {id}, of {experts} experts")

    def _refuse(self, message: str) -> None:
        raise ValueError(message)


def _array(record: Any) -> Any:
    import numpy as np

    return np.asarray(record)
