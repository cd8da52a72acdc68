"""What a subject is found to be, and what that means for the rules."""

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from user_packers import Hooks, Plain

from packproof import check_packer
from packproof.violation import UsageError
from packproof.zoo.miniature import MiniaturePacker


def statuses(factory: Any, *select: str, **words: Any) -> dict[str, tuple[str, str]]:
    """Status and reason by rule."""
    report = check_packer(factory, select=select, effort="quick", raise_on_failure=False, **words)
    return {one.requirement: (one.status, one.reason) for one in report.subjects[0].outcomes}


def ready() -> MiniaturePacker:
    """A packer that is set up by its factory."""
    from packproof.models import model_path

    packer = MiniaturePacker()
    packer.setup(str(model_path("tiny-gpt2")))
    return packer


def test_no_model_can_be_chosen_for_a_packer_built_ready() -> None:
    """A model named for a packer that its factory sets up is refused, and not passed over in silence."""
    with pytest.raises(UsageError, match="set up already, so the model 'tiny-spm' cannot be chosen"):
        check_packer(ready, models=["tiny-spm"], select=["MASK-2"])


@pytest.fixture(scope="module")
def of_a_ready_packer() -> dict[str, tuple[str, str]]:
    return statuses(ready, "LIFE", "MASK-2", "AUTH-3", "COLL-5", "SEL-1")


def test_rules_about_setup_do_not_apply_to_a_packer_built_ready(of_a_ready_packer) -> None:
    """For a packer that its factory sets up, rules about setup do not apply, with that reason; all others do."""
    reason = ("not applicable", "the packer is built already set up")
    assert {rule for rule, found in of_a_ready_packer.items() if found == reason} == {
        "LIFE-2",
        "LIFE-3",
        "LIFE-4",
        "LIFE-5",
        "LIFE-6",
        "LIFE-12",
    }
    assert {rule for rule, found in of_a_ready_packer.items() if found[0] == "pass"} >= {"LIFE-1", "MASK-2", "COLL-5"}
    assert of_a_ready_packer["SEL-1"] == ("not applicable", "no selection module named (--packer-selection)")


def test_a_packer_without_tokenizer() -> None:
    """Rules that need the tokenizer do not apply to a packer that shows none; rules about ids do."""
    found = statuses(Plain, "AUTH-1", "AUTH-3", "MASK-2", "COLL-5")
    assert found["AUTH-1"] == found["MASK-2"] == ("pass", "")
    assert found["AUTH-3"] == ("not applicable", "the packer does not satisfy UsesTokenizer")
    assert found["COLL-5"][0] == "not applicable"


def test_a_policy_only_packer() -> None:
    """Rules of the rollout side do not apply to a packer that has none."""
    found = statuses(Plain, "ROLL", "MASK-2")
    assert {status for rule, (status, _) in found.items() if rule.startswith("ROLL")} == {"not applicable"}
    assert found["ROLL-1"][1] == "the packer does not satisfy RolloutPacker"


class RolloutOnly:
    """Passes prompts through, and has no policy side."""

    def get_rollout_input(self, item: Any) -> Any:
        prompt = item.representations["prompt"]
        if not isinstance(prompt, str):
            raise TypeError("text only")
        return prompt


def test_a_rollout_only_packer() -> None:
    """Rules of the policy side do not apply to a packer that has none."""
    found = statuses(RolloutOnly, "ROLL-1", "MASK-2", "COLL-1", "CPU-1")
    assert found["ROLL-1"] == ("pass", "")
    assert found["MASK-2"] == ("not applicable", "the packer does not satisfy PolicyPacker")
    assert found["COLL-1"][0] == found["CPU-1"][0] == "not applicable"


@dataclass
class Input:
    """A policy input as a class of the user's own."""

    input_ids: Any
    logprob_masks: Any


def _as_dataclass(row: dict[str, Any]) -> Any:
    return Input(**row)


def _as_tensors(row: dict[str, Any]) -> Any:
    ids, mask = torch.tensor(row["input_ids"]), torch.tensor(row["logprob_masks"], dtype=torch.bool)
    return SimpleNamespace(input_ids=ids, logprob_masks=mask)


def _as_tuples(row: dict[str, Any]) -> Any:
    return {name: tuple(values) for name, values in row.items()}


@pytest.mark.parametrize("shape", [dict, _as_dataclass, _as_tensors, _as_tuples])
def test_policy_inputs_of_any_shape(shape: Any) -> None:
    """A policy input may be a mapping, a dataclass, or an object with tensors; a broken mask is found in each."""

    class Shaped(Plain):
        def get_policy_input(self, *given: Any, **more: Any) -> Any:
            return shape(super().get_policy_input(*given, **more))

        def policy_compute_max_len(self, processed_samples: Any) -> int:
            return super().policy_compute_max_len([_plain(row) for row in processed_samples])

        def policy_collate_fn(self, processed_samples: Any, computed_max_len: int) -> Any:
            return super().policy_collate_fn([_plain(row) for row in processed_samples], computed_max_len)

    class Shifted(Shaped):
        def mask(self, prompt: int, completion: int, ignored: int) -> list[int]:
            return [0, *super().mask(prompt, completion, ignored)[:-1]]

    rules = ("MASK-2", "MASK-8", "LIFE-7", "LIFE-10", "COLL-4", "COLL-14", "CPU-2")
    assert set(statuses(Shaped, *rules).values()) == {("pass", "")}
    assert statuses(Shifted, "MASK-2") == {"MASK-2": ("fail", "")}


def _plain(row: Any) -> dict[str, Any]:
    fields = row if isinstance(row, dict) else vars(row)
    return {name: value.tolist() if hasattr(value, "tolist") else list(value) for name, value in fields.items()}


def test_models_are_named_in_the_report() -> None:
    """A packer that sets up runs on the models named, and the report says on which."""
    report = check_packer(MiniaturePacker, models=["tiny-gpt2"], select=["LIFE-2"], effort="quick")
    assert report.subjects[0].models == ["tiny-gpt2"]
    report = check_packer(ready, select=["LIFE-1"], effort="quick")
    assert report.subjects[0].models == ["as built"]


class SkipsInsteadOfRefusing(Plain):
    """Leaves a bad call with what pytest raises to skip a test."""

    def policy_collate_fn(self, processed_samples, computed_max_len):
        if not processed_samples:
            pytest.skip("nothing to do")
        return super().policy_collate_fn(processed_samples, computed_max_len)


class SaysTheUnsayable(Plain):
    """Raises with a lone surrogate, which no file and no terminal takes."""

    def get_policy_input(self, *args, **words):
        raise RuntimeError("bad \ud800 text")


class CannotSay(Plain):
    """Raises an exception whose own text raises."""

    def get_policy_input(self, *args, **words):
        raise _Mute


class _Mute(Exception):
    def __str__(self) -> str:
        raise KeyError("no text")


class AsyncHooks(Hooks):
    """Leaves it to its caller to wait for the completions."""

    async def get_rollout_output(self, completions, *args, **kwargs):  # pyright: ignore[reportIncompatibleMethodOverride]
        return completions


class AnswersOddly(Hooks):
    """Gives no sequences where sequences are asked for."""

    def get_pretokenized_rollout_input(self, item, token_ids):
        return {"prompt_token_ids": 7}

    def batch_size(self, batch):
        return len(batch)

    def slice_batch(self, batch, start, end):
        return None


@pytest.mark.parametrize(
    ("factory", "rule", "got"),
    [
        (AnswersOddly, "ROLL-5", "returned 7"),
        (AnswersOddly, "ROLL-9", "returned None"),
        (AsyncHooks, "ROLL-7", "returned a coroutine; the method is async"),
        (SkipsInsteadOfRefusing, "COLL-11", "raised Skipped: nothing to do"),
        (SaysTheUnsayable, "MASK-2", "raised RuntimeError: bad \\ud800 text"),
        (CannotSay, "MASK-2", "raised _Mute: (its text cannot be read: KeyError)"),
    ],
)
def test_whatever_a_packer_does_is_a_failure_that_can_be_reported(factory: Any, rule: str, got: str) -> None:
    """No exception and no answer passes for a verdict, breaks the kit, or cannot be written to a report."""
    report = check_packer(factory, select=[rule], effort="quick", raise_on_failure=False)
    [outcome] = report.subjects[0].outcomes
    assert outcome.status == "fail"
    assert outcome.counterexample is not None
    assert outcome.counterexample.got.startswith(got)
    assert report.model_dump_json()
