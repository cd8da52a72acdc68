"""HFRollout hands its model what the packer says, and leaves everything else as it was."""

import copy
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from edited_engine import GREEDY, ids_of
from reference_samples import observe, packer_on
from tiny_models import Bigram, dense, experts, uniform

from packer_reference import DecoderOnlyLLMDataPacker
from packer_reference.rollouts import HFRollout


@pytest.fixture(scope="module")
def model() -> Any:
    """A tiny Qwen2 with random weights; shared, so leave it as it is."""
    return dense()


@pytest.mark.parametrize(
    "call",
    [
        lambda model, packer: HFRollout(model),
        HFRollout,
        lambda model, packer: HFRollout(model, None),
        lambda model, packer: HFRollout(model, {"n": 2}, packer=packer),
        lambda model, packer: HFRollout(model, packer=packer, tokenizer=packer.tokenizer),
        lambda model, packer: HFRollout(model, packer=packer.tokenizer),
        lambda model, packer: HFRollout(model, packer=type(packer)),
        lambda model, packer: HFRollout("model", packer=packer),
        lambda model, packer: HFRollout(type(model), packer=packer),
        lambda model, packer: HFRollout(model, packer=packer, sampling=[("n", 2)]),
        lambda model, packer: HFRollout(model, packer=packer, routing_replay="yes"),
    ],
)
def test_a_stale_call_is_a_type_error(model: Any, packer: Any, call: Callable[[Any, Any], Any]) -> None:
    """Whatever is left out, given by place, or no packer and no model, is refused at construction."""
    with pytest.raises(TypeError):
        call(model, packer)


def test_no_packer_is_refused_with_a_call_that_builds_one(model: Any) -> None:
    """None for a packer names the body, the argument and init_data_packer, and so one that is not set up."""
    with pytest.raises(
        ValueError, match=r"HFRollout requires a DataPacker at construction.*packer=None.*init_data_pac"
    ):
        HFRollout(model, packer=None)
    with pytest.raises(ValueError, match=r"packer\.tokenizer is None.*packer\.setup\(name_or_path\)"):
        HFRollout(model, packer=DecoderOnlyLLMDataPacker())


def test_the_packer_and_its_tokenizer_are_the_body_s(model: Any, packer: Any) -> None:
    """A body shows the very packer it was given and the tokenizer of it."""
    body = HFRollout(model, packer=packer)
    assert body.packer is packer
    assert body.tokenizer is packer.tokenizer


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("n", 0),
        ("n", True),
        ("n", 2.0),
        ("n", "2"),
        ("temperature", -0.1),
        ("temperature", math.nan),
        ("temperature", "1"),
        ("temperature", True),
        ("temperature", np.bool_(True)),
        ("temperature", np.float32("nan")),
        ("temperature", 10**400),
        ("max_tokens", 0),
        ("stop_token_ids", [-1]),
        ("seed", 1.5),
        ("seed", True),
        ("top_p", 0.9),
    ],
)
def test_sampling_that_cannot_be_kept_is_refused_by_its_key(model: Any, packer: Any, key: str, value: Any) -> None:
    """A value outside its range, or a key that this body has no meaning for, is a ValueError that names the key."""
    with pytest.raises(ValueError, match=rf"HFRollout: sampling.*{key}"):
        HFRollout(model, packer=packer, sampling={key: value})


def test_stop_tokens_that_are_no_ids_are_refused(model: Any, packer: Any) -> None:
    """A text among the stop tokens is a TypeError, as texts are wherever ids are asked for."""
    with pytest.raises(TypeError, match=r"sampling\['stop_token_ids'\]\[0\]"):
        HFRollout(model, packer=packer, sampling={"stop_token_ids": ["</s>"]})


def test_prompts_are_encoded_without_special_tokens() -> None:
    """On a tokenizer that adds a BOS the model is handed the bare ids of the text, and they are recorded."""
    model = Bigram(uniform(89))
    made = HFRollout(model, packer=packer_on("tiny-llama3"), sampling=GREEDY).generate([observe("Hi")])
    assert model.seen[0] == [[40, 73]]
    assert made[0].policy_info["prompt_ids"] == [40, 73]


@pytest.mark.parametrize("texts", [[""], ["Hi", ""]])
def test_a_prompt_without_ids_is_refused_before_anything_is_generated(texts: list[str]) -> None:
    """An empty prompt names its sample, and the model is not run."""
    model = Bigram(uniform(89))
    with pytest.raises(ValueError, match=rf"sample {len(texts) - 1}: the prompt encodes to no ids"):
        HFRollout(model, packer=packer_on()).generate([observe(text) for text in texts])
    assert model.seen == []


def test_a_prompt_that_fills_the_model_is_refused_and_one_shorter_is_not(model: Any, packer: Any) -> None:
    """With 64 positions 63 ids leave room for one more, and 64 are refused with sample, length and limit."""
    body = HFRollout(model, packer=packer, sampling=GREEDY)
    sample = observe("Hi")
    assert [len(ids) for ids in ids_of(body.generate([sample], prompt_ids=[[71] * 63]))] == [1]
    assert [len(ids) for ids in ids_of(body.generate([sample], prompt_ids=[[71] * 61]))] == [3]
    with pytest.raises(ValueError, match=r"sample 1 has 64 prompt ids, and the model takes 64"):
        body.generate([sample, sample], prompt_ids=[[71], [71] * 64])
    with pytest.raises(ValueError, match=r"sample 0 has \d+ prompt ids"):
        body.generate([observe("a b " * 60)])


def test_ids_that_the_model_does_not_know_are_refused(model: Any, packer: Any) -> None:
    """A packer with a larger vocabulary than the model's is told so, and not by the embedding."""
    said = r"sample 0: prompt id 640 at position 1, and the model knows the ids 0 to 639"
    with pytest.raises(ValueError, match=said):
        HFRollout(model, packer=packer).generate([observe("Hi")], prompt_ids=[[1, 640]])


class Hooked(DecoderOnlyLLMDataPacker):
    """Turns prompts round, decodes completions, and keeps what it was asked."""

    calls: list[Any]

    def rollout_collate_fn(self, items: Any) -> Any:
        self.calls = [list(items)]
        return list(items)[::-1]

    def get_rollout_output(self, completions: Any, *args: Any, **kwargs: Any) -> Any:
        self.calls.append(copy.deepcopy(completions))
        texts = [self.tokenizer.decode(ids) for ids in completions]
        completions[0].append(0)
        return tuple(texts)


def test_both_hooks_are_called_once_and_change_no_ids(model: Any) -> None:
    """The model gets the hook's inputs in its order, `completion` is the hook's answer, and the ids stay as sampled."""
    packer = packer_on(kind=Hooked)
    made = HFRollout(model, packer=packer, sampling={**GREEDY, "n": 2}).generate([observe("Hi"), observe("a b c")])
    assert packer.calls == [["Hi", "a b c"], ids_of(made)]
    encoded = [packer.tokenizer(text)["input_ids"] for text in ("a b c", "Hi")]
    assert [each.policy_info["prompt_ids"] for each in made] == [encoded[0]] * 2 + [encoded[1]] * 2
    assert [each.completion for each in made] == [packer.tokenizer.decode(ids) for ids in ids_of(made)]
    assert all(len(each.policy_info["completion_ids"]) == len(each.policy_info["logprobs"]) for each in made)


@pytest.mark.parametrize("hook", ["rollout_collate_fn", "get_rollout_output"])
def test_a_hook_that_loses_an_entry_is_refused_with_both_lengths(model: Any, hook: str) -> None:
    """One answer for two entries is no answer of the other."""
    packer = packer_on()
    setattr(packer, hook, lambda items: list(items)[1:])
    with pytest.raises(ValueError, match=rf"{hook} returned 1 entries for 2"):
        HFRollout(model, packer=packer, sampling=GREEDY).generate([observe("Hi"), observe("a")])


@pytest.mark.parametrize("answer", [{"Hi": 1}, "H", 7])
@pytest.mark.parametrize("hook", ["rollout_collate_fn", "get_rollout_output"])
def test_a_hook_that_answers_with_no_list_is_refused(model: Any, hook: str, answer: Any) -> None:
    """The keys of a mapping and the characters of a text are not taken for entries, also where there are as many."""
    packer = packer_on()
    setattr(packer, hook, lambda items: answer)
    with pytest.raises(TypeError, match=rf"{hook} returned a \w+, expected a list of 1 entries"):
        HFRollout(model, packer=packer, sampling=GREEDY).generate([observe("Hi")])


def test_numbers_of_numpy_are_numbers(model: Any, packer: Any) -> None:
    """A group size, a seed and a temperature that were read from an array are taken as the numbers they are."""
    sampling = {"n": np.int64(2), "max_tokens": np.int32(3), "seed": np.int64(5), "stop_token_ids": np.array([], int)}
    body = HFRollout(model, packer=packer, sampling={**sampling, "temperature": np.float32(0.5)})
    assert type(body.sampling.temperature) is float
    plain = HFRollout(model, packer=packer, sampling={**sampling, "temperature": 0.5})
    made = ids_of(body.generate([observe("Hi")]))
    assert [len(ids) for ids in made] == [3, 3]
    assert made == ids_of(plain.generate([observe("Hi")]))


def _in_a_wrapper(model: Any) -> Any:
    return torch.nn.DataParallel(model)


def _compiled(model: Any) -> Any:
    return torch.compile(model, backend="eager", dynamic=True)


@pytest.mark.parametrize("wrap", [_in_a_wrapper, _compiled])
@pytest.mark.parametrize("make", [dense, experts])
def test_a_wrapped_model_is_looked_into(packer: Any, wrap: Callable[[Any], Any], make: Callable[[], Any]) -> None:
    """Limit, vocabulary, masks and routers are those of the model within: it generates as if there were no wrapper."""
    samples, sampling = [observe("Hi"), observe("a b c")], {**GREEDY, "max_tokens": 3}
    bodies = [
        HFRollout(model, packer=packer, sampling=sampling, routing_replay=make is experts)
        for model in (make(), wrap(make()))
    ]
    plain, wrapped = (ids_of(body.generate(samples)) for body in bodies)
    assert plain == wrapped
    assert [len(ids) for ids in ids_of(bodies[1].generate(samples[:1], prompt_ids=[[71] * 63]))] == [1]
    with pytest.raises(ValueError, match=r"sample 0 has 64 prompt ids, and the model takes 64"):
        bodies[1].generate(samples[:1], prompt_ids=[[71] * 64])
    with pytest.raises(ValueError, match=r"prompt id 640 at position 0, .* a vocabulary of 640"):
        bodies[1].generate(samples[:1], prompt_ids=[[640]])


class Bare:
    """A packer that offers prompts and nothing else."""

    def __init__(self, packer: Any) -> None:
        self.tokenizer = packer.tokenizer

    def get_rollout_input(self, item: Any) -> Any:
        return {"prompt": item["question"], "multi_modal_data": item.get("media")}


def test_a_packer_without_hooks_is_passed_through(model: Any, packer: Any) -> None:
    """Samples of any kind, prompts in a mapping, and completions as the sampled ids."""
    sample = {"question": "Hi"}
    made = HFRollout(model, packer=Bare(packer), sampling=GREEDY).generate([sample])
    assert made[0].obs is sample
    assert made[0].completion == made[0].policy_info["completion_ids"]
    assert made[0].completion is not made[0].policy_info["completion_ids"]
    with pytest.raises(TypeError, match="Bare has no get_pretokenized_rollout_input"):
        HFRollout(model, packer=Bare(packer)).generate([sample], prompt_ids=[[71]])


def test_media_are_refused_by_name(model: Any, packer: Any) -> None:
    """A body that cannot hand its model an entry of the rollout input says which, and for which sample."""
    samples = [{"question": "Hi"}, {"question": "Hi", "media": {"image": [1]}}]
    with pytest.raises(ValueError, match=r"sample 1: HFRollout cannot hand its model 'multi_modal_data'"):
        HFRollout(model, packer=Bare(packer)).generate(samples)


def test_given_ids_reach_the_model_verbatim() -> None:
    """Two ids that the tokenizer would write as one stay two, and samples without ids are encoded beside them."""
    model, packer = Bigram(uniform(89)), packer_on()
    assert packer.tokenizer("he")["input_ids"] == [257]
    body = HFRollout(model, packer=packer, sampling={**GREEDY, "max_tokens": 1})
    made = body.generate([observe("he"), observe("he")], prompt_ids=[np.array([71, 68]), None])
    assert [each.policy_info["prompt_ids"] for each in made] == [[71, 68], [257]]
    assert model.seen == [[[71, 68]], [[257]]]


@pytest.mark.parametrize(
    ("ids", "says"),
    [([], "0 entries of prompt_ids for 1"), ([[1], [1]], "2 entries"), ([[]], r"prompt_ids\[0\] is empty")],
)
def test_ids_that_fit_no_sample_are_refused(model: Any, packer: Any, ids: list[Any], says: str) -> None:
    """There is one entry for each sample, and ids are at least one."""
    with pytest.raises(ValueError, match=says):
        HFRollout(model, packer=packer).generate([observe("Hi")], prompt_ids=ids)


@pytest.mark.parametrize("ids", [[["he"]], [[71, True]], [5], 5])
def test_what_are_no_ids_is_refused(model: Any, packer: Any, ids: Any) -> None:
    """A text, a bool and a bare number are no list of ids."""
    with pytest.raises(TypeError, match="prompt_ids"):
        HFRollout(model, packer=packer).generate([observe("Hi")], prompt_ids=ids)


@pytest.mark.parametrize("samples", ["Hi", {"a": 1}, observe("Hi"), None])
def test_what_is_no_list_of_samples_is_refused(model: Any, packer: Any, samples: Any) -> None:
    """One sample is no list of samples, and neither is a text."""
    with pytest.raises(TypeError, match="expected a list of samples"):
        HFRollout(model, packer=packer).generate(samples)


@pytest.mark.parametrize("ids", [None, []])
def test_a_call_without_samples_is_refused(model: Any, packer: Any, ids: Any) -> None:
    """Zero samples are a ValueError with the number, whatever the ids."""
    with pytest.raises(ValueError, match="got 0 samples"):
        HFRollout(model, packer=packer).generate([], prompt_ids=ids)


def test_groups_stand_one_behind_the_other(model: Any, packer: Any) -> None:
    """Trajectory i * G + k is the k-th of sample i, also where samples are equal, with lists of its own."""
    samples = [observe("Hi"), observe("a b c"), observe("Hi")]
    made = HFRollout(model, packer=packer, sampling={"n": 3, "max_tokens": 4}).generate(samples)
    assert [each.obs for each in made] == [sample for sample in samples for _ in range(3)]
    made[0].policy_info["prompt_ids"].append(0)
    made[0].policy_info["completion_ids"].append(0)
    made[0].completion.append(1)
    assert made[1].policy_info["prompt_ids"] == packer.tokenizer("Hi")["input_ids"]


def test_generate_leaves_everything_as_it_was(packer: Any) -> None:
    """Samples, ids, sampling, tokenizer, and the mode and grads of every module are those of before, refused or not."""
    model = dense()
    model.train()
    model.model.layers[0].eval()
    samples, ids = [observe([{"role": "user", "content": "Hi"}]), observe("a")], [None, [71, 68]]
    sampling = {"n": 2, "max_tokens": 3, "stop_token_ids": [1, 2]}

    def state() -> Any:
        tokenizer = packer.tokenizer
        modes = [module.training for module in model.modules()]
        grads = [one.requires_grad for one in model.parameters()]
        fixed = (tokenizer.padding_side, tokenizer.pad_token_id, tokenizer.chat_template, tokenizer.special_tokens_map)
        return copy.deepcopy((samples, ids, sampling, fixed, modes, grads))

    before = state()
    body = HFRollout(model, packer=packer, sampling=sampling)
    made = body.generate(samples, prompt_ids=ids)
    made[2].policy_info["prompt_ids"].append(9)
    with pytest.raises(ValueError, match="takes 64"):
        body.generate(samples, prompt_ids=[None, [71] * 70])
    assert state() == before
    assert all(one.grad is None for one in model.parameters())


def test_a_model_with_a_cache_runs_each_place_once(packer: Any) -> None:
    """The first pass runs the prompt, and every later one the id that was drawn last."""
    model, widths = dense(), []
    model.register_forward_pre_hook(lambda *call: widths.append(call[2]["input_ids"].shape[1]), with_kwargs=True)
    body = HFRollout(model, packer=packer, sampling={"max_tokens": 4, "stop_token_ids": [], "temperature": 0})
    (trajectory,) = body.generate([observe("Hi")])
    assert widths == [len(trajectory.policy_info["prompt_ids"]), 1, 1, 1]
