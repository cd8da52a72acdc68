"""The reference packer on the vectors, by its own methods."""

from functools import cache
from types import SimpleNamespace
from typing import Any

from outcomes import expect_outcome, ids_of, of

from packer_reference import DecoderOnlyLLMDataPacker
from packer_schemas import RLPolicyInput
from packer_spec.oracle import masks
from packproof.models import model_path


@cache
def packer_on(model: str) -> DecoderOnlyLLMDataPacker:
    """A packer set up on an embedded model."""
    packer = DecoderOnlyLLMDataPacker()
    packer.setup(str(model_path(model)))
    return packer


def packer_for(vector: Any) -> DecoderOnlyLLMDataPacker:
    """A packer on the model whose special ids the vector holds."""
    tokenizer = vector.input.tokenizer
    return packer_on(tokenizer.model if tokenizer else "tiny-qwen")


@of("masks")
def test_masks(vector: Any) -> None:
    """`get_policy_input` makes the mask of the vector, or refuses its n, naming n and C."""
    given, packer = vector.input, packer_for(vector)

    def run() -> dict[str, Any]:
        row = packer.get_policy_input(
            None, list(given.completion), given.n_ignore_prefix_tokens, prompt_ids=list(given.prompt_ids)
        )
        picked = masks.selected(row.input_ids, row.logprob_masks)
        return {"logprob_masks": row.logprob_masks, "selected": picked}

    expect_outcome(vector, run)


@of("authority")
def test_authority(vector: Any) -> None:
    """`get_policy_input` keeps the ids of the vector, or refuses what is none, naming the stream and the place."""
    prompt, completion = ids_of(vector.input.prompt_ids), ids_of(vector.input.completion)
    packer = packer_for(vector)
    expect_outcome(
        vector, lambda: {"input_ids": packer.get_policy_input(None, completion, prompt_ids=prompt).input_ids}
    )


def padding_with(pad: int) -> DecoderOnlyLLMDataPacker:
    """A packer whose tokenizer has this pad id."""
    packer = DecoderOnlyLLMDataPacker()
    packer.tokenizer = SimpleNamespace(pad_token_id=pad)
    return packer


@of("collation")
def test_collation(vector: Any) -> None:
    """`policy_collate_fn` makes the batch of the vector with its pad id, `policy_compute_max_len` its longest."""
    given, packer = vector.input, padding_with(vector.input.tokenizer.pad_token_id)
    samples = [RLPolicyInput(**one.model_dump()) for one in given.samples]

    def run() -> dict[str, Any]:
        batch = packer.policy_collate_fn(samples, given.max_len)
        assert [str(batch[name].dtype) for name in ("input_ids", "logprob_masks")] == ["torch.int64", "torch.bool"]
        values = {
            name: tensor.int().tolist() if name == "logprob_masks" else tensor.tolist()
            for name, tensor in batch.items()
        }
        return {**values, "longest": packer.policy_compute_max_len(samples)}

    expect_outcome(vector, run)
