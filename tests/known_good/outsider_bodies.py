"""Rollout bodies as people write them, each in another way; they keep every rule that binds them."""

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import torch

from packer_reference import VLLMRollout
from packer_reference.rollouts import InProcessLLM

__all__ = ["Generate", "OneByOne", "TextOnly", "evaluating", "in_process"]


@contextmanager
def evaluating(model: Any) -> Iterator[None]:
    """Evaluation mode for a while."""
    training = [one for one in model.modules() if one.training]
    model.eval()
    try:
        yield
    finally:
        for one in training:
            one.training = True


class OneByOne:
    """Runs prompts one after the other with a cache, and keeps what it records in objects of its own."""

    def __init__(self, model: Any, *, packer: Any, sampling: Any = None, routing_replay: bool = False) -> None:
        if packer is None:
            raise ValueError(f"{type(self).__name__} wants a packer; make one with init_data_packer(name_or_path)")
        if not hasattr(packer, "get_rollout_input"):
            raise TypeError("packer has no get_rollout_input")
        if routing_replay:
            raise ValueError("routing_replay: the experts of a model are not recorded here")
        self.model, self.packer = model, packer
        given = {"n": 1, "temperature": 1.0, "max_tokens": 8, "seed": None} | dict(sampling or {})
        unknown = given.keys() - {"n", "temperature", "max_tokens", "seed", "stop_token_ids"}
        if unknown:
            raise TypeError(f"sampling: {min(unknown)} is nothing that this body knows")
        if type(given["n"]) is not int or given["n"] < 1:
            raise ValueError(f"n={given['n']!r}: expected an integer of at least 1")
        self.sampling = given
        self.stop = given.get("stop_token_ids", [packer.tokenizer.eos_token_id])
        self.generator = torch.Generator()
        if given["seed"] is None:
            self.generator.seed()
        else:
            self.generator.manual_seed(given["seed"])

    def generate(self, samples: Any, *, prompt_ids: Any = None) -> list[Any]:
        """Trajectories as plain objects."""
        inputs = self._inputs(samples, prompt_ids)
        prompts = [self._ids(one, f"sample {at}") for at, one in enumerate(inputs)]
        with evaluating(self.model):
            made = [(at, prompt, *self._draw(prompt)) for at, prompt in enumerate(prompts) for _ in range(self._n)]
        texts = [self._completion(ids) for _, _, ids, _ in made]
        if hasattr(self.packer, "get_rollout_output"):
            texts = self._as_many("get_rollout_output", self.packer.get_rollout_output(texts), len(made))
        return [
            SimpleNamespace(obs=samples[at], completion=text, policy_info=self._info(prompt, ids, scores), reward=None)
            for (at, prompt, ids, scores), text in zip(made, texts, strict=True)
        ]

    @property
    def _n(self) -> int:
        return self.sampling["n"]

    def _inputs(self, samples: Any, prompt_ids: Any) -> list[Any]:
        if not samples:
            raise ValueError("got 0 samples to generate from")
        given = [None] * len(samples) if prompt_ids is None else prompt_ids
        if len(given) != len(samples):
            raise ValueError(f"{len(given)} prompt_ids for {len(samples)} samples")
        inputs = [self._input(sample, ids) for sample, ids in zip(samples, given, strict=True)]
        if hasattr(self.packer, "rollout_collate_fn"):
            inputs = self._as_many("rollout_collate_fn", self.packer.rollout_collate_fn(inputs), len(inputs))
        return inputs

    def _input(self, sample: Any, ids: Any) -> Any:
        if ids is None:
            return self.packer.get_rollout_input(sample)
        if not hasattr(self.packer, "get_pretokenized_rollout_input"):
            raise ValueError("prompt_ids were given, and the packer has no get_pretokenized_rollout_input")
        return self.packer.get_pretokenized_rollout_input(sample, ids)

    def _as_many(self, hook: str, answer: Any, count: int) -> list[Any]:
        if len(answer) != count:
            raise ValueError(f"{hook}: {len(answer)} for {count}")
        return list(answer)

    def _ids(self, given: Any, where: str) -> list[int]:
        if isinstance(given, Mapping):
            unknown = [name for name in given if name not in ("prompt", "prompt_token_ids")]
            if unknown:
                raise ValueError(f"{where}: {unknown[0]} is nothing that this model takes")
            given = given.get("prompt_token_ids", given.get("prompt"))
        ids = self.packer.tokenizer.encode(given, add_special_tokens=False) if isinstance(given, str) else list(given)
        limit = self.model.config.max_position_embeddings
        if not 0 < len(ids) < limit:
            raise ValueError(f"{where}: {len(ids)} prompt ids, expected 1 to {limit - 1} with a limit of {limit}")
        return ids

    def _draw(self, prompt: list[int]) -> tuple[list[int], list[float]]:
        ids: list[int] = []
        scores: list[float] = []
        room = self.model.config.max_position_embeddings - len(prompt)
        while len(ids) < min(room, self.sampling["max_tokens"]) and (not ids or ids[-1] not in self.stop):
            with torch.no_grad():
                logits = self.model(input_ids=torch.tensor([prompt + ids])).logits[0, -1].float()
            own = logits.log_softmax(-1)
            heat = self.sampling["temperature"]
            if heat:
                picked = int(torch.multinomial((logits / heat).softmax(-1), 1, generator=self.generator))
            else:
                picked = int(logits.argmax())
            ids.append(picked)
            scores.append(float(own[picked]))
        return ids, scores

    def _completion(self, ids: list[int]) -> Any:
        return list(ids)

    def _info(self, prompt: list[int], ids: list[int], scores: list[float]) -> dict[str, Any]:
        found: dict[str, Any] = {"prompt_ids": list(prompt), "completion_ids": list(ids)}
        missing = [at for at, score in enumerate(scores) if not math.isfinite(score)]
        return found | ({"logprobs_missing": missing} if missing else {"logprobs": list(scores)})


class Generate(OneByOne):
    """Calls `model.generate` of transformers, for one prompt at a time, which has a cache."""

    def _draw(self, prompt: list[int]) -> tuple[list[int], list[float]]:
        heat, row = self.sampling["temperature"], torch.tensor([prompt])
        options: dict[str, Any] = {"do_sample": bool(heat), "repetition_penalty": 1.0}
        options |= {"temperature": heat, "top_k": 0, "top_p": 1.0} if heat else {}
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(int(torch.randint(2**31, (1,), generator=self.generator)))
            out = self.model.generate(
                row,
                attention_mask=torch.ones_like(row),
                max_new_tokens=min(
                    self.sampling["max_tokens"], self.model.config.max_position_embeddings - len(prompt)
                ),
                eos_token_id=list(self.stop) or None,
                pad_token_id=0,
                output_logits=True,
                return_dict_in_generate=True,
                **options,
            )
        ids = out.sequences[0, len(prompt) :].tolist()
        scores = [float(step[0].float().log_softmax(-1)[id]) for step, id in zip(out.logits, ids, strict=True)]
        return ids, scores


class TextOnly(OneByOne):
    """Stands for a hosted service: text comes back, and no ids."""

    def _completion(self, ids: list[int]) -> Any:
        return self.packer.tokenizer.decode(ids)

    def _info(self, prompt: list[int], ids: list[int], scores: list[float]) -> dict[str, Any]:
        return {"prompt_ids": list(prompt)}


def in_process(model: Any, *, packer: Any, **options: Any) -> VLLMRollout:
    """The reference's body over an engine of vLLM's interface, put around the kit's model."""
    return VLLMRollout(InProcessLLM(model, getattr(packer, "tokenizer", None)), packer=packer, **options)
