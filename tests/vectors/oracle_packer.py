"""A packer that answers as the oracle does, or as a test dictates."""

from typing import Any

from packer_spec.oracle import authority, collation, masks
from packproof.zoo.miniature import MiniaturePacker

__all__ = ["OraclePacker", "Script", "scripted"]


def plain(given: Any) -> Any:
    """Ids in whatever container as a list of what it holds, of Python's own types; what is no container, as it came."""
    given = given.tolist() if hasattr(given, "tolist") else given
    return [one.item() if hasattr(one, "item") else one for one in given] if isinstance(given, list | tuple) else given


class OraclePacker(MiniaturePacker):
    """The miniature around the oracle: rows, masks and batches are its answers, text is encoded as before."""

    def get_policy_input(
        self, sample: Any, rollout_output: Any, n_ignore_prefix_tokens: int = 0, *, prompt_ids: Any = None
    ) -> dict[str, Any]:
        """Ids and mask as the oracle makes them."""
        prompt = self._text_prompt_ids(sample) if prompt_ids is None else plain(prompt_ids)
        completion = self._encode(rollout_output) if isinstance(rollout_output, str) else plain(rollout_output)
        ids = authority.row(prompt, completion)
        mask = masks.mask(len(prompt), len(completion), n_ignore_prefix_tokens)
        return {"input_ids": ids, "logprob_masks": mask}

    def policy_compute_max_len(self, processed_samples: Any) -> int:
        """The oracle's longest."""
        return collation.longest(processed_samples)

    def policy_collate_fn(self, processed_samples: Any, computed_max_len: int) -> dict[str, Any]:
        """The oracle's batch, as tensors."""
        batch = collation.batch(processed_samples, computed_max_len, self.tokenizer.pad_token_id)
        return self._batch(batch["input_ids"], batch["logprob_masks"])


class Script:
    """What a packer says when it is asked one thing; where that is None, it says what it always says."""

    def __init__(self) -> None:
        self.asked: list[Any] | None = None
        self.answer: Any = None

    def told(self, *asked: Any) -> Any:
        """The answer, if this is what is asked."""
        return self.answer if list(asked) == self.asked else None


def scripted(rows: Script, batches: Script) -> type[OraclePacker]:
    """A packer that answers by the scripts and else as the oracle does.

    Rows are asked for by prompt ids, completion and ignored tokens, batches by samples and width.
    """

    class Scripted(OraclePacker):
        """Answers from the scripts."""

        def get_policy_input(
            self, sample: Any, rollout_output: Any, n_ignore_prefix_tokens: int = 0, *, prompt_ids: Any = None
        ) -> dict[str, Any]:
            told = rows.told(plain(prompt_ids), plain(rollout_output), n_ignore_prefix_tokens)
            if told is not None:
                return told
            return super().get_policy_input(sample, rollout_output, n_ignore_prefix_tokens, prompt_ids=prompt_ids)

        def policy_collate_fn(self, processed_samples: Any, computed_max_len: int) -> dict[str, Any]:
            told = batches.told([dict(one) for one in processed_samples], computed_max_len)
            if told is not None:
                return self._batch(told["input_ids"], told["logprob_masks"])
            return super().policy_collate_fn(processed_samples, computed_max_len)

    return Scripted
