"""A rollout body that keeps every rule, in steps small enough for a fault to replace just one of them.

It shares no code with the reference. Rows of all lengths run together, filled on the left, without a cache.
"""

import math
import random
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from packer_schemas import Trajectory

__all__ = ["Drawn", "MiniatureRollout", "MiniatureTextRollout"]

_ROUTED = "rollout_routed_experts"


@dataclass
class Drawn:
    """One completion while it grows."""

    prompt: list[int]
    ids: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    experts: Any = None


class MiniatureRollout:
    """Encodes prompts itself, and runs any causal model of transformers."""

    consumer: ClassVar[str] = "rollout"

    def __init__(
        self, model: Any, *, packer: Any, sampling: Mapping[str, Any] | None = None, routing_replay: bool = False
    ) -> None:
        self._check_packer(packer)
        self.packer = packer
        self.model = model
        self.replay = routing_replay
        self._read(dict(sampling or {}))
        if routing_replay and not self._has_experts():
            raise ValueError("routing_replay: the model has no routed experts")
        self._announce()

    def _check_packer(self, packer: Any) -> None:
        if packer is None:
            raise ValueError(
                f"{type(self).__name__}: packer is None; build one with init_data_packer(name_or_path), and pass it"
            )
        if not hasattr(packer, "get_rollout_input"):
            raise TypeError(f"{type(packer).__name__} is no packer: it has no get_rollout_input")

    def _read(self, sampling: dict[str, Any]) -> None:
        self.n = sampling.pop("n", 1)
        self._check_n()
        self.temperature = sampling.pop("temperature", 1.0)
        self.max_tokens = sampling.pop("max_tokens", 16)
        end: Any = self.packer.tokenizer.eos_token_id
        given = sampling.pop("stop_token_ids", None)
        self.stop: set[int] = set([end] if given is None else given)
        self.stop_texts: list[str] = list(sampling.pop("stop", None) or ())
        self._draws = self._seeded(sampling.pop("seed", None))
        self._check_rest(sampling)

    def _check_rest(self, sampling: dict[str, Any]) -> None:
        if sampling:
            raise ValueError(f"sampling has the keys {sorted(sampling)}, which nobody knows here")

    def _check_n(self) -> None:
        if type(self.n) is not int or self.n < 1:
            raise ValueError(f"n is {self.n!r}, expected an integer of at least 1")

    def _seeded(self, seed: int | None) -> random.Random:
        return random.Random(seed)

    def _has_experts(self) -> bool:
        return hasattr(self.model.config, "num_experts_per_tok")

    def _announce(self) -> None:
        """A body that encodes itself has nothing to say."""

    def generate(self, samples: Sequence[Any], *, prompt_ids: Any = None) -> list[Any]:
        """The trajectories, those of the first sample first."""
        self._check_samples(samples, prompt_ids)
        inputs = self._collated(self._inputs(samples, prompt_ids))
        prompts = [self._prompt(given, at) for at, given in enumerate(inputs)]
        modes = {module: module.training for module in self.model.modules()}
        self._begin()
        try:
            drawn = self._drawn(prompts, inputs)
        finally:
            self._put_back(modes)
        answers = self._answers([self._outgoing(one) for one in drawn])
        return self._listed(
            [self._trajectory(samples[at // self.n], *pair) for at, pair in enumerate(zip(drawn, answers, strict=True))]
        )

    def _begin(self) -> None:
        self.model.eval()

    def _put_back(self, modes: Mapping[Any, bool]) -> None:
        for module, training in modes.items():
            module.training = training

    def _check_samples(self, samples: Sequence[Any], prompt_ids: Any) -> None:
        if not samples:
            raise ValueError("generate: 0 samples")
        if prompt_ids is not None and len(prompt_ids) != len(samples):
            raise ValueError(f"generate: {len(prompt_ids)} prompt_ids for {len(samples)} samples")
        if any(ids is not None and not len(ids) for ids in prompt_ids or ()):
            raise ValueError("generate: an entry of prompt_ids is empty")

    def _inputs(self, samples: Sequence[Any], prompt_ids: Any) -> list[Any]:
        given = prompt_ids or [None] * len(samples)
        return [self._input(sample, ids) for sample, ids in zip(samples, given, strict=True)]

    def _input(self, sample: Any, ids: Any) -> Any:
        if ids is None:
            return self.packer.get_rollout_input(sample)
        if not hasattr(self.packer, "get_pretokenized_rollout_input"):
            raise TypeError("prompt_ids: the packer has no get_pretokenized_rollout_input")
        return self.packer.get_pretokenized_rollout_input(sample, ids)

    def _collated(self, inputs: list[Any]) -> list[Any]:
        if not hasattr(self.packer, "rollout_collate_fn"):
            return inputs
        return self._as_many(list(self.packer.rollout_collate_fn(inputs)), len(inputs), "rollout_collate_fn")

    def _as_many(self, answer: list[Any], count: int, hook: str) -> list[Any]:
        if len(answer) != count:
            raise ValueError(f"{hook} gave {len(answer)} entries for {count}")
        return answer

    def _answers(self, completions: list[Any]) -> list[Any]:
        if not hasattr(self.packer, "get_rollout_output"):
            return completions
        return self._as_many(list(self.packer.get_rollout_output(completions)), len(completions), "get_rollout_output")

    def _prompt(self, given: Any, at: int) -> list[int]:
        ids = self._ids_of(given)
        self._check_length(ids, at)
        return ids

    def _ids_of(self, given: Any) -> list[int]:
        if isinstance(given, Mapping):
            self._check_entries(given)
            return list(given["prompt_token_ids"]) if "prompt_token_ids" in given else self._encode(given["prompt"])
        return self._encode(given)

    def _check_entries(self, given: Mapping[str, Any]) -> None:
        for name in self._media(given):
            if not hasattr(self.model, "takes_media"):
                raise ValueError(f"the model takes no {name}")

    def _media(self, given: Any) -> dict[str, Any]:
        entries = given.items() if isinstance(given, Mapping) else ()
        return {name: value for name, value in entries if name not in ("prompt", "prompt_token_ids")}

    def _encode(self, text: str) -> list[int]:
        return list(self.packer.tokenizer(text, add_special_tokens=False)["input_ids"])

    def _check_length(self, ids: list[int], at: int) -> None:
        limit = self.model.config.max_position_embeddings
        if not ids:
            raise ValueError(f"sample {at}: the prompt encodes to no ids")
        if len(ids) >= limit:
            raise ValueError(f"sample {at}: the prompt has {len(ids)} ids, and the model takes {limit}")

    def _drawn(self, prompts: list[list[int]], inputs: list[Any]) -> list[Drawn]:
        import torch

        rows = [Drawn(list(prompt)) for prompt in prompts for _ in range(self.n)]
        for given in inputs:
            if media := self._media(given):
                self.model.take_media(**media)
        generators = [torch.Generator().manual_seed(self._next_seed()) for _ in rows]
        live = list(range(len(rows)))
        while live:
            logits = self._logits([rows[at] for at in live])
            for at, own in zip(list(live), logits, strict=True):
                self._take(rows[at], own, generators[at], at)
                if self._ended(rows[at]) or self._full(rows[at]):
                    live.remove(at)
        if self.replay:
            for row in rows:
                row.experts = self._experts(row)
        return rows

    def _next_seed(self) -> int:
        return self._draws.getrandbits(60)

    def _ended(self, row: Drawn) -> bool:
        text = self.packer.tokenizer.decode(row.ids) if self.stop_texts else ""
        return row.ids[-1] in self.stop or any(one in text for one in self.stop_texts)

    def _full(self, row: Drawn) -> bool:
        limit = self.model.config.max_position_embeddings
        return len(row.ids) >= self.max_tokens or len(row.prompt) + len(row.ids) >= limit

    def _logits(self, rows: list[Drawn]) -> Any:
        """The logits after the last id of every row, `[rows, V]`."""
        import torch

        width = max(len(row.prompt) + len(row.ids) for row in rows)
        ids = [[0] * (width - len(one)) + one for one in (row.prompt + row.ids for row in rows)]
        mask = [[int(place >= width - len(row.prompt) - len(row.ids)) for place in range(width)] for row in rows]
        with torch.no_grad():
            return self.model(**self._arguments(torch.tensor(ids), torch.tensor(mask))).logits[:, -1].float()

    def _arguments(self, ids: Any, mask: Any) -> dict[str, Any]:
        places = (mask.cumsum(1) - 1).clamp(min=0)
        return {"input_ids": ids, "attention_mask": mask, "position_ids": places, "use_cache": False}

    def _take(self, row: Drawn, logits: Any, generator: Any, _place: int) -> None:
        import torch

        scores = logits.log_softmax(-1)
        if self.temperature == 0:
            chosen = int(logits.argmax())
        else:
            chosen = int(torch.multinomial(self._chances(logits.double()), 1, generator=generator))
        row.ids.append(chosen)
        row.logprobs.append(self._score(scores, logits, chosen))

    def _chances(self, logits: Any) -> Any:
        return (logits / self.temperature).softmax(-1)

    def _score(self, scores: Any, logits: Any, chosen: int) -> float:
        return float(scores[chosen])

    def _experts(self, row: Drawn) -> Any:
        """The experts of every id but the last, `[L-1, layers, top_k]`, by one more run."""
        import torch

        ids = torch.tensor([(row.prompt + row.ids)[:-1]])
        with torch.no_grad():
            routers = self.model(input_ids=ids, use_cache=False, output_router_logits=True).router_logits
        top_k = self.model.config.num_experts_per_tok
        return torch.stack([one.reshape(ids.shape[1], -1).topk(top_k).indices for one in routers], 1).to(torch.int16)

    def _outgoing(self, row: Drawn) -> Any:
        return list(row.ids)

    def _trajectory(self, sample: Any, row: Drawn, answer: Any) -> Any:
        info = self._streams(row) | ({_ROUTED: self._routing(row)} if self.replay else {})
        return Trajectory.model_construct(obs=sample, completion=answer, policy_info=info, reward=None)

    def _streams(self, row: Drawn) -> dict[str, Any]:
        info = {"prompt_ids": list(row.prompt), "completion_ids": list(row.ids)}
        return info | self._logprobs(row)

    def _logprobs(self, row: Drawn) -> dict[str, Any]:
        missing = [at for at, value in enumerate(row.logprobs) if not math.isfinite(value)]
        return {"logprobs_missing": missing} if missing else {"logprobs": list(row.logprobs)}

    def _routing(self, row: Drawn) -> Any:
        return row.experts

    def _listed(self, trajectories: list[Any]) -> list[Any]:
        return trajectories


class MiniatureTextRollout(MiniatureRollout):
    """Hands over text: what encodes is the engine, with the tokenizer's defaults."""

    hands_over_text = True

    def _encode(self, text: str) -> list[int]:
        return list(self.packer.tokenizer(text)["input_ids"])

    def _announce(self) -> None:
        if hasattr(self.packer, "adds_special_tokens") and self.packer.adds_special_tokens():
            self._warn(
                f"the engine encodes with the defaults of {type(self.packer.tokenizer).__name__}, which adds special "
                "tokens; the prompt ids that are recorded decide"
            )

    def _warn(self, message: str) -> None:
        warnings.warn(message, UserWarning, stacklevel=4)
