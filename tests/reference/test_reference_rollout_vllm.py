"""VLLMRollout hands an engine of vLLM's interface the packer's prompts, and records what the engine reports."""

import copy
import dataclasses
import sys
import warnings
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from edited_engine import GREEDY, TEXTS, Edited, ids_of
from reference_samples import observe, packer_on
from tiny_models import dense, forward_logprobs

from packer_reference import DecoderOnlyLLMDataPacker
from packer_reference.rollouts import HFRollout, InProcessLLM, VLLMRollout, build_vllm_rollout
from packproof.models import resolve_model


@pytest.fixture(scope="module")
def model() -> Any:
    """A tiny Qwen2 with random weights; shared, so leave it as it is."""
    return dense()


@pytest.fixture
def llm(model: Any, packer: Any) -> InProcessLLM:
    """An engine around it, with the tokenizer of tiny-qwen."""
    return InProcessLLM(model, packer.tokenizer)


@pytest.mark.parametrize(
    "call",
    [
        lambda llm, packer: VLLMRollout(llm),
        VLLMRollout,
        lambda llm, packer: VLLMRollout(llm, {"n": 2}, packer=packer),
        lambda llm, packer: VLLMRollout(llm, packer=packer, tokenizer=packer.tokenizer),
        lambda llm, packer: VLLMRollout(object(), packer=packer),
        lambda llm, packer: VLLMRollout(llm, packer=object()),
    ],
)
def test_a_stale_call_is_a_type_error(llm: Any, packer: Any, call: Callable[[Any, Any], Any]) -> None:
    """Whatever is left out, given by place, or no packer and no engine, is refused at construction."""
    with pytest.raises(TypeError):
        call(llm, packer)


def test_no_packer_is_refused_with_a_call_that_builds_one(llm: Any) -> None:
    """None for a packer names the body, the argument and init_data_packer."""
    with pytest.raises(ValueError, match=r"VLLMRollout requires a DataPacker.*packer=None.*init_data_packer"):
        VLLMRollout(llm, packer=None)


def test_text_is_handed_over_and_the_engine_s_ids_are_recorded(model: Any) -> None:
    """On a tokenizer that adds a BOS the engine sees a text, and the record has the BOS that the model read."""
    packer = packer_on("tiny-llama3")
    engine = Edited(InProcessLLM(model, packer.tokenizer))
    with pytest.warns(UserWarning, match="adds special tokens"):
        body = VLLMRollout(engine, packer=packer, sampling={**GREEDY, "n": 2})
    made = body.generate([observe("Hi")])
    assert engine.handed == ["Hi", "Hi"]
    assert [each.policy_info["prompt_ids"] for each in made] == [[555, 40, 73]] * 2
    assert made[0].policy_info["prompt_ids"] is not made[1].policy_info["prompt_ids"]


@pytest.mark.parametrize(("name", "warned"), [("tiny-llama3", 1), ("tiny-spm", 1), ("tiny-qwen", 0), ("tiny-gpt2", 0)])
def test_a_body_warns_once_where_the_tokenizer_adds_special_tokens(model: Any, name: str, warned: int) -> None:
    """The warning names the tokenizer's class and what decides; a body that encodes itself has nothing to warn of."""
    packer = packer_on(name)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        HFRollout(model, packer=packer)
        VLLMRollout(InProcessLLM(model, packer.tokenizer), packer=packer)
    said = [str(each.message) for each in caught]
    assert len(said) == warned
    assert all(type(packer.tokenizer).__name__ in one and "recorded prompt ids decide" in one for one in said)


@pytest.mark.parametrize("kind", ["qwen2", "llama"])
def test_both_bodies_say_the_same_of_one_model(packer: Any, kind: str) -> None:
    """Where the tokenizer adds nothing, greedy ids are equal, and logprobs are those of a trainer's forward pass."""
    model = dense(kind)
    samples = [observe(text) for text in TEXTS]
    sampling = {**GREEDY, "n": 2}
    handed = VLLMRollout(InProcessLLM(model, packer.tokenizer), packer=packer, sampling=sampling).generate(samples)
    own = HFRollout(model, packer=packer, sampling=sampling).generate(samples)
    for one, other in zip(handed, own, strict=True):
        assert one.obs is other.obs
        assert one.completion == other.completion
        for key in ("prompt_ids", "completion_ids"):
            assert one.policy_info[key] == other.policy_info[key]
        info = one.policy_info
        scored = forward_logprobs(model, info["prompt_ids"], info["completion_ids"])
        assert info["logprobs"] == pytest.approx(scored, abs=1e-5)


def test_given_ids_are_handed_over_as_ids(llm: Any, packer: Any) -> None:
    """A sample with ids becomes `prompt_token_ids`, beside others as text, and one that fills the model is refused."""
    engine = Edited(llm)
    body = VLLMRollout(engine, packer=packer, sampling=GREEDY)
    made = body.generate([observe("he"), observe("he")], prompt_ids=[[71, 68], None])
    assert engine.handed == [{"prompt_token_ids": [71, 68]}, "he"]
    assert [each.policy_info["prompt_ids"] for each in made] == [[71, 68], [257]]
    with pytest.raises(ValueError, match=r"sample 1 has 64 prompt ids, and the model takes 64"):
        body.generate([observe("he")] * 2, prompt_ids=[None, [71] * 64])


class Media(DecoderOnlyLLMDataPacker):
    """Hands over two images with their content ids, and a setting of the processor."""

    def get_rollout_input(self, item: Any) -> Any:
        uuids = {"image": ["a", "b"]}
        settings = {"do_resize": False}
        data = {"image": item["images"]}
        return {"prompt": "Hi", "multi_modal_data": data, "multi_modal_uuids": uuids, "mm_processor_kwargs": settings}


class Expanding:
    """An engine that takes media: it puts eight ids in the place of every image."""

    def __init__(self, llm: Any) -> None:
        self._llm, self.handed = llm, []
        self.get_default_sampling_params = llm.get_default_sampling_params

    def generate(self, prompts: Any, sampling_params: Any, *, use_tqdm: bool) -> Any:
        self.handed += prompts
        ids = [{"prompt_token_ids": [71] * 8 * len(one["multi_modal_data"]["image"])} for one in prompts]
        return self._llm.generate(ids, sampling_params)


def test_media_reach_the_engine_whole_and_stay_on_the_trajectory(llm: Any) -> None:
    """Every entry of a mapping is handed over, the ids after expansion are recorded, and `obs` is the sample."""
    packer = Media()
    packer.setup(resolve_model("tiny-qwen"))
    sample, engine = {"images": ["one", "two"]}, Expanding(llm)
    made = VLLMRollout(engine, packer=packer, sampling={**GREEDY, "n": 2}).generate([sample])
    assert engine.handed == [packer.get_rollout_input(sample)] * 2
    assert engine.handed[0]["multi_modal_data"]["image"] is sample["images"]
    assert [each.obs for each in made] == [{"images": ["one", "two"]}] * 2
    assert [each.policy_info["prompt_ids"] for each in made] == [[71] * 16] * 2


def test_an_engine_that_takes_no_media_says_which(llm: Any) -> None:
    """The error of the engine names the entry."""
    packer = Media()
    packer.setup(resolve_model("tiny-qwen"))
    with pytest.raises(ValueError, match="takes no 'm"):
        VLLMRollout(llm, packer=packer).generate([{"images": ["one"]}])


def test_stop_tokens_are_the_body_s_and_the_stop_token_stays(llm: Any, packer: Any) -> None:
    """The engine's own end of sequence does not stop it beside others, and the last id is the one that did."""
    (full,) = ids_of(VLLMRollout(llm, packer=packer, sampling=GREEDY).generate([observe("Hi")]))
    sampling = {**GREEDY, "stop_token_ids": [full[3]]}
    assert ids_of(VLLMRollout(llm, packer=packer, sampling=sampling).generate([observe("Hi")])) == [full[:4]]
    own = packer_on("tiny-qwen")
    own.tokenizer.eos_token_id = full[1]
    stops = InProcessLLM(llm._model, own.tokenizer)
    assert ids_of(VLLMRollout(stops, packer=own, sampling=sampling).generate([observe("Hi")])) == [full[:4]]
    ends = {"temperature": 0, "max_tokens": 6}
    assert ids_of(VLLMRollout(stops, packer=own, sampling=ends).generate([observe("Hi")])) == [full[:2]]


def test_every_completion_is_a_request_with_a_seed_of_its_own(llm: Any, packer: Any) -> None:
    """With a seed set equal bodies repeat each other, call by call, and no two draws of theirs share a seed."""
    runs, seeds = [], []
    for _ in range(2):
        engine = Edited(llm)
        body = VLLMRollout(engine, packer=packer, sampling={"n": 3, "max_tokens": 6, "seed": 4, "temperature": 2.0})
        run = []
        for _ in range(2):
            run.append(ids_of(body.generate([observe("Hi"), observe("Hi")])))
            seeds += [one.seed for one in engine.settings]
            assert [one.n for one in engine.settings] == [1] * 6
        runs.append(run)
    assert runs[0] == runs[1]
    assert len({tuple(ids) for call in runs[0] for ids in call}) == 12
    assert len(set(seeds)) == 12


def test_without_a_seed_none_is_handed_over_and_draws_are_separate(llm: Any, packer: Any) -> None:
    """The engine draws as it likes, and a group is not four times one draw."""
    engine = Edited(llm)
    made = VLLMRollout(engine, packer=packer, sampling={"n": 4, "max_tokens": 8}).generate([observe("Hi")])
    assert [one.seed for one in engine.settings] == [None] * 4
    assert len({tuple(ids) for ids in ids_of(made)}) > 1


@pytest.mark.parametrize("mode", ["processed_logprobs", "raw_logits"])
def test_an_engine_that_reports_other_logprobs_is_refused(llm: Any, packer: Any, mode: str) -> None:
    """Numbers after temperature, and numbers that are no logprobs, are not recorded as the model's own."""
    llm.model_config.logprobs_mode = mode
    with pytest.raises(ValueError, match=rf"reports {mode}.*logprobs_mode='raw_logprobs'"):
        VLLMRollout(llm, packer=packer)


@pytest.mark.parametrize(
    ("sampling", "says"),
    [
        ({"n": 0}, r"sampling\['n'\] is 0"),
        ({"logprobs": 5}, "'logprobs', which this body sets itself"),
        ({"ignore_eos": False}, "'ignore_eos'"),
        ({"truncate_prompt_tokens": 4}, "'truncate_prompt_tokens'.*nothing is cut"),
    ],
)
def test_sampling_that_cannot_be_kept_is_refused(llm: Any, packer: Any, sampling: Any, says: str) -> None:
    """Values outside their range, and keys that would undo what the body promises, are refused at construction."""
    with pytest.raises(ValueError, match=says):
        VLLMRollout(llm, packer=packer, sampling=sampling)


def test_further_keys_are_the_engine_s(llm: Any, packer: Any) -> None:
    """A key that the engine's SamplingParams does not take is a ValueError that names it, at construction."""
    with pytest.raises(ValueError, match="top_q"):
        VLLMRollout(llm, packer=packer, sampling={"top_q": 1})


def test_an_engine_without_its_settings_class_leads_to_vllm_s(llm: Any, packer: Any) -> None:
    """Where neither the engine nor vLLM brings SamplingParams, the message says which method to give the engine."""
    bare = SimpleNamespace(generate=llm.generate)
    if "vllm" in sys.modules:
        pytest.skip("vLLM is imported here, and its SamplingParams are taken")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "vllm", None)
        with pytest.raises(ImportError, match="get_default_sampling_params"):
            VLLMRollout(bare, packer=packer).generate([observe("Hi")])


def test_generate_leaves_everything_as_it_was(llm: Any, packer: Any) -> None:
    """Samples, ids, sampling and the tokenizer's settings are those of before."""
    samples, ids = [observe([{"role": "user", "content": "Hi"}]), observe("a")], [None, [71, 68]]
    sampling = {"n": 2, "max_tokens": 3, "stop_token_ids": [1, 2]}

    def state() -> Any:
        tokenizer = packer.tokenizer
        return copy.deepcopy((samples, ids, sampling, tokenizer.padding_side, tokenizer.pad_token_id))

    before = state()
    VLLMRollout(llm, packer=packer, sampling=sampling).generate(samples, prompt_ids=ids)
    assert state() == before


def test_an_engine_that_does_not_record_is_refused_at_construction(llm: Any, packer: Any) -> None:
    """Its setting says so, and so does a model without routed experts; without replay the key is absent."""
    with pytest.raises(ValueError, match="routing_replay=True, and the engine does not return routed experts"):
        VLLMRollout(llm, packer=packer, routing_replay=True)
    with pytest.raises(ValueError, match="no routed experts"):
        InProcessLLM(llm._model, packer.tokenizer, enable_return_routed_experts=True)
    made = VLLMRollout(llm, packer=packer, sampling=GREEDY).generate([observe("Hi")])
    assert "rollout_routed_experts" not in made[0].policy_info


@pytest.mark.parametrize(
    "cfg", [{"name_or_path": "somewhere"}, SimpleNamespace(name_or_path="somewhere", sampling=None)]
)
def test_a_body_from_a_configuration_needs_vllm(packer: Any, monkeypatch: pytest.MonkeyPatch, cfg: Any) -> None:
    """Where vLLM cannot be imported the message says so, and what else there is."""
    monkeypatch.setitem(sys.modules, "vllm", None)
    with pytest.raises(ImportError, match=r"vLLM cannot be imported here.*HFRollout"):
        build_vllm_rollout(cfg, packer)


@pytest.mark.parametrize(
    ("cfg", "says"),
    [
        ({}, "cfg names no model"),
        (SimpleNamespace(), "cfg names no model"),
        ({"name_or_path": "m", "model": "m"}, r"cfg has the keys \['model'\]"),
        ({"name_or_path": "m", "sampling": {"n": 0}}, r"sampling\['n'\] is 0"),
    ],
)
def test_a_configuration_is_looked_at_before_vllm_is(packer: Any, cfg: Any, says: str) -> None:
    """What a configuration lacks or spells wrong is said before anything is imported or started."""
    with pytest.raises(ValueError, match=says):
        build_vllm_rollout(cfg, packer)
    with pytest.raises(ValueError, match="build_vllm_rollout requires a DataPacker"):
        build_vllm_rollout(cfg, None)


@pytest.mark.parametrize(
    ("prompts", "settings", "says"),
    [
        ([""], None, "prompt 0 is empty"),
        ([{"prompt_token_ids": [1] * 64}], None, "prompt 0 has 64 prompt ids"),
        (["a", "b"], [None], "1 sampling_params for 2 prompts"),
    ],
)
def test_the_engine_in_the_process_refuses_what_it_cannot_do(llm: Any, prompts: Any, settings: Any, says: str) -> None:
    """Empty and long prompts, and settings that are not one for each prompt."""
    with pytest.raises(ValueError, match=says):
        llm.generate(prompts, settings)


def test_the_engine_in_the_process_answers_as_vllm_does(llm: Any) -> None:
    """One answer a prompt in order, n completions in it, the end of sequence as a stop, and a reason for the end."""
    settings = llm.get_default_sampling_params()
    settings.n, settings.max_tokens, settings.logprobs, settings.seed = 3, 4, 0, 1
    (one, other) = llm.generate(["Hi", {"prompt": "a"}], settings)
    assert (one.prompt, other.prompt) == ("Hi", "a")
    assert int(one.request_id) + 1 == int(other.request_id)
    assert [output.index for output in one.outputs] == [0, 1, 2]
    assert len({tuple(output.token_ids) for output in one.outputs}) == 3
    for output in one.outputs:
        assert output.finish_reason == "length"
        scores = [step[token].logprob for step, token in zip(output.logprobs, output.token_ids, strict=True)]
        assert output.cumulative_logprob == pytest.approx(sum(scores))
    settings.n, settings.stop_token_ids = 1, [one.outputs[0].token_ids[1]]
    (again,) = llm.generate("Hi", settings)
    assert again.outputs[0].token_ids == one.outputs[0].token_ids[:2]
    assert again.outputs[0].finish_reason == "stop"
    with pytest.raises(ValueError, match="greedy sampling has one completion"):
        dataclasses.replace(settings, n=2, temperature=0)


@pytest.mark.parametrize("wrap", [lambda model: model, torch.nn.DataParallel])
def test_a_model_in_the_place_of_the_engine_is_refused(model: Any, packer: Any, wrap: Callable[[Any], Any]) -> None:
    """A transformers model has a generate too, with other arguments; the message says where it goes instead."""
    said = r"VLLMRollout: llm is a \w+, expected a vllm.LLM .*; a model of transformers goes to HFRollout, or into"
    with pytest.raises(TypeError, match=said):
        VLLMRollout(wrap(model), packer=packer)
    with pytest.raises(TypeError, match=r"llm is the class Qwen2ForCausalLM, expected a vllm\.LLM"):
        VLLMRollout(type(model), packer=packer)


def test_an_id_beyond_the_vocabulary_is_refused_by_the_engine(llm: Any, packer: Any) -> None:
    """The message names the prompt, the id, its position and the size of the vocabulary; nothing is generated."""
    body = VLLMRollout(llm, packer=packer, sampling={"max_tokens": 2})
    said = r"prompt 1: prompt id 700 at position 1, and the model knows the ids 0 to 639, a vocabulary of 640"
    with pytest.raises(ValueError, match=said):
        body.generate([observe("Hi"), observe("Hi")], prompt_ids=[[71], [71, 700]])
