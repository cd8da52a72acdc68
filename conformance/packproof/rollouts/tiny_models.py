"""Tiny real models of transformers, made at random from a seed: fast, in float32, and clear about what they like."""

import math
import pickle
from functools import cache
from typing import Any, Literal

from packproof.models import model_path

__all__ = ["EXPERTS", "LAYERS", "LIMIT", "TOP_K", "Architecture", "come_with_settings", "let_drop_out", "tiny_model"]

Architecture = Literal["rotary", "learned", "experts"]
"""Qwen3, whose places are told apart by rotation; GPT-2, which learns its places; Qwen3-MoE, with routed experts."""

LIMIT = 64
"""How many ids they take, where nothing else is asked for."""

EXPERTS, TOP_K, LAYERS = 6, 2, 2
_WIDTH = 16


def tiny_model(
    architecture: Architecture, *, vocabulary: int, seed: int, spread: float, limit: int = LIMIT, folder: str = ""
) -> Any:
    """A causal language model in evaluation mode, with weights that depend on `seed` alone.

    `spread` is the standard deviation of its logits, `limit` its largest number of ids, and `folder` the embedded
    model that it says it comes from. Global random states are left as they were.
    """
    import torch

    model = pickle.loads(_pickled(architecture, vocabulary, limit, folder))  # noqa: S301  our own bytes
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, weights in model.named_parameters():
            if weights.dim() < 2:
                weights.fill_(float(name.endswith("weight")))  # of a norm; what else has one axis is a bias
            else:
                scale = 1.0 if "emb" in name or "wte" in name or "wpe" in name else 2 / math.sqrt(weights.shape[-1])
                weights.normal_(0, scale, generator=generator)
        model.lm_head.weight.mul_(spread / 2)
    return model


def come_with_settings(model: Any) -> None:
    """Let a model have settings for generation, as the folders of many models do."""
    import transformers

    settings = {"do_sample": True, "temperature": 0.3, "top_k": 5, "top_p": 0.5, "repetition_penalty": 1.5}
    model.generation_config = transformers.GenerationConfig(**settings)


def let_drop_out(model: Any) -> None:
    """Put a model into training mode, in which half of what its dropout looks at is dropped."""
    for module in model.modules():
        for name in ("p", "attention_dropout"):  # of a Dropout, and of attention
            if hasattr(module, name):
                setattr(module, name, 0.5)
    model.train()


@cache
def _pickled(architecture: Architecture, vocabulary: int, limit: int, folder: str) -> bytes:
    """A model before it gets its weights: reading it back takes a third of the time of building it."""
    import torch

    config, made = _configured(architecture, vocabulary, limit)
    config.name_or_path = str(model_path(folder)) if folder else ""
    with torch.random.fork_rng(devices=[]):
        return pickle.dumps(made(config).eval())


def _configured(architecture: Architecture, vocabulary: int, limit: int) -> tuple[Any, Any]:
    """The configuration, and the class that is made from it."""
    import transformers

    if architecture == "learned":
        sizes = {"n_embd": _WIDTH, "n_layer": 1, "n_head": 2, "n_positions": limit}
        own = {"resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0, "bos_token_id": None, "eos_token_id": None}
        config = transformers.GPT2Config(vocab_size=vocabulary, tie_word_embeddings=False, **sizes, **own)
        return config, transformers.GPT2LMHeadModel
    shared: dict[str, Any] = {
        "vocab_size": vocabulary,
        "hidden_size": _WIDTH,
        "intermediate_size": _WIDTH,
        "num_attention_heads": 2,
        "num_key_value_heads": 1,
        "head_dim": 8,
        "max_position_embeddings": limit,
        "tie_word_embeddings": False,
    }
    if architecture == "rotary":
        return transformers.Qwen3Config(num_hidden_layers=1, **shared), transformers.Qwen3ForCausalLM
    experts = {"num_experts": EXPERTS, "num_experts_per_tok": TOP_K, "moe_intermediate_size": 8}
    config = transformers.Qwen3MoeConfig(num_hidden_layers=LAYERS, norm_topk_prob=True, **experts, **shared)
    return config, transformers.Qwen3MoeForCausalLM
