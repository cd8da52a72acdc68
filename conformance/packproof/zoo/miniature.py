"""A packer that keeps every rule, on one page, in steps small enough for a fault to replace just one of them.

It shares nothing with the reference implementation: two packers written apart have to agree with the checks before a
planted fault proves anything. Policy inputs are plain dictionaries.
"""

import numbers
from collections.abc import Mapping, Sequence
from typing import Any

from packproof.zoo.tokenizers import own_tokenizer

__all__ = ["MiniaturePacker", "Row"]

Row = dict[str, Any]
"""A policy input: `input_ids` and `logprob_masks`, lists of length L."""


class MiniaturePacker:
    """Has every capability of the core level and, as it stands, no fault."""

    def __init__(self) -> None:
        self.tokenizer: Any = None

    def setup(self, name_or_path: str, trust_remote_code: bool = False) -> None:
        """Load the tokenizer of the model; `ValueError` for an empty name."""
        self._check_name(name_or_path)
        self.tokenizer = self._load(name_or_path, trust_remote_code)
        self._settle_pad()

    def _check_name(self, name_or_path: str) -> None:
        if not name_or_path:
            raise ValueError("setup: the model name is empty")

    def _load(self, name_or_path: str, trust_remote_code: bool) -> Any:
        return own_tokenizer(name_or_path, trust_remote_code)

    def _settle_pad(self) -> None:
        if self.tokenizer.pad_token_id is None:
            self.tokenizer.pad_token = self.tokenizer.eos_token

    def save_state(self, dest_path: str) -> None:
        """Write what `setup` needs."""
        self.tokenizer.save_pretrained(dest_path)

    def adds_special_tokens(self) -> bool:
        """Whether a plain tokenizer call adds special tokens."""
        return self.tokenizer("a").input_ids != self.tokenizer("a", add_special_tokens=False).input_ids

    def assert_no_special_tokens(self) -> None:
        """Raise `ValueError` when it does."""
        if self.adds_special_tokens():
            raise ValueError("the tokenizer adds special tokens by default")

    def get_rollout_input(self, item: Any) -> str:
        """The text that the engine continues."""
        return self._render(item.representations["prompt"])

    def _render(self, prompt: Any) -> str:
        if isinstance(prompt, str):
            return prompt
        self._check_conversation(prompt)
        return self._apply_template(prompt)

    def _check_conversation(self, prompt: Any) -> None:
        turns = prompt if isinstance(prompt, list) and prompt else [None]
        if not all(isinstance(turn, Mapping) and {"role", "content"} <= set(turn) for turn in turns):
            raise TypeError(f"the prompt is neither a string nor a conversation: {prompt!r}")

    def _apply_template(self, turns: Any) -> str:
        return self.tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)

    def get_pretokenized_rollout_input(self, item: Any, token_ids: Sequence[int]) -> dict[str, Any]:
        """The exact ids that the engine continues."""
        return {"prompt_token_ids": list(token_ids)}

    def rollout_collate_fn(self, items: Any) -> Any:
        """The rollout inputs as they are."""
        return list(items)

    def get_rollout_output(self, completions: Any, *args: Any, **kwargs: Any) -> Any:
        """The completions as they are."""
        return list(completions)

    def batch_size(self, batch: Any) -> int:
        """Number of samples."""
        return len(batch)

    def slice_batch(self, batch: Any, start: int, end: int) -> Any:
        """Samples `start` to `end`."""
        return batch[start:end]

    def get_policy_input(
        self, sample: Any, rollout_output: Any, n_ignore_prefix_tokens: int = 0, *, prompt_ids: Any = None
    ) -> Row:
        """One row: prompt, completion and the mask over its predictions."""
        prompt = self._text_prompt_ids(sample) if prompt_ids is None else self._stored_ids(prompt_ids)
        completion = self._completion_ids(rollout_output)
        self._check_ignored(n_ignore_prefix_tokens, len(completion))
        return self._row(prompt, completion, n_ignore_prefix_tokens)

    def _stored_ids(self, given: Any) -> list[int]:
        return self._not_empty(self._ids(given))

    def _text_prompt_ids(self, sample: Any) -> list[int]:
        return self._not_empty(self._encode(self._render(sample.representations["prompt"])))

    def _not_empty(self, prompt: list[int]) -> list[int]:
        if not prompt:
            raise ValueError("the prompt has no ids")
        return prompt

    def _completion_ids(self, given: Any) -> list[int]:
        return self._encode(given) if isinstance(given, str) else self._ids(given)

    def _encode(self, text: str) -> list[int]:
        return list(self.tokenizer(text, add_special_tokens=False).input_ids)

    def _ids(self, given: Any) -> list[int]:
        plain = given.tolist() if hasattr(given, "tolist") else given
        if not isinstance(plain, (list, tuple)):
            raise TypeError(f"expected token ids, got {type(given).__name__}")
        return [self._id(one) for one in plain]

    def _id(self, one: Any) -> int:
        if isinstance(one, bool) or not isinstance(one, numbers.Integral) or one < 0:
            raise ValueError(f"{one!r} is not a token id")
        return int(one)

    def _check_ignored(self, ignored: int, completion_len: int) -> None:
        if not 0 <= ignored <= completion_len:
            raise ValueError(f"n_ignore_prefix_tokens={ignored}, expected 0 to {completion_len}")

    def _row(self, prompt: list[int], completion: list[int], ignored: int) -> Row:
        mask = self._mask(len(prompt), len(completion), ignored)
        return {"input_ids": prompt + completion, "logprob_masks": mask}

    def _mask(self, prompt_len: int, completion_len: int, ignored: int) -> list[Any]:
        return [0] * (prompt_len - 1 + ignored) + [1] * (completion_len - ignored) + [0]

    def policy_compute_max_len(self, processed_samples: Any) -> int:
        """The longest row."""
        return max(len(row["input_ids"]) for row in processed_samples)

    def policy_collate_fn(self, processed_samples: Any, computed_max_len: int) -> dict[str, Any]:
        """The rows, padded on the right to `computed_max_len`, as tensors."""
        self._check_batch(processed_samples, computed_max_len)
        return self._collate(processed_samples, computed_max_len)

    def _check_batch(self, rows: Any, width: int) -> None:
        if not rows:
            raise ValueError("zero samples")
        longest = max(len(row["input_ids"]) for row in rows)
        if longest > width:
            raise ValueError(f"max_len {width} is below the longest sample, {longest}")

    def _collate(self, rows: Any, width: int) -> dict[str, Any]:
        ids = [self._padded_ids(row["input_ids"], width) for row in rows]
        return self._batch(ids, [self._padded_mask(row, width) for row in rows])

    def _padded_ids(self, ids: list[int], width: int) -> list[int]:
        return ids + [self.tokenizer.pad_token_id] * (width - len(ids))

    def _padded_mask(self, row: Row, width: int) -> list[Any]:
        return row["logprob_masks"] + [0] * (width - len(row["logprob_masks"]))

    def _batch(self, ids: list[list[int]], masks: list[list[Any]]) -> dict[str, Any]:
        import torch

        return {
            "input_ids": torch.tensor(ids, dtype=torch.int64),
            "logprob_masks": torch.tensor(masks, dtype=torch.bool),
        }
