"""Packers of somebody who has never heard of packproof: token ids in, dictionaries out, no tokenizer."""

import os
import signal
import sys
import time


class Plain:
    """Keeps every rule that applies to it."""

    def get_policy_input(self, sample, rollout_output, n_ignore_prefix_tokens=0, *, prompt_ids=None):
        if isinstance(rollout_output, str):
            raise TypeError("expected ids")
        prompt, completion = ids(prompt_ids), ids(rollout_output)
        ignored = n_ignore_prefix_tokens
        if not prompt or not 0 <= ignored <= len(completion):
            raise ValueError("no prompt, or too much to ignore")
        return {"input_ids": prompt + completion, "logprob_masks": self.mask(len(prompt), len(completion), ignored)}

    def mask(self, prompt, completion, ignored):
        return [0] * (prompt - 1 + ignored) + [1] * (completion - ignored) + [0]

    def policy_compute_max_len(self, processed_samples):
        return max(len(row["input_ids"]) for row in processed_samples)

    def policy_collate_fn(self, processed_samples, computed_max_len):
        import torch

        if not processed_samples or self.policy_compute_max_len(processed_samples) > computed_max_len:
            raise ValueError("zero samples, or too narrow")
        fill = [computed_max_len - len(row["input_ids"]) for row in processed_samples]
        rows = [row["input_ids"] + [0] * more for row, more in zip(processed_samples, fill, strict=True)]
        masks = [row["logprob_masks"] + [0] * more for row, more in zip(processed_samples, fill, strict=True)]
        return {"input_ids": torch.tensor(rows), "logprob_masks": torch.tensor(masks, dtype=torch.bool)}


def ids(given):
    given = given.tolist() if hasattr(given, "tolist") else given
    if not isinstance(given, (list, tuple)):
        raise TypeError(f"expected ids, got {given!r}")
    given = [one.item() if hasattr(one, "item") else one for one in given]
    if any(type(one) is not int or one < 0 for one in given):
        raise TypeError(f"expected ids, got {given!r}")
    return given


class Shifted(Plain):
    """Breaks MASK-2."""

    def mask(self, prompt, completion, ignored):
        return [0, *super().mask(prompt, completion, ignored)[:-1]]


class ShiftedWhenIgnoring(Plain):
    """Breaks MASK-3 only."""

    def mask(self, prompt, completion, ignored):
        right = super().mask(prompt, completion, ignored)
        return [0, *right[:-1]] if ignored else right


class ShiftedOrLost(ShiftedWhenIgnoring):
    """Breaks MASK-3 in another way too, where two tokens are to be ignored."""

    def mask(self, prompt, completion, ignored):
        return super().mask(prompt, completion, ignored) if ignored < 2 else [0] * (prompt + completion)


class NotEveryTime(Plain):
    """Every third mask is shifted."""

    made = 0

    def mask(self, prompt, completion, ignored):
        NotEveryTime.made += 1
        right = super().mask(prompt, completion, ignored)
        return right if NotEveryTime.made % 3 else [0, *right[:-1]]


class OnEmpty(Plain):
    """Does something wild when the completion is empty, which only MASK-5 tries among MASK-2, MASK-3 and MASK-5."""

    def mask(self, prompt, completion, ignored):
        if not completion:
            self.wild()
        return super().mask(prompt, completion, ignored)

    def wild(self):
        raise NotImplementedError


class Hangs(OnEmpty):
    def wild(self):
        time.sleep(600)


class HangsAndSwallows(OnEmpty):
    def wild(self):
        while True:
            try:
                time.sleep(600)
            except Exception as error:
                print("never mind", error)


class SwallowsOnce(OnEmpty):
    def wild(self):
        try:
            time.sleep(600)
        except BaseException:
            time.sleep(600)


class HangsInC(OnEmpty):
    def wild(self):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
        time.sleep(600)


class SysExits(OnEmpty):
    def wild(self):
        sys.exit(3)


class OsExits(OnEmpty):
    def wild(self):
        os._exit(3)


class Dies(OnEmpty):
    def wild(self):
        os.kill(os.getpid(), signal.SIGSEGV)


class Forks(OnEmpty):
    def wild(self):
        child = os.fork()
        if not child:
            os._exit(0)
        os.waitpid(child, 0)


class Hooks(Plain):
    """Breaks ROLL-7, a SHOULD."""

    def get_rollout_input(self, item):
        prompt = item.representations["prompt"]
        turns = [] if isinstance(prompt, str) else prompt if isinstance(prompt, list) and prompt else [None]
        if not all(isinstance(turn, dict) and {"role", "content"} <= set(turn) for turn in turns):
            raise TypeError(f"no prompt: {prompt!r}")
        return prompt

    def rollout_collate_fn(self, items):
        return items

    def get_rollout_output(self, completions, *args, **kwargs):
        return list(reversed(completions))
