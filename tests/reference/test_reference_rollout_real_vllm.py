"""VLLMRollout on a real vLLM, where one is installed: what it relies on is what the engine does.

vLLM wants an environment of its own, so that the project's does not bring it. With `vllm-cpu` 0.32, one thread and a
tiny model the tests of this file take under a minute, most of it the engine's start.
"""

import importlib.util
import os
from typing import Any

import pytest
import torch
import transformers
from reference_samples import observe, packer_on
from tiny_models import forward_logprobs

from packer_reference import DecoderOnlyLLMDataPacker
from packer_reference.rollouts import HFRollout, VLLMRollout, build_vllm_rollout
from packproof.models import resolve_model

pytestmark = pytest.mark.skipif(importlib.util.find_spec("vllm") is None, reason="vLLM is not installed here")

SETTINGS = {
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_NO_USAGE_STATS": "1",
    "VLLM_LOGGING_LEVEL": "ERROR",
    "DO_NOT_TRACK": "1",
}
TEXTS = ["Hi", "What is 6 times 7? Answer in one word.", "a b c"]


@pytest.fixture(scope="module")
def packer() -> DecoderOnlyLLMDataPacker:
    """A packer on tiny-llama3, whose tokenizer adds a BOS."""
    return packer_on("tiny-llama3")


@pytest.fixture(scope="module")
def model() -> Any:
    """A tiny Qwen2 in float32, with heads as large as vLLM's kernels want them."""
    config = transformers.Qwen2Config(
        vocab_size=640,
        hidden_size=128,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=4,
        max_position_embeddings=256,
        tie_word_embeddings=False,
        eos_token_id=2,
    )
    torch.manual_seed(0)
    model = transformers.AutoModelForCausalLM.from_config(config).float().eval()
    with torch.no_grad():
        model.get_output_embeddings().weight.mul_(10)
    return model


@pytest.fixture(scope="module")
def llm(tmp_path_factory: pytest.TempPathFactory, packer: Any, model: Any) -> Any:
    """The engine that a configuration starts, on the model's folder."""
    os.environ.update(SETTINGS)
    folder = tmp_path_factory.mktemp("engine") / "model"
    model.save_pretrained(folder)
    transformers.AutoTokenizer.from_pretrained(resolve_model("tiny-llama3")).save_pretrained(folder)
    engine = {"max_model_len": 128, "enforce_eager": True, "dtype": "float32", "max_num_seqs": 16}
    with pytest.warns(UserWarning, match="adds special tokens"):
        return build_vllm_rollout({"name_or_path": str(folder), "engine": engine}, packer).llm


@pytest.mark.filterwarnings("ignore:VLLMRollout:UserWarning")
def test_the_record_is_what_the_engine_did(llm: Any, packer: Any, model: Any) -> None:
    """Prompt ids have the engine's BOS or are those given, groups stand in order, and logprobs are a trainer's."""
    sampling = {"n": 3, "max_tokens": 12, "temperature": 0.8, "seed": 1}
    calls = []
    for _ in range(2):
        body = VLLMRollout(llm, packer=packer, sampling=sampling)
        calls.append(body.generate([observe(text) for text in TEXTS], prompt_ids=[None, None, [71, 68, 75]]))
    made, again = calls
    encoded = [[555, *packer.tokenizer(text, add_special_tokens=False)["input_ids"]] for text in TEXTS[:2]]
    assert [each.policy_info["prompt_ids"] for each in made[::3]] == [*encoded, [71, 68, 75]]
    for first in (0, 3, 6):
        assert len({tuple(each.policy_info["completion_ids"]) for each in made[first : first + 3]}) == 3
    for each, other in zip(made, again, strict=True):
        info = each.policy_info
        assert info["completion_ids"] == other.policy_info["completion_ids"]
        scored = forward_logprobs(model, info["prompt_ids"], info["completion_ids"])
        assert info["logprobs"] == pytest.approx(scored, abs=1e-4)


@pytest.mark.filterwarnings("ignore:VLLMRollout:UserWarning")
def test_greedy_groups_equal_those_of_the_other_body(llm: Any, packer: Any, model: Any) -> None:
    """Under greedy decoding groups are legal, equal HFRollout's on the same ids, and end with the stop token."""
    samples = [observe(text) for text in TEXTS]
    sampling = {"n": 2, "max_tokens": 8, "temperature": 0}
    made = VLLMRollout(llm, packer=packer, sampling=sampling).generate(samples)
    given = [each.policy_info["prompt_ids"] for each in made[::2]]
    own = HFRollout(model, packer=packer, sampling=sampling).generate(samples, prompt_ids=given)
    ids = [each.policy_info["completion_ids"] for each in made]
    assert ids == [each.policy_info["completion_ids"] for each in own]
    stopping = {"max_tokens": 8, "temperature": 0, "stop_token_ids": [ids[0][2]]}
    (one,) = VLLMRollout(llm, packer=packer, sampling=stopping).generate(samples[:1])
    assert one.policy_info["completion_ids"] == ids[0][:3]


@pytest.mark.filterwarnings("ignore:VLLMRollout:UserWarning")
def test_what_the_engine_cannot_do_is_refused(llm: Any, packer: Any) -> None:
    """A prompt that fills the engine, a key that it does not have, and routing that it does not return."""
    with pytest.raises(ValueError, match="sample 0 has 128 prompt ids, and the model takes 128"):
        VLLMRollout(llm, packer=packer).generate([observe("Hi")], prompt_ids=[[71] * 128])
    with pytest.raises(ValueError, match="top_q"):
        VLLMRollout(llm, packer=packer, sampling={"top_q": 1}).generate([observe("Hi")])
    with pytest.raises(ValueError, match="does not return routed experts"):
        VLLMRollout(llm, packer=packer, routing_replay=True)
