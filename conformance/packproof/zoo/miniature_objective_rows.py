"""The rows of the miniature objective: policy inputs, a batch and its mask, and what stands beside each prediction."""

import copy
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["FLOAT32_MOST", "MiniatureRows", "ObjectiveRow", "finite"]

FLOAT32_MOST = 3.4028234663852886e38
"""The largest number of the type in which logprobs and advantages are put beside each other."""

Stream = list[Any]


def finite(value: Any, where: str, most: float = sys.float_info.max) -> float:
    """The number; `ValueError` for None, NaN, infinities and what is above `most`."""
    if value is None or not -most <= value <= most:
        raise ValueError(f"{where} is {value}, expected a finite number")
    return float(value)


@dataclass
class ObjectiveRow:
    """A row to be scored: what it is made of, and for each completion id its logprob, its weight and its entry.

    `logprobs` is None where they are absent, and `missing` says at which places then. Of `total` completion ids of the
    trajectory, `entries` has the places of those in this row, -1 for one of a suffix.
    """

    trajectory: int
    obs: Any
    prompt: list[int] | None
    completion: Any
    ignored: int
    filler: bool
    logprobs: Stream | None
    sampled: Stream | None
    entries: list[int]
    total: int
    missing: Any = None
    routing: Any = None


class MiniatureRows:
    """Shapes the rows of trajectories, by a packer or by hand."""

    def __init__(self, packer: Any, kind: str, routing_replay: bool) -> None:
        self.packer = packer
        self.kind = kind
        self.routing_replay = routing_replay

    def _is_filler(self, trajectory: Any) -> bool:
        return bool(trajectory.policy_info.get("filler"))

    def _rows(self, number: int, trajectory: Any) -> list[ObjectiveRow]:
        info = trajectory.policy_info
        rows = self._joined(number, trajectory) if "turns" in info else [self._single(number, trajectory, info)]
        for row in rows:
            self._check_sampled(row)
        return rows

    def _single(self, number: int, trajectory: Any, info: Mapping[str, Any]) -> ObjectiveRow:
        completion = self._completion(trajectory, info)
        count = 0 if isinstance(completion, str) else len(completion)
        return ObjectiveRow(
            trajectory=number,
            obs=trajectory.obs,
            prompt=self._prompt(info),
            completion=completion,
            ignored=info.get("n_ignore_prefix_tokens", 0),
            filler=self._is_filler(trajectory),
            logprobs=info.get("logprobs"),
            sampled=info.get("sampled"),
            entries=list(range(count)),
            total=count,
            missing=info.get("logprobs_missing"),
            routing=info.get("rollout_routed_experts") if self.routing_replay else None,
        )

    def _prompt(self, info: Mapping[str, Any]) -> Any:
        return info.get("prompt_ids")

    def _completion(self, trajectory: Any, info: Mapping[str, Any]) -> Any:
        return info.get("completion_ids", trajectory.completion)

    def _joined(self, number: int, trajectory: Any) -> list[ObjectiveRow]:
        rows: list[ObjectiveRow] = []
        turns, entry = trajectory.policy_info["turns"], 0
        for turn in turns:
            row = self._single(number, trajectory, turn)
            row.entries = [entry + place for place in row.entries]
            row.sampled = [1] * len(row.entries) if row.sampled is None else row.sampled
            entry += len(row.entries)
            last = rows[-1] if rows else None
            if last is not None and self._continues(last, row):
                self._append(last, row)
            else:
                row.ignored = trajectory.policy_info.get("n_ignore_prefix_tokens", 0) if not rows else 0
                rows.append(row)
        first = len(turns[0]["completion_ids"])
        if not 0 <= rows[0].ignored <= first:
            raise ValueError(f"trajectory {number}: n_ignore_prefix_tokens, expected 0 to {first}")
        for row in rows:
            row.total = entry
        return rows

    def _continues(self, last: ObjectiveRow, turn: ObjectiveRow) -> bool:
        so_far = [*(last.prompt or []), *last.completion]
        return turn.prompt is not None and turn.prompt[: len(so_far)] == so_far

    def _append(self, last: ObjectiveRow, turn: ObjectiveRow) -> None:
        suffix = (turn.prompt or [])[len(last.prompt or []) + len(last.completion) :]
        count = len(suffix)
        last.routing = self._joined_routing(last, turn)
        last.completion = [*last.completion, *suffix, *turn.completion]
        if last.logprobs is not None and turn.logprobs is not None:
            last.logprobs = [*last.logprobs, *[None] * count, *turn.logprobs]
        last.sampled = [*(last.sampled or []), *self._suffix_weights(count), *(turn.sampled or [])]
        last.entries = [*last.entries, *[-1] * count, *turn.entries]

    def _joined_routing(self, last: ObjectiveRow, turn: ObjectiveRow) -> Any:
        """Of the row so far all but its last id have experts; those of the rest are in the turn's record."""
        if last.routing is None or turn.routing is None:
            return None
        border = len(last.prompt or []) + len(last.completion) - 1
        return last.routing.new_tensor([*last.routing[:border].tolist(), *turn.routing[border:].tolist()])

    def _suffix_weights(self, count: int) -> list[int]:
        return [0] * count

    def _check_sampled(self, row: ObjectiveRow) -> None:
        if row.sampled is None or isinstance(row.completion, str):
            return
        if len(row.sampled) != len(row.completion) or not set(row.sampled) <= {0, 1}:
            where = f"trajectory {row.trajectory}: sampled"
            raise ValueError(f"{where} is {row.sampled}, expected 0 or 1 for each of {len(row.completion)} ids")

    def _input(self, row: ObjectiveRow) -> Any:
        if self.packer is None:
            self._check_by_hand(row)
            return self._by_hand(list(row.prompt or []), list(row.completion), row.ignored)
        shaped = self._shaped(row)
        if row.routing is not None:
            shaped = copy.copy(shaped)
            shaped.forward_routing = row.routing
        return shaped

    def _shaped(self, row: ObjectiveRow) -> Any:
        return self.packer.get_policy_input(row.obs, row.completion, row.ignored, prompt_ids=row.prompt)

    def _check_by_hand(self, row: ObjectiveRow) -> None:
        where = f"trajectory {row.trajectory}"
        if not row.prompt:
            raise ValueError(f"{where}: record prompt_ids in the rollout, or pass make_objective(packer=...)")
        if isinstance(row.completion, str):
            lacking = "record completion_ids, or pass a packer: text cannot be joined to ids"
            raise ValueError(f"{where}: {lacking}")  # noqa: TRY004  OBJ-3 says which
        if self._has_media(row.obs.representations["prompt"]):
            raise ValueError(f"{where}: its prompt has media; pass a packer, which restores them")
        if not 0 <= row.ignored <= len(row.completion):
            raise ValueError(f"{where}: n_ignore_prefix_tokens, expected 0 to {len(row.completion)}")

    def _has_media(self, prompt: Any) -> bool:
        parts = [part for turn in prompt if isinstance(turn, Mapping) for part in turn["content"]]
        return any(isinstance(part, Mapping) and part.get("type") != "text" for part in parts)

    def _by_hand(self, prompt: list[int], completion: list[int], ignored: int) -> dict[str, Any]:
        mask = [0] * (len(prompt) - 1 + ignored) + [1] * (len(completion) - ignored) + [0]
        return {"input_ids": prompt + completion, "logprob_masks": mask}

    def _batch(self, inputs: Sequence[Any]) -> Mapping[str, Any]:
        import torch

        if self.packer is not None:
            return self.packer.policy_collate_fn(inputs, self.packer.policy_compute_max_len(inputs))
        width = max(len(row["input_ids"]) for row in inputs)
        ids = [self._filled(row["input_ids"], width) for row in inputs]
        masks = [self._filled(row["logprob_masks"], width) for row in inputs]
        return {"input_ids": torch.tensor(ids), "logprob_masks": torch.tensor(masks, dtype=torch.bool)}

    def _filled(self, line: list[int], width: int) -> list[int]:
        return line + [0] * (width - len(line))

    def _mask(self, batch: Mapping[str, Any], rows: list[ObjectiveRow], inputs: Sequence[Any]) -> list[list[bool]]:
        given = batch["logprob_masks"].tolist()
        return [
            [one and self._counts(row, self._completion_place(row, shaped, i)) for i, one in enumerate(line)]
            for row, shaped, line in zip(rows, inputs, given, strict=True)
        ]

    def _counts(self, row: ObjectiveRow, place: int) -> bool:
        """Whether a prediction that the packer selected has weight."""
        sampled = row.sampled is None or not 0 <= place < len(row.sampled) or row.sampled[place] == 1
        return sampled and not row.filler

    def _completion_place(self, row: ObjectiveRow, shaped: Any, position: int) -> int:
        """Of which completion id the prediction made at a position is."""
        ids, mask = shaped["input_ids"], shaped["logprob_masks"]
        count = sum(mask) + row.ignored if isinstance(row.completion, str) else len(row.completion)
        return position - (len(ids) - count - 1)

    def _check_logprobs(self, row: ObjectiveRow, place: int) -> None:
        """Of a row with a selected prediction: there is a logprob for each completion id, and a number for this one."""
        if self.kind != "clipped":
            return
        where = f"trajectory {row.trajectory}: logprobs"
        if row.logprobs is None:
            raise ValueError(f"{where} are absent{f', missing at {row.missing}' if row.missing else ''}")
        if not isinstance(row.completion, str) and len(row.logprobs) != len(row.completion):
            raise ValueError(f"{where} has {len(row.logprobs)} entries for {len(row.completion)} completion ids")
        finite(row.logprobs[place], f"{where}[{place}]", FLOAT32_MOST)

    def _logprob(self, row: ObjectiveRow, place: int) -> float | None:
        known = row.logprobs is not None and 0 <= place < len(row.logprobs)
        return row.logprobs[place] if known and row.logprobs is not None else None
