"""The body that speaks to an engine through the public interface of `vllm.LLM`."""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from packer_reference.rollouts.body import RolloutBody
from packer_reference.rollouts.engine_answers import draw_of, in_order
from packer_reference.rollouts.inputs import refuse_long
from packer_reference.rollouts.records import Draw
from packer_reference.token_ids import token_ids
from packer_schemas import SpecialTokenGuard

__all__ = ["VLLMRollout"]

_SET_HERE = {
    "ignore_eos": "stop_token_ids alone say where a generation ends",
    "logprobs": "the logprob of the sampled id is always asked for",
    "truncate_prompt_tokens": "nothing is cut",
}


class VLLMRollout(RolloutBody):
    """Hands `llm` the packer's prompts, text as text and ids as ids, and records what the engine reports.

    `llm` is a `vllm.LLM`, or any object with its `generate(prompts, sampling_params, use_tqdm=False)`, such as
    `InProcessLLM`. Each of the B * G completions is a request of its own, with a seed of its own where one is set.
    Further keys of `sampling` go to the engine's `SamplingParams`. Warns where the packer's tokenizer adds special
    tokens. Raises `ValueError` for `packer=None`, for sampling that cannot be kept, for an engine that reports other
    logprobs than the model's own, and for `routing_replay` on one that does not record; `TypeError` for what is no
    packer and no engine. Spec: bodies, BODY-1, BODY-4, BODY-9 and BODY-14.
    """

    hands_over_text = True

    def __init__(
        self, llm: Any, *, packer: Any, sampling: Mapping[str, Any] | None = None, routing_replay: bool = False
    ) -> None:
        super().__init__(packer=packer, sampling=sampling, routing_replay=routing_replay)
        if isinstance(llm, type) or hasattr(llm, "forward") or not callable(getattr(llm, "generate", None)):
            what = f"the class {llm.__name__}" if isinstance(llm, type) else f"a {type(llm).__name__}"
            raise TypeError(
                f"VLLMRollout: llm is {what}, expected a vllm.LLM or what has its generate; a model of transformers "
                "goes to HFRollout, or into InProcessLLM"
            )
        for key in self.sampling.engine.keys() & _SET_HERE:
            raise ValueError(
                f"VLLMRollout: sampling has the key {key!r}, which this body sets itself: {_SET_HERE[key]}"
            )
        mode = _setting(llm, "logprobs_mode")
        if mode not in {None, "raw_logprobs"}:
            raise ValueError(
                f"VLLMRollout: the engine reports {mode}, expected the model's own logprobs, before temperature; build "
                "it with logprobs_mode='raw_logprobs'"
            )
        if routing_replay and _setting(llm, "enable_return_routed_experts") is False:
            raise ValueError(
                "VLLMRollout: routing_replay=True, and the engine does not return routed experts; switch "
                "enable_return_routed_experts on, on a model that has them"
            )
        self.llm = llm
        if self.sampling.engine:
            self._sampling_params(None)
        if isinstance(packer, SpecialTokenGuard) and packer.adds_special_tokens():
            warnings.warn(
                f"VLLMRollout: {type(self.tokenizer).__name__} adds special tokens where the engine encodes a text, "
                "and the packer adds none. The recorded prompt ids decide: they are those that the engine used, and "
                "whoever encodes the prompt anew scores another prefix",
                UserWarning,
                stacklevel=2,
            )

    def _draw(self, inputs: Sequence[Any]) -> list[Draw]:
        group, where = self.sampling.n, "VLLMRollout.generate: sample"
        limit = _setting(self.llm, "max_model_len")
        prompts = [_handed(given, limit, f"{where} {at}") for at, given in enumerate(inputs)]
        prompts = [dict(one) if isinstance(one, dict) else one for one in prompts for _ in range(group)]
        seeds = [None if self.sampling.seed is None else self._next_seed() for _ in prompts]
        settings = [self._sampling_params(seed) for seed in seeds]
        answers = in_order(self.llm.generate(prompts, settings, use_tqdm=False), len(prompts))
        return [
            draw_of(answer, prompt, f"{where} {at // group}, completion {at % group}")
            for at, (answer, prompt) in enumerate(zip(answers, prompts, strict=True))
        ]

    def _sampling_params(self, seed: int | None) -> Any:
        """The settings of one request; `ValueError` for keys that the engine does not know."""
        sampling = self.sampling
        make = _sampling_params_class(self.llm)
        fixed: dict[str, Any] = {
            **sampling.engine,
            "n": 1,
            "temperature": sampling.temperature,
            "max_tokens": sampling.max_tokens,
            "stop_token_ids": sorted(self._stop_ids()),
            "ignore_eos": True,  # else the engine's own end of sequence would stop it as well
            "logprobs": 0,
        }
        try:
            return make(**fixed, seed=seed)
        except TypeError as error:
            raise ValueError(
                f"VLLMRollout: the engine's {make.__name__} does not take these keys of sampling: {error}"
            ) from error


def _handed(given: Any, limit: int | None, where: str) -> Any:
    """The prompt as the engine takes it: a text, or a mapping with every entry of the packer's."""
    if isinstance(given, str):
        return given
    if not isinstance(given, Mapping):
        ids = token_ids(given, f"{where}, rollout input")
        given = {"prompt_token_ids": ids}
    handed = dict(given)
    if handed.get("prompt_token_ids") is not None:
        ids = token_ids(handed["prompt_token_ids"], f"{where}, prompt_token_ids")
        if not ids:
            raise ValueError(f"{where}: prompt_token_ids is empty; an engine needs at least one id")
        refuse_long(len(ids), limit, where)
        handed["prompt_token_ids"] = ids
    return handed


def _sampling_params_class(llm: Any) -> Any:
    defaults = getattr(llm, "get_default_sampling_params", None)
    if callable(defaults):
        return type(defaults())
    try:
        from vllm import SamplingParams  # pyright: ignore[reportMissingImports]
    except ImportError as error:
        raise ImportError(
            f"VLLMRollout: {type(llm).__name__} has no get_default_sampling_params, and vLLM's SamplingParams cannot "
            f"be imported here ({error}); give the engine that method"
        ) from error
    return SamplingParams


def _setting(llm: Any, name: str) -> Any:
    """A setting of the engine, or None where it does not say."""
    engine = getattr(llm, "llm_engine", None)
    # Routed experts are a setting of the model in some versions of vLLM, and of the auxiliary outputs in others.
    auxiliary = getattr(getattr(engine, "vllm_config", None), "aux_output_config", None)
    for config in (getattr(llm, "model_config", None), getattr(engine, "model_config", None), auxiliary):
        if hasattr(config, name):
            return getattr(config, name)
    return None
