"""What HFRollout draws: ids that end where they should, the model's own logprobs, and draws that repeat and differ."""

import math
import random
from typing import Any

import numpy as np
import pytest
import torch
from edited_engine import GREEDY, TEXTS, ids_of
from reference_samples import observe, packer_on
from tiny_models import Bigram, dense, forward_logprobs, uniform

from packer_reference.rollouts import HFRollout


@pytest.fixture(scope="module")
def model() -> Any:
    """A tiny Qwen2 with random weights; shared, so leave it as it is."""
    return dense()


def test_generation_ends_after_the_stop_token_and_keeps_it(model: Any, packer: Any) -> None:
    """The sampled ids end with the first stop token, or with `max_tokens` ids and none added; the pad id is no sign."""
    (full,) = ids_of(HFRollout(model, packer=packer, sampling=GREEDY).generate([observe("Hi")]))
    assert len(full) == len(set(full)) == 6
    (cut,) = ids_of(
        HFRollout(model, packer=packer, sampling={**GREEDY, "stop_token_ids": [full[2]]}).generate([observe("Hi")])
    )
    assert cut == full[:3]
    own = packer_on()
    own.tokenizer.eos_token_id = own.tokenizer.pad_token_id = full[1]
    short = HFRollout(model, packer=own, sampling={"temperature": 0, "max_tokens": 6})
    together = short.generate([observe("Hi"), observe("a b c")])
    assert ids_of(together)[0] == full[:2]
    assert len(ids_of(together)[1]) == 6


def test_logprobs_are_those_of_the_sampled_ids() -> None:
    """Entry j is the natural logarithm of the probability of id j, whatever the temperature."""
    table = torch.full((560, 560), -math.inf)
    for last, following, chance in ((110, 120, 0.5), (120, 121, 0.25), (121, 122, 0.1)):
        table[last, following], table[last, 550] = math.log(chance) + 3.0, math.log(1 - chance) + 3.0
    model = Bigram(table)
    sampling = {"max_tokens": 3, "temperature": 2.0, "n": 64, "seed": 3, "stop_token_ids": [550]}
    made = HFRollout(model, packer=packer_on(), sampling=sampling).generate([observe("x")], prompt_ids=[[110]])
    whole = next(each for each in made if each.policy_info["completion_ids"] == [120, 121, 122])
    assert whole.policy_info["logprobs"] == pytest.approx([-0.693147, -1.386294, -2.302585], abs=1e-5)
    assert all(type(one) is float for one in whole.policy_info["logprobs"])


@pytest.mark.parametrize("kind", ["qwen2", "llama", "gpt2"])
def test_a_batch_says_what_its_samples_say_alone(packer: Any, kind: str) -> None:
    """Prompts of different lengths, in any order and twice, get the ids of one alone, and a trainer's logprobs."""
    model = dense(kind)
    body = HFRollout(model, packer=packer, sampling=GREEDY)
    alone = {text: body.generate([observe(text)])[0].policy_info for text in TEXTS}
    for order in (TEXTS, TEXTS[::-1], [TEXTS[0], TEXTS[1], TEXTS[0]]):
        for text, each in zip(order, body.generate([observe(text) for text in order]), strict=True):
            info = each.policy_info
            assert info["completion_ids"] == alone[text]["completion_ids"]
            assert info["prompt_ids"] == packer.tokenizer(text)["input_ids"]
            scored = forward_logprobs(model, info["prompt_ids"], info["completion_ids"])
            assert info["logprobs"] == pytest.approx(scored, abs=1e-5)


def test_drawn_ids_have_a_trainer_s_logprobs_too(model: Any, packer: Any) -> None:
    """At a temperature of its own, in a batch of groups, every recorded logprob is that of one forward pass."""
    sampling = {"n": 4, "temperature": 1.7, "max_tokens": 9, "seed": 5}
    for each in HFRollout(model, packer=packer, sampling=sampling).generate([observe(text) for text in TEXTS]):
        info = each.policy_info
        scored = forward_logprobs(model, info["prompt_ids"], info["completion_ids"])
        assert info["logprobs"] == pytest.approx(scored, abs=1e-5)


def test_a_seed_repeats_a_run_and_its_draws_are_separate() -> None:
    """Equal bodies give equal calls whatever the global random states, and neither groups nor calls repeat one draw."""
    packer, sampling = packer_on(), {"n": 4, "max_tokens": 8, "seed": 7}
    runs = []
    for stir in (0, 1):
        model = Bigram(uniform(*range(100, 108)))
        body = HFRollout(model, packer=packer, sampling=sampling)
        run = []
        for _ in range(2):
            torch.manual_seed(stir)
            random.seed(stir)
            np.random.seed(stir)  # noqa: NPY002  the global state is what must not matter
            run.append(ids_of(body.generate([observe("Hi"), observe("Hi")])))
        runs.append(run)
    assert runs[0] == runs[1]
    everything = [tuple(ids) for call in runs[0] for ids in call]
    assert len(set(everything)) == 16
    assert {token for ids in everything for token in ids} == set(range(100, 108))


def test_without_a_seed_draws_are_separate_and_nobody_s_state_moves(model: Any, packer: Any) -> None:
    """A group is not four times one draw, and the random states of Python, NumPy and torch are where they were."""
    before = (random.getstate(), np.random.get_state()[1].tolist(), torch.get_rng_state())  # noqa: NPY002
    group = ids_of(HFRollout(model, packer=packer, sampling={"n": 4, "max_tokens": 8}).generate([observe("Hi")]))
    assert len({tuple(ids) for ids in group}) > 1
    assert random.getstate() == before[0]
    assert np.random.get_state()[1].tolist() == before[1]  # noqa: NPY002
    assert torch.equal(torch.get_rng_state(), before[2])


def test_what_a_row_draws_does_not_depend_on_the_batch(model: Any, packer: Any) -> None:
    """With a seed, the first sample of a call gets the same draw beside others as alone."""
    sampling = {"max_tokens": 8, "seed": 3}
    (alone,) = ids_of(HFRollout(model, packer=packer, sampling=sampling).generate([observe("Hi")]))
    beside = HFRollout(model, packer=packer, sampling=sampling).generate([observe(text) for text in TEXTS])
    assert ids_of(beside)[0] == alone


def test_draws_follow_the_probabilities() -> None:
    """Of 2000 draws from 0.7, 0.2 and 0.1 at temperature 1, and from their squares at 0.5, each gets its share."""
    table = torch.full((560, 560), -math.inf)
    chances = torch.tensor([0.7, 0.2, 0.1])
    table[:, 100:103] = chances.log()
    for temperature, shares in ((1.0, chances), (0.5, chances**2 / (chances**2).sum())):
        sampling = {"n": 2000, "max_tokens": 1, "seed": 0, "temperature": temperature}
        made = HFRollout(Bigram(table), packer=packer_on(), sampling=sampling).generate([observe("Hi")])
        drawn = torch.tensor(ids_of(made))[:, 0].sub(100).bincount(minlength=3) / 2000
        assert drawn.tolist() == pytest.approx(shares.tolist(), abs=0.04)


def test_logits_that_are_no_distribution_are_refused() -> None:
    """Where NaN comes out of the model nothing is drawn: the sample, the completion and the place are named."""
    table = uniform(120)
    table[120, 7] = math.nan
    with pytest.raises(ValueError, match=r"sample 0, completion 0: the model's logits after 1 sampled ids"):
        HFRollout(Bigram(table), packer=packer_on(), sampling={"n": 2}).generate([observe("Hi")])
