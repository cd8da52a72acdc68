"""A vLLM engine, and the body around it, from a run's configuration."""

from collections.abc import Mapping
from typing import Any

from packer_reference.rollouts.body import expect_packer
from packer_reference.rollouts.sampling import read_sampling
from packer_reference.rollouts.vllm import VLLMRollout

__all__ = ["build_vllm_rollout"]

_KEYS = ("name_or_path", "trust_remote_code", "sampling", "routing_replay", "engine")


def build_vllm_rollout(cfg: Any, packer: Any) -> VLLMRollout:
    """A `VLLMRollout` around a new `vllm.LLM`; the one place that imports vLLM.

    `cfg` is a mapping or an object with `name_or_path`, and, where they are set, `trust_remote_code`, `sampling`,
    `routing_replay`, and `engine`: further arguments of `vllm.LLM`, such as `max_model_len`, and what makes it return
    routed experts, which has another name in every line of versions. Nothing is started before packer and
    configuration are looked at. Raises `ValueError` for `packer=None`, a configuration without
    `name_or_path`, and keys that it does not know, `TypeError` for what is no packer, `ImportError` where vLLM is not
    installed. Spec: bodies, BODY-1.
    """
    expect_packer(packer, "build_vllm_rollout")
    given = _read(cfg)
    read_sampling(given.get("sampling"), "build_vllm_rollout")
    try:
        from vllm import LLM  # pyright: ignore[reportMissingImports]
    except ImportError as error:
        raise ImportError(
            f"build_vllm_rollout: vLLM cannot be imported here ({error}); install it, or run a transformers model with "
            "HFRollout(model, packer=packer)"
        ) from error
    routing_replay = given.get("routing_replay", False)
    arguments: dict[str, Any] = {"logprobs_mode": "raw_logprobs", **(given.get("engine") or {})}
    llm = LLM(model=given["name_or_path"], trust_remote_code=bool(given.get("trust_remote_code", False)), **arguments)
    return VLLMRollout(llm, packer=packer, sampling=given.get("sampling"), routing_replay=routing_replay)


def _read(cfg: Any) -> dict[str, Any]:
    if isinstance(cfg, Mapping):
        given = {str(key): value for key, value in cfg.items()}
        unknown = sorted(given.keys() - set(_KEYS))
        if unknown:
            raise ValueError(f"build_vllm_rollout: cfg has the keys {unknown}, expected only {', '.join(_KEYS)}")
    else:
        given = {key: getattr(cfg, key) for key in _KEYS if hasattr(cfg, key)}
    if not given.get("name_or_path"):
        raise ValueError(
            f"build_vllm_rollout: cfg names no model; set name_or_path, the model's id or folder, in {cfg!r}"
        )
    return given
