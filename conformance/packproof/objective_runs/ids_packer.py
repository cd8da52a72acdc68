"""The packer that an objective under test is given: it shapes ids, and writes down what it was asked."""

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from packer_schemas.routing import FORWARD_REPLAY_BATCH_KEY, MISSING_EXPERT

__all__ = ["Asked", "IdsPacker", "PolicyRow"]

_PAD = 3


@dataclass(frozen=True)
class Asked:
    """One call of `get_policy_input`."""

    sample: Any
    completion: Any
    n_ignore_prefix_tokens: Any
    prompt_ids: Any


class PolicyRow(dict[str, Any]):
    """A policy input whose fields are keys and attributes alike, for objectives read them either way."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


class IdsPacker:
    """A packer without a tokenizer: a text has one id for each character, its code point.

    Batches are `extra_width` columns wider than asked for, `least_width` columns wide at least, and hold what
    `fields(B, W)` gives besides; every policy input has `media` besides. Recorded routing that policy inputs carry is
    filled and put into the batch. `asked` and `batches` are the calls so far and what they gave, `copies` the batches
    as they were then.
    """

    def __init__(
        self,
        *,
        extra_width: int = 0,
        least_width: int = 0,
        fields: Callable[[int, int], Mapping[str, Any]] = lambda *_: {},
        media: Mapping[str, Any] | None = None,
    ) -> None:
        self.extra_width = extra_width
        self.least_width = least_width
        self.fields = fields
        self.media = media or {}
        self.asked: list[Asked] = []
        self.batches: list[dict[str, Any]] = []
        self.copies: list[dict[str, Any]] = []

    def get_policy_input(
        self,
        sample: Any,
        rollout_output: Any,
        n_ignore_prefix_tokens: int = 0,
        *,
        prompt_ids: Sequence[int] | None = None,
    ) -> PolicyRow:
        """One row of prompt and completion; `ValueError` for no prompt ids and for a count out of range."""
        self.asked.append(Asked(sample, rollout_output, n_ignore_prefix_tokens, prompt_ids))
        prompt = _ids(sample.representations["prompt"] if prompt_ids is None else prompt_ids)
        completion, ignored = _ids(rollout_output), int(n_ignore_prefix_tokens)
        if not prompt:
            raise ValueError("the prompt has no ids")
        if not 0 <= ignored <= len(completion):
            raise ValueError(f"n_ignore_prefix_tokens is {ignored}, expected 0 to {len(completion)}")
        mask = [0] * (len(prompt) - 1 + ignored) + [1] * (len(completion) - ignored) + [0]
        return PolicyRow(input_ids=prompt + completion, logprob_masks=mask, forward_routing=None, **self.media)

    def policy_compute_max_len(self, processed_samples: Any) -> int:
        """The longest row."""
        return max(len(row["input_ids"]) for row in processed_samples)

    def policy_collate_fn(self, processed_samples: Any, computed_max_len: int) -> dict[str, Any]:
        """The rows, filled on the right, as tensors; `ValueError` for none."""
        import torch

        if not processed_samples:
            raise ValueError("zero samples")
        width = max(computed_max_len + self.extra_width, self.least_width)
        rows = [(list(row["input_ids"]), list(row["logprob_masks"])) for row in processed_samples]
        batch = {
            "input_ids": torch.tensor([ids + [_PAD] * (width - len(ids)) for ids, _ in rows]),
            "logprob_masks": torch.tensor([mask + [0] * (width - len(mask)) for _, mask in rows], dtype=torch.bool),
            **_routing([row.get("forward_routing") for row in processed_samples], width),
            **self.fields(len(rows), width),
        }
        self.batches.append(batch)
        self.copies.append(copy.deepcopy(batch))
        return batch


def _routing(records: Sequence[Any], width: int) -> dict[str, Any]:
    """The field of recorded routing, where there is any; `ValueError` where only some rows have it."""
    import torch

    lacking = [number for number, one in enumerate(records) if one is None]
    if len(lacking) == len(records):
        return {}
    if lacking:
        raise ValueError(f"policy input {lacking[0]} has no forward_routing, and others have")
    tables = [torch.as_tensor(one).to(torch.int64) for one in records]
    whole = torch.full((len(tables), width, *tables[0].shape[1:]), MISSING_EXPERT)
    for number, table in enumerate(tables):
        whole[number, : len(table)] = table
    return {FORWARD_REPLAY_BATCH_KEY: whole}


def _ids(given: Any) -> list[int]:
    if isinstance(given, str):
        return [ord(one) for one in given]
    return [int(one) for one in given]
