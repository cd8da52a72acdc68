"""An engine of vLLM's public interface that drives a transformers model in this process. It is no vLLM."""

import itertools
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from packer_reference.moe.record import RoutingRecorder
from packer_reference.rollouts.decoding import Request, decode
from packer_reference.rollouts.forward_pass import length_limit, vocabulary
from packer_reference.rollouts.inputs import refuse_long, refuse_unknown
from packer_reference.rollouts.records import Draw
from packer_reference.token_ids import token_ids

__all__ = ["CompletionOutput", "InProcessLLM", "Logprob", "RequestOutput", "SamplingParams"]


@dataclass
class SamplingParams:
    """How one request is sampled, under the names and defaults that vLLM has for it."""

    n: int = 1
    temperature: float = 1.0
    max_tokens: int = 16
    stop_token_ids: list[int] = field(default_factory=list)
    ignore_eos: bool = False
    seed: int | None = None
    logprobs: int | None = None

    def __post_init__(self) -> None:
        if self.temperature == 0 and self.n > 1:
            raise ValueError(f"SamplingParams: n is {self.n}, and greedy sampling has one completion, as in vLLM")


@dataclass
class Logprob:
    """The logprob of one id at one place."""

    logprob: float
    rank: int | None = None
    decoded_token: str | None = None


@dataclass
class CompletionOutput:
    """One completion of a request; `routed_experts` is `[P + C - 1, layers, top_k]`, prompt first."""

    index: int
    text: str
    token_ids: list[int]
    cumulative_logprob: float | None
    logprobs: list[dict[int, Logprob]] | None
    routed_experts: Any = None
    finish_reason: str | None = None
    stop_reason: int | str | None = None


@dataclass
class RequestOutput:
    """The answer to one request."""

    request_id: str
    prompt: str | None
    prompt_token_ids: list[int]
    outputs: list[CompletionOutput]
    finished: bool = True


class InProcessLLM:
    """Generates with `model`, and encodes texts with `tokenizer` and its defaults, special tokens among them.

    It has of `vllm.LLM` what a body asks: `generate`, `get_default_sampling_params` and `model_config`. There is no
    paging, no batching across calls and no prefix cache, and it takes no media; it shows a body an engine that encodes
    for itself. `ValueError` for `enable_return_routed_experts` on a model that has none.
    """

    def __init__(self, model: Any, tokenizer: Any, *, enable_return_routed_experts: bool = False) -> None:
        self._model, self._tokenizer = model, tokenizer
        self._recorder = RoutingRecorder(model) if enable_return_routed_experts else None
        self._numbers = itertools.count()
        self.model_config = SimpleNamespace(
            max_model_len=length_limit(model),
            logprobs_mode="raw_logprobs",
            enable_return_routed_experts=enable_return_routed_experts,
        )

    def get_default_sampling_params(self) -> SamplingParams:
        """The settings of a request that names none."""
        return SamplingParams()

    def generate(self, prompts: Any, sampling_params: Any = None, *, use_tqdm: bool = True) -> list[RequestOutput]:
        """An answer for each prompt: a text, or a mapping with `prompt` or `prompt_token_ids`.

        `sampling_params` is one for all or a list; `use_tqdm` is taken and shows nothing. Raises `ValueError` for a
        prompt that is empty, too long, has media or an id beyond the vocabulary, and for another number of settings
        than prompts.
        """
        del use_tqdm
        if isinstance(prompts, str | Mapping):
            prompts = [prompts]
        encoded = [self._encoded(prompt, f"InProcessLLM.generate: prompt {at}") for at, prompt in enumerate(prompts)]
        if not isinstance(sampling_params, Sequence):
            sampling_params = [sampling_params or SamplingParams()] * len(encoded)
        if len(sampling_params) != len(encoded):
            raise ValueError(
                f"InProcessLLM.generate: {len(sampling_params)} sampling_params for {len(encoded)} prompts"
            )
        requests = [
            self._request(f"InProcessLLM.generate: prompt {at}, completion {turn}", ids, settings, turn)
            for at, (ids, settings) in enumerate(zip(encoded, sampling_params, strict=True))
            for turn in range(settings.n)
        ]
        drawn = zip(requests, decode(self._model, requests, self._recorder), strict=True)
        return [
            RequestOutput(
                str(next(self._numbers)),
                prompt if isinstance(prompt, str) else prompt.get("prompt"),
                ids,
                [self._output(turn, *next(drawn), settings) for turn in range(settings.n)],
            )
            for prompt, ids, settings in zip(prompts, encoded, sampling_params, strict=True)
        ]

    def _encoded(self, prompt: Any, where: str) -> list[int]:
        entries = {"prompt": prompt} if isinstance(prompt, str) else prompt
        for name in entries.keys() - {"prompt", "prompt_token_ids"}:
            if entries[name]:
                raise ValueError(f"{where}: InProcessLLM takes no {name!r}; it has text and ids alone")
        ids = entries.get("prompt_token_ids")
        if ids is None:
            ids = self._tokenizer(entries["prompt"])["input_ids"]
        ids = token_ids(ids, where)
        if not ids:
            raise ValueError(f"{where} is empty; an engine needs at least one id")
        refuse_long(len(ids), self.model_config.max_model_len, where)
        refuse_unknown(ids, vocabulary(self._model), where)
        return ids

    def _request(self, where: str, ids: list[int], settings: SamplingParams, turn: int) -> Request:
        stop = set(settings.stop_token_ids)
        if not settings.ignore_eos and self._tokenizer.eos_token_id is not None:
            stop.add(self._tokenizer.eos_token_id)
        seed = secrets.randbits(62) if settings.seed is None else settings.seed + turn
        return Request(where, ids, settings.temperature, settings.max_tokens, frozenset(stop), seed)

    def _output(self, turn: int, request: Request, draw: Draw, settings: SamplingParams) -> CompletionOutput:
        ids, scores = draw.completion_ids, [float(one) for one in draw.logprobs or () if one is not None]
        return CompletionOutput(
            index=turn,
            text=self._tokenizer.decode(ids),
            token_ids=ids,
            cumulative_logprob=sum(scores),
            logprobs=None
            if settings.logprobs is None
            else [{token: Logprob(score)} for token, score in zip(ids, scores, strict=True)],
            routed_experts=None if draw.routed_experts is None else draw.routed_experts.numpy(),
            finish_reason="stop" if ids[-1] in request.stop_token_ids else "length",
        )
