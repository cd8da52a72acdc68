"""Packers as an outsider writes them: no base class and no import of ours, and a constructor instead of `setup`.

Three shapes of one behaviour: dictionaries of lists, dataclasses of tensors, and a bare collator of ids that shows
no tokenizer at all.
"""

import dataclasses
import numbers

import torch
from transformers import AutoTokenizer, BatchEncoding

__all__ = ["DictPacker", "IdsPacker", "TensorPacker", "TensorSample"]


def plain_ids(values):
    """Token ids out of a list, tuple, array or tensor, as a new list of ints."""
    values = values.tolist() if hasattr(values, "tolist") else values
    if not isinstance(values, list | tuple):
        raise TypeError(f"token ids in a {type(values).__name__}")
    for value in values:
        if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < 0:
            raise ValueError(f"{value!r} is no token id")
    return [int(value) for value in values]


def scored_predictions(prompt_length, completion_length, skipped):
    """One flag per position: whether the token after it is scored."""
    if not prompt_length:
        raise ValueError("there is no prompt")
    if not 0 <= skipped <= completion_length:
        raise ValueError(f"cannot skip {skipped} of {completion_length} completion tokens")
    first, last = prompt_length - 1 + skipped, prompt_length + completion_length - 1
    return [first <= position < last for position in range(last + 1)]


def check_width(lengths, width):
    """Refuse a batch of nothing, and a width that would cut a row."""
    if not lengths:
        raise ValueError("a batch needs at least one sample")
    if max(lengths) > width:
        raise ValueError(f"the longest sample has {max(lengths)} tokens, the batch is {width} wide")


class IdsPacker:
    """Ids in, ids out: no text, no tokenizer in sight, and no rollout side."""

    def __init__(self, filler):
        self._filler = filler

    def get_policy_input(self, sample, rollout_output, n_ignore_prefix_tokens=0, *, prompt_ids=None):
        if prompt_ids is None:
            raise ValueError("this packer takes ids only; pass prompt_ids")
        prompt, completion = plain_ids(prompt_ids), plain_ids(rollout_output)
        marks = scored_predictions(len(prompt), len(completion), n_ignore_prefix_tokens)
        return {"input_ids": tuple(prompt + completion), "logprob_masks": tuple(marks)}

    def policy_compute_max_len(self, processed_samples):
        return max(len(sample["input_ids"]) for sample in processed_samples)

    def policy_collate_fn(self, processed_samples, computed_max_len):
        check_width([len(sample["input_ids"]) for sample in processed_samples], computed_max_len)
        ids = torch.full((len(processed_samples), computed_max_len), self._filler)
        marks = torch.zeros(ids.shape, dtype=torch.bool)
        for row, sample in enumerate(processed_samples):
            ids[row, : len(sample["input_ids"])] = torch.tensor(sample["input_ids"])
            marks[row, : len(sample["logprob_masks"])] = torch.tensor(sample["logprob_masks"])
        return {"input_ids": ids, "logprob_masks": marks}


class DictPacker:
    """A policy input is a dictionary of two lists, a batch a dictionary of two tensors."""

    def __init__(self, folder):
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        if self.tokenizer.pad_token is None:
            self.tokenizer.pad_token = self.tokenizer.eos_token

    def get_rollout_input(self, item):
        prompt = item.representations["prompt"]
        if isinstance(prompt, str):
            return prompt
        if not isinstance(prompt, list) or not prompt:
            raise TypeError(f"a prompt is a string or a list of messages, not {prompt!r}")
        for message in prompt:
            if not isinstance(message, dict) or "role" not in message or "content" not in message:
                raise TypeError(f"{message!r} is no message")
        return self.tokenizer.apply_chat_template(prompt, add_generation_prompt=True, tokenize=False)

    def get_policy_input(self, sample, rollout_output, n_ignore_prefix_tokens=0, *, prompt_ids=None):
        prompt = self._encoded(self.get_rollout_input(sample)) if prompt_ids is None else plain_ids(prompt_ids)
        text = isinstance(rollout_output, str)
        completion = self._encoded(rollout_output) if text else plain_ids(rollout_output)
        marks = scored_predictions(len(prompt), len(completion), n_ignore_prefix_tokens)
        return self._sample(prompt + completion, marks)

    def policy_compute_max_len(self, processed_samples):
        return max(len(sample["input_ids"]) for sample in processed_samples)

    def policy_collate_fn(self, processed_samples, computed_max_len):
        check_width([len(sample["input_ids"]) for sample in processed_samples], computed_max_len)
        rows, masks, pad = [], [], self.tokenizer.pad_token_id
        for sample in processed_samples:
            missing = computed_max_len - len(sample["input_ids"])
            rows.append(sample["input_ids"] + [pad] * missing)
            masks.append(sample["logprob_masks"] + [0] * missing)
        return {"input_ids": torch.tensor(rows), "logprob_masks": torch.tensor(masks, dtype=torch.bool)}

    def _encoded(self, text):
        return self.tokenizer.encode(text, add_special_tokens=False)

    def _sample(self, ids, marks):
        return {"input_ids": ids, "logprob_masks": [int(mark) for mark in marks]}


@dataclasses.dataclass
class TensorSample:
    """Ids and flags of one sample, one-dimensional tensors."""

    input_ids: torch.Tensor
    logprob_masks: torch.Tensor


class TensorPacker(DictPacker):
    """The same with dataclasses of tensors for samples, and a transformers batch with an attention mask beside."""

    def policy_compute_max_len(self, processed_samples):
        return max(sample.input_ids.numel() for sample in processed_samples)

    def policy_collate_fn(self, processed_samples, computed_max_len):
        lengths = [sample.input_ids.numel() for sample in processed_samples]
        check_width(lengths, computed_max_len)

        def padded(streams, filler):
            return torch.stack(
                [torch.nn.functional.pad(one, (0, computed_max_len - one.numel()), value=filler) for one in streams]
            )

        return BatchEncoding(
            {
                "input_ids": padded([sample.input_ids for sample in processed_samples], self.tokenizer.pad_token_id),
                "logprob_masks": padded([sample.logprob_masks for sample in processed_samples], False),
                "attention_mask": torch.arange(computed_max_len) < torch.tensor(lengths)[:, None],
            }
        )

    def _sample(self, ids, marks):
        return TensorSample(torch.tensor(ids), torch.tensor(marks))
