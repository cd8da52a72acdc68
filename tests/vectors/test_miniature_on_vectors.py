"""The zoo's miniature packer on the vectors: it shares nothing with the oracle and nothing with the reference."""

from types import SimpleNamespace
from typing import Any

from outcomes import expect_outcome, ids_of, of

from packproof.zoo.miniature import MiniaturePacker


@of("masks")
def test_masks(vector: Any) -> None:
    """The miniature makes the mask of the vector, or refuses its n."""
    given = vector.input

    def run() -> list[int]:
        row = MiniaturePacker().get_policy_input(
            None, list(given.completion), given.n_ignore_prefix_tokens, prompt_ids=list(given.prompt_ids)
        )
        return row["logprob_masks"]

    if vector.error is None:
        assert run() == vector.expected.logprob_masks
    else:
        expect_outcome(vector, run, words=False)


@of("authority")
def test_authority(vector: Any) -> None:
    """The miniature keeps the ids of the vector, or refuses what is none."""
    prompt, completion = ids_of(vector.input.prompt_ids), ids_of(vector.input.completion)
    packer = MiniaturePacker()

    def run() -> dict[str, Any]:
        return {"input_ids": packer.get_policy_input(None, completion, prompt_ids=prompt)["input_ids"]}

    expect_outcome(vector, run, words=False)


@of("collation")
def test_collation(vector: Any) -> None:
    """The miniature makes the batch of the vector, or refuses its width."""
    packer, given = MiniaturePacker(), vector.input
    packer.tokenizer = SimpleNamespace(pad_token_id=given.tokenizer.pad_token_id)
    samples = [one.model_dump() for one in given.samples]

    def run() -> dict[str, Any]:
        batch = packer.policy_collate_fn(samples, given.max_len)
        values = {"input_ids": batch["input_ids"].tolist(), "logprob_masks": batch["logprob_masks"].int().tolist()}
        return {**values, "longest": packer.policy_compute_max_len(samples)}

    expect_outcome(vector, run, words=False)
