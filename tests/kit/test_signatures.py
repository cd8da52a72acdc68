"""A method that cannot be called as the contract calls it is told by its own signature and the expected one."""

import functools
import inspect
from typing import Any

import pytest
from user_packers import Plain

from packproof import check_packer
from packproof.subject import Subject
from packproof.violation import UsageError
from packproof.zoo.miniature import MiniaturePacker


class NoStoredIds(MiniaturePacker):
    def get_policy_input(self, sample: Any, rollout_output: Any, n_ignore_prefix_tokens: int = 0) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        return super().get_policy_input(sample, rollout_output, n_ignore_prefix_tokens)


class NothingToIgnore(MiniaturePacker):
    def get_policy_input(self, sample: Any, rollout_output: Any, *, prompt_ids: Any = None) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        return super().get_policy_input(sample, rollout_output, prompt_ids=prompt_ids)


class NoModel(MiniaturePacker):
    def setup(self) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        super().setup("a model of its own")


class NoWidth(MiniaturePacker):
    def policy_collate_fn(self, processed_samples: Any) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        return super().policy_collate_fn(processed_samples, self.policy_compute_max_len(processed_samples))


POLICY = "get_policy_input(sample, rollout_output, n_ignore_prefix_tokens=0, *, prompt_ids=None)"
CALLED = "It is called as get_policy_input(sample, rollout_output, n_ignore_prefix_tokens=..., prompt_ids=...): "
REFUSED = {
    NoStoredIds: (
        f"get_policy_input(sample, rollout_output, n_ignore_prefix_tokens=0), expected {POLICY}. {CALLED}"
        "got an unexpected keyword argument 'prompt_ids'."
    ),
    NothingToIgnore: (
        f"get_policy_input(sample, rollout_output, *, prompt_ids=None), expected {POLICY}. {CALLED}"
        "got an unexpected keyword argument 'n_ignore_prefix_tokens'."
    ),
    NoModel: (
        "setup(), expected setup(name_or_path, trust_remote_code=False). It is called as setup(name_or_path): "
        "too many positional arguments. A packer that its factory returns set up needs no setup."
    ),
    NoWidth: (
        "policy_collate_fn(processed_samples), expected policy_collate_fn(processed_samples, computed_max_len). "
        "It is called as policy_collate_fn(processed_samples, computed_max_len): too many positional arguments."
    ),
}


@pytest.mark.parametrize("factory", REFUSED)
def test_a_method_that_nearly_every_rule_calls(factory: Any) -> None:
    """One that cannot be called like that is refused before any rule runs, with both signatures and the call."""
    with pytest.raises(UsageError) as caught:
        Subject(factory)
    name = factory.__name__
    assert str(caught.value) == (
        f"--packer 'test_signatures:{name}': test_signatures:{name}() returned {name} with {REFUSED[factory]}"
    )


class NoFlag(MiniaturePacker):
    def setup(self, name_or_path: str) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        super().setup(name_or_path)


OWN = "raised TypeError: NoFlag.setup() got an unexpected keyword argument 'trust_remote_code'; the packer's own is "


def test_a_call_that_one_rule_makes() -> None:
    """A signature that only few rules need breaks those alone, and they show it beside the expected one."""
    report = check_packer(NoFlag, select=["LIFE-6", "LIFE-7"], effort="quick", raise_on_failure=False)
    trusting, other = report.subjects[0].outcomes
    assert (trusting.status, other.status) == ("fail", "pass")
    assert trusting.counterexample is not None
    assert trusting.counterexample.got == f"{OWN}setup(name_or_path)"
    assert trusting.counterexample.expected == "setup(name_or_path, trust_remote_code=False)"


def test_a_setup_that_cannot_be_called_is_no_matter_of_models() -> None:
    """A setup that does not take the flag of the run is told so, and not to name other models."""
    with pytest.raises(UsageError, match="the packer's own is setup") as caught:
        Subject(NoFlag, trust_remote_code=True)
    assert "--packer-model" not in str(caught.value)


def renaming(method: Any) -> Any:
    """Calls a method of another convention, and looks like it."""

    @functools.wraps(method)
    def called(self: Any, sample: Any, rollout_output: Any, **options: Any) -> Any:
        return method(self, rollout_output, **options)

    return called


class Wrapped(Plain):
    @renaming
    def get_policy_input(self, rollout_output: Any, **options: Any) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        return super().get_policy_input(None, rollout_output, **options)


class SaysOtherwise(Plain):
    def get_policy_input(self, *given: Any, **options: Any) -> Any:
        return super().get_policy_input(*given, **options)

    get_policy_input.__signature__ = inspect.signature(lambda self: None)  # pyright: ignore[reportFunctionMemberAccess]


@pytest.mark.parametrize("factory", [Wrapped, SaysOtherwise])
def test_what_a_wrapper_says_of_itself_is_not_held_against_it(factory: Any) -> None:
    """A wrapper that takes the contract's call is sound, whatever signature it carries on from what it wraps."""
    report = check_packer(factory, select=["MASK-2", "MASK-3"], effort="quick", raise_on_failure=False)
    assert [one.status for one in report.subjects[0].outcomes] == ["pass", "pass"]


class RaisesTypeError(Plain):
    def get_policy_input(
        self, sample: Any, rollout_output: Any, n_ignore_prefix_tokens: int = 0, *, prompt_ids: Any = None
    ) -> Any:
        return self.get_policy_input(1, 2, 3, 4, 5)  # pyright: ignore[reportCallIssue]


def test_a_mistaken_call_inside_the_packer_keeps_its_place() -> None:
    """A TypeError that the packer's own code raises names the line there."""
    report = check_packer(RaisesTypeError, select=["MASK-2"], effort="quick", raise_on_failure=False)
    found = report.subjects[0].outcomes[0].counterexample
    assert found is not None
    assert found.got.endswith(" in get_policy_input)")
    assert "test_signatures.py:" in found.got
