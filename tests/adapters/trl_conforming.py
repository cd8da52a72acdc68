"""The same adapter with what makes it conform: four translations, and the refusals that the contract asks for."""

import numbers

from trl.trainer.sft_trainer import DataCollatorForLanguageModeling
from trl_packer import TrlPacker, with_labels


class ConformingTrlPacker(TrlPacker):
    """TRL's functions, under the contract's conventions."""

    def get_policy_input(self, sample, rollout_output, n_ignore_prefix_tokens=0, *, prompt_ids=None):
        prompt_ids = self.ids_of(self.get_rollout_input(sample) if prompt_ids is None else prompt_ids)
        completion_ids = self.ids_of(rollout_output)
        if not prompt_ids:
            raise ValueError("the prompt has no tokens")
        if not 0 <= n_ignore_prefix_tokens <= len(completion_ids):
            raise ValueError(f"n_ignore_prefix_tokens={n_ignore_prefix_tokens} of {len(completion_ids)} tokens")
        row = super().get_policy_input(sample, completion_ids, n_ignore_prefix_tokens, prompt_ids=prompt_ids)
        row["logprob_masks"] = [*row["logprob_masks"][1:], 0]  # the id at t + 1 is the prediction made at t
        return row

    def ids_of(self, stream):
        """Text encoded without special tokens; ids as they are, whatever they come in."""
        if isinstance(stream, str):
            return self.tokenizer(stream, add_special_tokens=False)["input_ids"]
        ids = stream.tolist() if hasattr(stream, "tolist") else stream
        if not isinstance(ids, list | tuple) or not all(is_token_id(one) for one in ids):
            raise ValueError(f"expected text or token ids, got {stream!r}")
        return [int(one) for one in ids]

    def get_rollout_input(self, item):
        prompt = item.representations["prompt"]
        if not is_prompt(prompt):
            raise ValueError(f"neither a string nor a conversation: {prompt!r}")
        if isinstance(prompt, str):
            return prompt
        return self.tokenizer.apply_chat_template(prompt, tokenize=False, add_generation_prompt=True)

    def policy_collate_fn(self, processed_samples, computed_max_len):
        if not processed_samples:
            raise ValueError("a batch of zero samples")
        if self.policy_compute_max_len(processed_samples) > computed_max_len:
            raise ValueError(f"a sample is longer than {computed_max_len}")
        pad = self.tokenizer.pad_token_id
        collator = DataCollatorForLanguageModeling(pad_token_id=pad, pad_to_multiple_of=computed_max_len)
        batch = collator([with_labels(sample) for sample in processed_samples])
        return {"input_ids": batch["input_ids"], "logprob_masks": batch["labels"] != -100}

    def setup(self, name_or_path, trust_remote_code=False):
        if not name_or_path:
            raise ValueError("the name of the model is empty")
        super().setup(name_or_path, trust_remote_code)


def is_token_id(one):
    return isinstance(one, numbers.Integral) and not isinstance(one, bool) and one >= 0


def is_prompt(prompt):
    if isinstance(prompt, list) and prompt:
        return all(isinstance(turn, dict) and {"role", "content"} <= set(turn) for turn in prompt)
    return isinstance(prompt, str)
