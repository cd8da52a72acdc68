"""The packer of decoder-only language models: text in, one token sequence per sample out."""

from collections.abc import Sequence
from typing import Any

from packer_reference.collate import longest, pad_samples
from packer_reference.conversation import prompt_of, refuse_media, text_conversation
from packer_reference.packer import DataPacker
from packer_reference.policy_row import policy_row
from packer_reference.routing.batch import add_forward_routing
from packer_reference.token_ids import token_ids
from packer_schemas import PolicyBatch, RLPolicyInput

__all__ = ["DecoderOnlyLLMDataPacker", "make_packer"]

_SHAPING_VERSION = 1
"""To be raised with every change of this module, or of what it calls, that gives other rows for the same tokenizer."""

_TEMPLATE_VARIABLES = {"add_generation_prompt": True}


class DecoderOnlyLLMDataPacker(DataPacker):
    """Text shaping for causal language models."""

    def get_rollout_input(self, item: Any) -> str:
        """The prompt text: a string verbatim, a conversation through the chat template with generation prompt.

        Raises `TypeError` or `ValueError` for any other prompt, `ValueError` for a tokenizer without a chat template
        or a template that refuses the conversation. `item` stays as it was. Spec: rollout input, ROLL-1 to ROLL-4.
        """
        where = "get_rollout_input"
        prompt = prompt_of(item, where)
        if isinstance(prompt, str):
            return prompt
        conversation = text_conversation(prompt, where)
        tokenizer = self._ready(where)
        if getattr(tokenizer, "chat_template", "its own") is None:
            raise ValueError(
                f"{where}: the prompt is a conversation and the tokenizer has no chat template; "
                "set tokenizer.chat_template, or give the prompt as a string"
            )
        try:
            return tokenizer.apply_chat_template(conversation, tokenize=False, **_TEMPLATE_VARIABLES)
        except Exception as error:
            raise ValueError(f"{where}: the chat template refused the conversation: {error}") from error

    def get_policy_input(
        self,
        sample: Any,
        rollout_output: Any,
        n_ignore_prefix_tokens: int = 0,
        *,
        prompt_ids: Sequence[int] | None = None,
    ) -> RLPolicyInput:
        """Prompt ids, then completion ids, and the mask over next-token predictions.

        With P prompt ids, C completion ids and n = `n_ignore_prefix_tokens`, both lists have L = P + C entries and
        the mask is `[0]*(P-1+n) + [1]*(C-n) + [0]`: entry i speaks of the prediction made at position i, so that
        `logprob_masks[:-1]` selects among the L-1 next-token logprobs those of the completion but its first n.

        `prompt_ids`, when given, are the prompt, verbatim; otherwise it is `get_rollout_input(sample)` encoded without
        special tokens. A text completion is encoded without special tokens, completion ids are kept; nothing is
        appended. The lists are new. Raises `ValueError` for an empty prompt, for n outside 0..C and for ids below
        zero, `TypeError` for what are no ids. Spec: authority, AUTH-1 to AUTH-9; masks, MASK-1 to MASK-8.
        """
        if prompt_ids is None:
            ids = self._encode(self.get_rollout_input(sample), "prompt")
            reason = "the prompt encodes to no tokens; check the source that produces it"
        else:
            refuse_media(self._text_prompt(sample), "get_policy_input")
            ids = token_ids(prompt_ids, "get_policy_input: prompt_ids")
            reason = "prompt_ids=[] was given; pass the ids generated from, or None to derive them from the sample"
        if not ids:
            raise ValueError(f"get_policy_input: empty prompt: {reason}")
        if isinstance(rollout_output, str):
            completion = self._encode(rollout_output, "completion")
        else:
            completion = token_ids(rollout_output, "get_policy_input: completion")
        return policy_row(ids, completion, n_ignore_prefix_tokens, "get_policy_input")

    def policy_compute_max_len(self, processed_samples: Any) -> int:
        """The longest `input_ids`; `ValueError` for zero samples. Spec: collation, COLL-15."""
        return longest(processed_samples)

    def policy_collate_fn(self, processed_samples: Any, computed_max_len: int) -> PolicyBatch:
        """The batch `{"input_ids": int64 [B, L], "logprob_masks": bool [B, L]}`, L = `computed_max_len` exactly.

        Rows are padded on the right with the pad id, masked out. With recorded routing the batch also holds
        `forward_replay_routing`, integer [B, L, layers, top_k]. On CPU, without grad; the samples stay as they were.
        Raises `ValueError` for zero samples, a sample longer than L, ids and mask of different lengths, or routing that
        `add_forward_routing` refuses, the model's experts being known.
        Spec: collation, COLL-1 to COLL-14; devices, CPU-1 and CPU-2; routing, ROUTE-1 to ROUTE-11.
        """
        samples = list(processed_samples)
        batch = pad_samples(samples, computed_max_len, self.pad_token_id)
        add_forward_routing(batch, samples, computed_max_len, self.experts)
        return batch

    def validation_semantics_identity(self) -> dict[str, Any]:
        """Everything that decides what this packer returns, as plain JSON data in a dict of the caller's own.

        `text_semantics()`, and what is hard-wired here: `shaping_version` and `template_variables`. A subclass that
        shapes differently adds what it does, and one that cannot vouch for it sets the method to None. Raises
        `RuntimeError` before setup. Spec: identity, IDENT-1 and IDENT-6 to IDENT-10.
        """
        self._ready("validation_semantics_identity")
        wired = {"shaping_version": _SHAPING_VERSION, "template_variables": dict(_TEMPLATE_VARIABLES)}
        return wired | self.text_semantics()

    def _encode(self, text: Any, what: str) -> list[int]:
        if not isinstance(text, str):
            raise TypeError(
                f"get_policy_input: get_rollout_input returned {type(text).__name__}, expected a string to encode; "
                "pass prompt_ids, or override get_policy_input together with get_rollout_input"
            )
        return list(self._ready(f"get_policy_input ({what})")(text, add_special_tokens=False)["input_ids"])

    def _text_prompt(self, sample: Any) -> Any:
        """The prompt if the sample has one; beside stored ids it is only looked at for media."""
        representations = getattr(sample, "representations", None)
        return representations.get("prompt") if isinstance(representations, dict) else None


def make_packer() -> DecoderOnlyLLMDataPacker:
    """A fresh packer, not set up: the factory to name in `DataPackerBuildSpec.factory`. Spec: lifecycle, LIFE-1."""
    return DecoderOnlyLLMDataPacker()
