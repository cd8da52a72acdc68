"""TRL 1.16.0 as a data packer: the contract's names on the outside, TRL's own functions on the inside."""

from transformers import AutoTokenizer
from trl.data_utils import _tokenize, maybe_apply_chat_template
from trl.trainer.sft_trainer import DataCollatorForLanguageModeling


class TrlPacker:
    """Prompts as TRL's trainers tokenise them, masks as its SFTTrainer keeps them, batches from its collator."""

    tokenizer = None

    def setup(self, name_or_path, trust_remote_code=False):
        self.tokenizer = AutoTokenizer.from_pretrained(name_or_path, trust_remote_code=trust_remote_code)
        if self.tokenizer.pad_token is None:
            self.tokenizer.pad_token = self.tokenizer.eos_token

    def get_rollout_input(self, item):
        return maybe_apply_chat_template({"prompt": item.representations["prompt"]}, self.tokenizer)["prompt"]

    def get_policy_input(self, sample, rollout_output, n_ignore_prefix_tokens=0, *, prompt_ids=None):
        if prompt_ids is None:
            prompt = sample.representations["prompt"]
            options = {} if isinstance(prompt, str) else {"add_generation_prompt": True}
            prompt_ids = _tokenize(self.tokenizer, prompt, **options)["input_ids"]
        completion_ids = rollout_output
        if isinstance(rollout_output, str):
            completion_ids = _tokenize(self.tokenizer, rollout_output)["input_ids"]
        context = len(prompt_ids) + n_ignore_prefix_tokens
        completion_mask = [0] * context + [1] * (len(completion_ids) - n_ignore_prefix_tokens)
        return {"input_ids": [*prompt_ids, *completion_ids], "logprob_masks": completion_mask}

    def policy_compute_max_len(self, processed_samples):
        return max(len(sample["input_ids"]) for sample in processed_samples)

    def policy_collate_fn(self, processed_samples, computed_max_len):
        collator = DataCollatorForLanguageModeling(pad_token_id=self.tokenizer.pad_token_id)
        batch = collator([with_labels(sample) for sample in processed_samples])
        return {"input_ids": batch["input_ids"], "logprob_masks": batch["labels"] != -100}


def with_labels(sample):
    """The sample as TRL's collator takes it: ids outside the mask are labelled -100."""
    pairs = zip(sample["input_ids"], sample["logprob_masks"], strict=True)
    return {"input_ids": sample["input_ids"], "labels": [token if scored else -100 for token, scored in pairs]}
