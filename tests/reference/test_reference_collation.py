"""From policy inputs to a batch."""

import copy
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from pydantic import TypeAdapter

from packer_reference import DecoderOnlyLLMDataPacker
from packer_schemas import PolicyBatch, RLPolicyInput


@dataclass
class Custom:
    """A policy input that is none of ours."""

    input_ids: Any
    logprob_masks: Any
    forward_routing: Any = field(default=None)


def shape(packer: DecoderOnlyLLMDataPacker, *lengths: int) -> list[RLPolicyInput]:
    """Samples of the given lengths, at least 2, with distinct ids."""
    return [
        packer.get_policy_input(None, list(range(100 * at + 1, 100 * at + length)), prompt_ids=[100 * at])
        for at, length in enumerate(lengths)
    ]


def test_batch(ready: DecoderOnlyLLMDataPacker) -> None:
    """Rows are the samples, then pad ids and False, at exactly the width asked for."""
    samples = shape(ready, 3, 5, 2)
    batch = ready.policy_collate_fn(samples, 7)
    TypeAdapter(PolicyBatch).validate_python(batch)
    pad = ready.pad_token_id
    assert batch["input_ids"].tolist() == [s.input_ids + [pad] * (7 - len(s.input_ids)) for s in samples]
    masks = [[bool(m) for m in s.logprob_masks] + [False] * (7 - len(s.logprob_masks)) for s in samples]
    assert batch["logprob_masks"].tolist() == masks
    assert set(batch) == {"input_ids", "logprob_masks"}


def test_max_len(packer: DecoderOnlyLLMDataPacker) -> None:
    """The width needed is the longest sample."""
    assert packer.policy_compute_max_len(shape(packer, 3, 5, 2)) == 5


@pytest.mark.parametrize("samples", [[], ()])
def test_zero_samples(packer: DecoderOnlyLLMDataPacker, samples: Any) -> None:
    """No samples are refused by both steps."""
    with pytest.raises(ValueError, match=r"policy_collate_fn got 0 samples"):
        packer.policy_collate_fn(samples, 4)
    with pytest.raises(ValueError, match=r"policy_compute_max_len got 0 samples"):
        packer.policy_compute_max_len(samples)


def test_too_long(packer: DecoderOnlyLLMDataPacker) -> None:
    """Nothing is cut: the error names the sample, its length and the limit."""
    with pytest.raises(ValueError, match=r"sample 1 has 5 input_ids, more than max_len=4"):
        packer.policy_collate_fn(shape(packer, 3, 5, 2), 4)


@pytest.mark.parametrize(("max_len", "kind"), [(True, TypeError), (5.0, TypeError), (-3, ValueError), (0, ValueError)])
def test_width_is_a_count(packer: DecoderOnlyLLMDataPacker, max_len: Any, kind: type[Exception]) -> None:
    """The width is a positive integer."""
    with pytest.raises(kind):
        packer.policy_collate_fn(shape(packer, 2), max_len)


def test_lengths_must_agree(packer: DecoderOnlyLLMDataPacker) -> None:
    """A mask of another length than its ids is refused, not shifted."""
    samples = shape(packer, 3, 4)
    samples[1].logprob_masks.append(0)
    with pytest.raises(ValueError, match=r"sample 1 has 5 logprob_masks for 4 input_ids"):
        packer.policy_collate_fn(samples, 9)


def test_overwritten_masks_count(packer: DecoderOnlyLLMDataPacker) -> None:
    """What a trainer writes into a processed sample is what the batch holds."""
    samples = shape(packer, 3)
    samples[0].logprob_masks[:] = [False, True, False]
    samples[0].input_ids[2] = 77
    batch = packer.policy_collate_fn(samples, 3)
    assert batch["logprob_masks"].tolist() == [[False, True, False]]
    assert batch["input_ids"].tolist() == [[0, 1, 77]]


@pytest.mark.parametrize("entry", [2, -1, 256, 0.5, None])
def test_mask_entries(packer: DecoderOnlyLLMDataPacker, entry: Any) -> None:
    """A mask entry beside 0 and 1 is refused, naming the sample."""
    samples = shape(packer, 2, 3)
    samples[1].logprob_masks[1] = entry
    with pytest.raises(ValueError, match=r"sample 1, logprob_masks.*expected 0 or 1"):
        packer.policy_collate_fn(samples, 3)


@pytest.mark.parametrize("entry", [1.5, None, -1, "7"])
def test_id_entries(packer: DecoderOnlyLLMDataPacker, entry: Any) -> None:
    """An id that was spoiled after shaping is refused, naming sample and position."""
    samples = shape(packer, 2, 3)
    samples[1].input_ids[2] = entry
    with pytest.raises((ValueError, TypeError), match=r"sample 1, input_ids\[2\] is"):
        packer.policy_collate_fn(samples, 3)


@pytest.mark.parametrize("make", [tuple, np.array, torch.tensor])
def test_custom_policy_inputs(packer: DecoderOnlyLLMDataPacker, make: Any) -> None:
    """Any object with the two streams collates, in any container of ids."""
    batch = packer.policy_collate_fn([Custom(make([300, 2]), make([1, 0])), *shape(packer, 3)], 3)
    pad = packer.pad_token_id
    assert batch["input_ids"].tolist() == [[300, 2, pad], [0, 1, 2]]
    assert batch["logprob_masks"].tolist() == [[True, False, False], [True, True, False]]


@pytest.mark.parametrize("bad", [{"input_ids": [1]}, None, SimpleNamespace(input_ids=[1])])
def test_no_policy_input(packer: DecoderOnlyLLMDataPacker, bad: Any) -> None:
    """Something without the two streams is named by position and type."""
    with pytest.raises(TypeError, match=rf"sample 1 is a {type(bad).__name__}, expected a policy input"):
        packer.policy_collate_fn([*shape(packer, 2), bad], 3)


def test_samples_stay_and_batches_are_separate(packer: DecoderOnlyLLMDataPacker) -> None:
    """Collating twice gives equal batches that share nothing, and changes no sample."""
    samples = shape(packer, 3, 5)
    before = copy.deepcopy(samples)
    one, two = packer.policy_collate_fn(samples, 6), packer.policy_collate_fn(samples, 6)
    assert torch.equal(one["input_ids"], two["input_ids"])
    one["input_ids"].zero_()
    one["logprob_masks"].fill_(True)
    assert samples == before
    assert two["input_ids"].tolist()[0][:3] == samples[0].input_ids
    assert two["logprob_masks"].tolist()[0][2] is False


def test_largest_ids(packer: DecoderOnlyLLMDataPacker) -> None:
    """Ids up to the largest int64 stay exact."""
    sample = packer.get_policy_input(None, [2**31, 2**63 - 1], prompt_ids=[2**53 + 1])
    assert packer.policy_collate_fn([sample], 3)["input_ids"].tolist() == [[2**53 + 1, 2**31, 2**63 - 1]]


@pytest.mark.parametrize("how", ["set_default_device", "with device", "set_default_dtype", "inference_mode"])
def test_torch_defaults_change_nothing(packer: DecoderOnlyLLMDataPacker, how: str) -> None:
    """The batch lies on the CPU with its own types, whatever torch was told to make by default."""
    samples = shape(packer, 3, 5)
    for at, sample in enumerate(samples):
        sample.forward_routing = torch.full((len(sample.input_ids) - 1, 1, 2), at)
    expected = packer.policy_collate_fn(samples, 6)
    try:
        if how == "set_default_device":
            torch.set_default_device("meta")
        if how == "set_default_dtype":
            torch.set_default_dtype(torch.float64)
        with {"with device": torch.device("meta"), "inference_mode": torch.inference_mode()}.get(how, torch.no_grad()):
            batch = packer.policy_collate_fn(samples, 6)
    finally:
        torch.set_default_device(None)
        torch.set_default_dtype(torch.float32)
    for name, tensor in batch.items():
        assert tensor.device.type == "cpu"
        assert not tensor.requires_grad
        assert tensor.dtype == expected[name].dtype
        assert torch.equal(tensor, expected[name])
