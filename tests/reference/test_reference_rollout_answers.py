"""What an engine answers is matched to what it was asked, and marked or refused where it cannot be recorded."""

import dataclasses
import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from edited_engine import GREEDY, TEXTS, Edited, ids_of, second
from reference_samples import observe
from tiny_models import dense, experts

from packer_reference.rollouts import HFRollout, InProcessLLM, VLLMRollout


@pytest.fixture(scope="module")
def model() -> Any:
    """A tiny Qwen2 with random weights; shared, so leave it as it is."""
    return dense()


@pytest.fixture
def llm(model: Any, packer: Any) -> InProcessLLM:
    """An engine around it, with the tokenizer of tiny-qwen."""
    return InProcessLLM(model, packer.tokenizer)


def test_answers_in_another_order_are_put_right(llm: Any, packer: Any) -> None:
    """Requests are told by their numbers, also past 9, where the order of the texts is another."""
    plain = VLLMRollout(llm, packer=packer, sampling={**GREEDY, "n": 4}).generate([observe(text) for text in TEXTS])
    turned = Edited(InProcessLLM(llm._model, packer.tokenizer), lambda answers: answers[::-1])
    made = VLLMRollout(turned, packer=packer, sampling={**GREEDY, "n": 4}).generate([observe(text) for text in TEXTS])
    assert ids_of(made) == ids_of(plain)
    assert [each.obs for each in made] == [each.obs for each in plain]


def _renamed(answers: list[Any]) -> list[Any]:
    return [dataclasses.replace(answer, request_id=f"r{at}") for at, answer in enumerate(answers)][::-1]


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        (lambda answers: answers[1:], "answered 2 of 3 requests"),
        (second(lambda answer: answer.outputs.clear()), r"sample 1, completion 0: the engine gave 0 completions"),
        (second(lambda answer: answer.outputs.append(answer.outputs[0])), "sample 1.*gave 2 completions"),
        (second(lambda answer: setattr(answer.outputs[0], "finish_reason", "abort")), "sample 1.*gave the request up"),
        (second(lambda answer: setattr(answer, "prompt_token_ids", None)), "sample 1.*reports no prompt_token_ids"),
        (second(lambda answer: setattr(answer, "prompt", "Ho")), "sample 1.*was handed 'What.*answers for 'Ho'"),
        (_renamed, "sample 0.*was handed 'Hi', and answers for 'a b c'"),
        (second(lambda answer: answer.outputs[0].logprobs.append(None)), "sample 1, completion 0.*7 logprobs for 6"),
    ],
)
def test_an_answer_that_cannot_be_matched_is_refused(llm: Any, packer: Any, edit: Any, says: str) -> None:
    """A request that failed, or whose answer speaks of something else, is an error, and no shorter list."""
    body = VLLMRollout(Edited(llm, edit), packer=packer, sampling=GREEDY)
    with pytest.raises(ValueError, match=says):
        body.generate([observe(text) for text in TEXTS])


def test_answers_for_other_ids_are_refused(llm: Any, packer: Any) -> None:
    """Ids that the engine changed are told by what it reports."""
    change = second(lambda answer: answer.prompt_token_ids.insert(0, 1))
    body = VLLMRollout(Edited(llm, change), packer=packer, sampling=GREEDY)
    with pytest.raises(ValueError, match=r"sample 1.*was handed \[71, 68\], and answers for \[1, 71, 68\]"):
        body.generate([observe("a"), observe("b")], prompt_ids=[None, [71, 68]])


def _put(at: int, value: Any) -> Callable[[Any], None]:
    def change(answer: Any) -> None:
        output = answer.outputs[0]
        output.logprobs[at] = value if not isinstance(value, float) else {output.token_ids[at]: _logprob(value)}

    return change


def _logprob(value: float) -> Any:
    return SimpleNamespace(logprob=value)


@pytest.mark.parametrize(
    ("change", "missing"),
    [
        (_put(1, math.nan), [1]),
        (_put(0, -math.inf), [0]),
        (_put(2, math.inf), [2]),
        (_put(3, None), [3]),
        (_put(4, {}), [4]),
        (_put(5, {7: _logprob(-0.1)}), [5]),
        (_put(1, {1: None}), [1]),
        (lambda answer: answer.outputs[0].logprobs.pop(), [5]),
        (lambda answer: setattr(answer.outputs[0], "logprobs", None), [0, 1, 2, 3, 4, 5]),
    ],
)
def test_a_missing_logprob_is_marked_and_costs_one_trajectory(llm: Any, packer: Any, change: Any, missing: Any) -> None:
    """What is absent, of another id or not finite leaves one list out, names the places, and keeps the ids."""
    made = VLLMRollout(Edited(llm, second(change)), packer=packer, sampling=GREEDY).generate(
        [observe(text) for text in TEXTS]
    )
    assert made[1].policy_info["logprobs_missing"] == missing
    assert "logprobs" not in made[1].policy_info
    assert len(made[1].policy_info["completion_ids"]) == 6
    for other in (made[0], made[2]):
        assert len(other.policy_info["logprobs"]) == 6
        assert "logprobs_missing" not in other.policy_info


def test_a_very_low_logprob_is_no_fault(llm: Any, packer: Any) -> None:
    """A number that is finite is recorded as it is."""
    body = VLLMRollout(Edited(llm, second(_put(1, -1e30))), packer=packer, sampling=GREEDY)
    made = body.generate([observe(text) for text in TEXTS])
    assert made[1].policy_info["logprobs"][1] == -1e30


def test_nothing_sampled_is_an_empty_completion(llm: Any, packer: Any) -> None:
    """An engine that gives no ids leaves an empty list, with no logprobs and none missing."""

    def nothing(answer: Any) -> None:
        answer.outputs[0].token_ids, answer.outputs[0].logprobs = [], []

    made = VLLMRollout(Edited(llm, second(nothing)), packer=packer, sampling=GREEDY).generate(
        [observe(text) for text in TEXTS]
    )
    assert made[1].completion == made[1].policy_info["completion_ids"] == made[1].policy_info["logprobs"] == []


def test_routing_comes_from_each_completion(packer: Any) -> None:
    """Both completions of a group carry their record, of P + C - 1 rows, and equal to that of the other body."""
    model = experts()
    llm = InProcessLLM(model, packer.tokenizer, enable_return_routed_experts=True)
    sampling = {**GREEDY, "n": 2}
    made = VLLMRollout(llm, packer=packer, sampling=sampling, routing_replay=True).generate([observe("Hi")])
    own = HFRollout(model, packer=packer, sampling=sampling, routing_replay=True).generate([observe("Hi")])
    for one, other in zip(made, own, strict=True):
        record = one.policy_info["rollout_routed_experts"]
        assert len(record) == len(one.policy_info["prompt_ids"]) + 5
        assert record.tolist() == other.policy_info["rollout_routed_experts"].tolist()


def _rows(change: Callable[[Any], Any]) -> Callable[[Any], None]:
    def edit(answer: Any) -> None:
        answer.outputs[0].routed_experts = change(answer.outputs[0].routed_experts)

    return edit


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            _rows(lambda rows: None),
            r"trajectory 1: rollout_routed_experts is absent: the engine recorded 0 rows, expected",
        ),
        (_rows(lambda rows: rows[1:]), r"trajectory 1: rollout_routed_experts has \d+ rows, expected \d+"),
        (_rows(lambda rows: rows[[0, *range(len(rows))]]), r"has \d+ rows, expected \d+"),
        (_rows(lambda rows: rows - 9), "holds -"),
    ],
)
def test_a_record_that_cannot_be_placed_is_refused(packer: Any, change: Any, says: str) -> None:
    """None at all, one row too few or too many, and numbers that are no experts, with key, trajectory and numbers."""
    llm = InProcessLLM(experts(), packer.tokenizer, enable_return_routed_experts=True)
    body = VLLMRollout(Edited(llm, second(change)), packer=packer, sampling=GREEDY, routing_replay=True)
    with pytest.raises(ValueError, match=says):
        body.generate([observe(text) for text in TEXTS])


def test_where_nothing_was_sampled_the_last_row_is_dropped(packer: Any) -> None:
    """The engine ran all P prompt ids, and the record has a row for each of them but the last."""

    def nothing(answer: Any) -> None:
        output = answer.outputs[0]
        output.token_ids, output.logprobs = [], []
        output.routed_experts = output.routed_experts[: len(answer.prompt_token_ids)]

    llm = InProcessLLM(experts(), packer.tokenizer, enable_return_routed_experts=True)
    body = VLLMRollout(Edited(llm, second(nothing)), packer=packer, sampling=GREEDY, routing_replay=True)
    info = body.generate([observe(text) for text in TEXTS])[1].policy_info
    assert len(info["rollout_routed_experts"]) == len(info["prompt_ids"]) - 1
