"""Tiny real models with random weights, and samples for the tests of the rollout bodies."""

import math
from typing import Any

import torch
import transformers

__all__ = ["EXPERT_KINDS", "Bigram", "dense", "experts", "forward_logprobs", "uniform"]

_COMMON = {
    "vocab_size": 640,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 64,
    "tie_word_embeddings": False,
}
_KINDS: dict[str, tuple[type, dict[str, Any]]] = {
    "qwen2": (transformers.Qwen2Config, {}),
    "llama": (transformers.LlamaConfig, {}),
    "qwen3_moe": (
        transformers.Qwen3MoeConfig,
        {"head_dim": 8, "moe_intermediate_size": 16, "num_experts": 8, "num_experts_per_tok": 2},
    ),
    "qwen2_moe": (
        transformers.Qwen2MoeConfig,
        {
            "moe_intermediate_size": 16,
            "shared_expert_intermediate_size": 16,
            "num_experts": 8,
            "num_experts_per_tok": 2,
            "decoder_sparse_step": 1,
        },
    ),
    "olmoe": (
        transformers.OlmoeConfig,
        {"num_experts": 8, "num_experts_per_tok": 2, "pad_token_id": 0, "eos_token_id": None},
    ),
    "mixtral": (transformers.MixtralConfig, {"num_local_experts": 8, "num_experts_per_tok": 2}),
    "gpt_oss": (transformers.GptOssConfig, {"head_dim": 8, "num_local_experts": 8, "num_experts_per_tok": 2}),
    "deepseek_v3": (
        transformers.DeepseekV3Config,
        {
            "moe_intermediate_size": 16,
            "n_routed_experts": 8,
            "num_experts_per_tok": 2,
            "n_group": 2,
            "topk_group": 1,
            "first_k_dense_replace": 1,
            "kv_lora_rank": 8,
            "q_lora_rank": 8,
            "qk_nope_head_dim": 8,
            "qk_rope_head_dim": 8,
            "v_head_dim": 8,
            "num_key_value_heads": 4,
        },
    ),
    "glm4_moe": (
        transformers.Glm4MoeConfig,  # one group of experts
        {
            "head_dim": 8,
            "moe_intermediate_size": 16,
            "n_routed_experts": 8,
            "num_experts_per_tok": 2,
            "first_k_dense_replace": 1,
        },
    ),
}
EXPERT_KINDS = [kind for kind, (_, more) in _KINDS.items() if more]


def dense(kind: str = "qwen2", seed: int = 0) -> Any:
    """A dense model in float32, whose likeliest id leads clearly: its last layer is made ten times as large."""
    if kind == "gpt2":
        config = transformers.GPT2Config(
            vocab_size=640, n_embd=32, n_layer=2, n_head=4, n_positions=64, bos_token_id=None, eos_token_id=None
        )
    else:
        config = _config(kind)
    return _sharpened(_built(config, seed))


def experts(kind: str = "qwen3_moe", seed: int = 0) -> Any:
    """A mixture-of-experts model whose routers tell tokens apart."""
    model = _built(_config(kind), seed)
    with torch.no_grad():
        for name, weights in model.named_parameters():
            if name.endswith(("gate.weight", "router.weight")):
                weights.copy_(torch.randn(weights.shape, generator=torch.Generator().manual_seed(seed)) * 0.5)
    return _sharpened(model)


class Bigram(torch.nn.Module):
    """A model that looks at the last id alone: row i of `table` holds the logits after id i. No mask, no cache."""

    def __init__(self, table: torch.Tensor) -> None:
        super().__init__()
        self.table = torch.nn.Embedding.from_pretrained(table, freeze=False)
        self.seen: list[list[list[int]]] = []

    def forward(self, input_ids: torch.Tensor) -> torch.Tensor:
        """Logits `[rows, width, V]`; what was asked is kept in `seen`."""
        self.seen.append(input_ids.tolist())
        return self.table(input_ids)


def uniform(*ids: int, size: int = 560) -> torch.Tensor:
    """Logits of a model that gives these ids the same probability, whatever came before."""
    table = torch.full((size, size), -math.inf)
    table[:, list(ids)] = 0.0
    return table


def forward_logprobs(model: Any, prompt: list[int], completion: list[int]) -> list[float]:
    """The logprob of every completion id by one forward pass over the row, as a trainer computes it."""
    with torch.no_grad():
        out = model(torch.tensor([prompt + completion]))
    rows = (out.logits if hasattr(out, "logits") else out)[0].float().log_softmax(-1)
    return [rows[len(prompt) - 1 + at, token].item() for at, token in enumerate(completion)]


def _sharpened(model: Any) -> Any:
    with torch.no_grad():
        model.get_output_embeddings().weight.mul_(10)
    return model


def _config(kind: str) -> Any:
    make, more = _KINDS[kind]
    return make(**{**_COMMON, **more})


def _built(config: Any, seed: int) -> Any:
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return transformers.AutoModelForCausalLM.from_config(config).float().eval()
