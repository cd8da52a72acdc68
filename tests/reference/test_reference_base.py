"""The root contract, its defaults and the registry."""

from typing import Any

import numpy as np
import pytest
from reference_samples import observe

from packer_reference import BaseDataPacker, DataPacker, DecoderOnlyLLMDataPacker, register
from packer_schemas import (
    BatchSlicer,
    PolicyPacker,
    PretokenizedRolloutPacker,
    RolloutHooks,
    RolloutPacker,
    SavesState,
    SetsUp,
    SFTPacker,
    SpecialTokenGuard,
    UsesTokenizer,
)

PROTOCOLS = [
    SetsUp,
    UsesTokenizer,
    SpecialTokenGuard,
    SavesState,
    RolloutPacker,
    PretokenizedRolloutPacker,
    RolloutHooks,
    PolicyPacker,
    BatchSlicer,
    SFTPacker,
]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_protocols_hold_before_setup(protocol: Any) -> None:
    """A packer shows its capabilities from the start, also those that need setup."""
    assert isinstance(DecoderOnlyLLMDataPacker(), protocol)


@pytest.mark.parametrize(
    "method", ["get_rollout_input", "get_policy_input", "policy_compute_max_len", "policy_collate_fn"]
)
def test_four_methods_are_abstract(method: str) -> None:
    """A subclass that leaves out one of the four methods cannot be instantiated."""
    four = ["get_rollout_input", "get_policy_input", "policy_compute_max_len", "policy_collate_fn"]
    body = {name: lambda self, *args: None for name in four if name != method}
    with pytest.raises(TypeError, match=method):
        type("Incomplete", (DataPacker,), body)()
    body[method] = lambda self, *args: None
    type("Complete", (DataPacker,), body)()


def test_passthrough_defaults(packer: DecoderOnlyLLMDataPacker) -> None:
    """Hooks nobody overrides hand on what they get, and batches are counted and sliced as Python does."""
    items = ["a", "b", "c"]
    assert packer.rollout_collate_fn(items) is items
    assert packer.get_rollout_output(items, [1], logprobs=None) is items
    assert packer.batch_size(items) == 3
    assert packer.slice_batch(items, 1, 9) == ["b", "c"]
    assert packer.slice_batch(items, -2, -1) == ["b"]


@pytest.mark.parametrize("ids", [[5, 0, 5], (5, 0, 5), np.array([5, 0, 5], np.int32)])
def test_pretokenized_ids_are_exact(packer: DecoderOnlyLLMDataPacker, ids: Any) -> None:
    """An engine gets exactly the ids given, in a list of its own."""
    got = packer.get_pretokenized_rollout_input(observe("other text"), ids)
    assert got == {"prompt_token_ids": [5, 0, 5]}
    got["prompt_token_ids"].append(1)
    assert list(ids) == [5, 0, 5]


@pytest.mark.parametrize(
    ("ids", "kind"), [([], ValueError), ([1, True], TypeError), ([-1], ValueError), ("12", TypeError)]
)
def test_pretokenized_refuses(packer: DecoderOnlyLLMDataPacker, ids: Any, kind: type[Exception]) -> None:
    """No ids, or bad ones, never reach an engine."""
    with pytest.raises(kind, match=r"get_pretokenized_rollout_input: token_ids"):
        packer.get_pretokenized_rollout_input(observe("x"), ids)


@pytest.mark.parametrize("method", ["sft_process_sample", "sft_compute_max_len", "sft_collate_fn"])
def test_sft_refuses(packer: DecoderOnlyLLMDataPacker, method: str) -> None:
    """An RL packer asked for labels names its class and says what to do."""
    arguments = [[], 4][: 2 if method == "sft_collate_fn" else 1]
    with pytest.raises(NotImplementedError, match=rf"DecoderOnlyLLMDataPacker\.{method}: .*build a packer"):
        getattr(packer, method)(*arguments)


class One(DecoderOnlyLLMDataPacker):
    """Some packer."""


class Two(DecoderOnlyLLMDataPacker):
    """Another packer."""


@pytest.mark.usefixtures("registry")
class TestRegistry:
    """Who may claim a model type."""

    def test_native_types(self) -> None:
        """The four native types are claimed by the text packer."""
        for name in ("qwen2", "qwen3", "gpt2", "llama"):
            assert BaseDataPacker.registered_class(name) is DecoderOnlyLLMDataPacker
        assert BaseDataPacker.registered_class("qwen2_vl") is None

    def test_same_class_again(self) -> None:
        """Registering one class twice is no conflict."""
        register(["my_type"], One)
        register(["my_type"], One)
        assert BaseDataPacker.registered_class("my_type") is One

    def test_other_class_is_refused(self) -> None:
        """A claimed type stays with its class, and the error names type, holder and the way out."""
        register(["my_type"], One)
        with pytest.raises(ValueError, match=r"model_type='my_type' is claimed by .*One; pass allow_override=True"):
            register(["my_type"], Two)
        assert BaseDataPacker.registered_class("my_type") is One

    def test_override(self) -> None:
        """With allow_override the type changes hands."""
        register(["my_type"], One)
        register(["my_type"], Two, allow_override=True)
        assert BaseDataPacker.registered_class("my_type") is Two

    def test_all_or_none(self) -> None:
        """A refused registration claims none of its types."""
        register(["b"], One)
        with pytest.raises(ValueError, match=r"'b'"):
            register(["a", "b"], Two)
        assert BaseDataPacker.registered_class("a") is None

    def test_subclasses_share_one_registry(self) -> None:
        """Registering through a subclass is registering."""
        One.register(["my_type"], One)
        assert BaseDataPacker.registered_class("my_type") is One

    @pytest.mark.parametrize(("names", "cls"), [([""], One), ([3], One), (["a"], One()), (["a"], None)])
    def test_bad_arguments(self, names: Any, cls: Any) -> None:
        """Empty names and instances are refused."""
        with pytest.raises(TypeError, match=r"register: got"):
            register(names, cls)

    def test_one_name(self) -> None:
        """A single name is one type, not one per letter."""
        register("my_type", One)
        assert BaseDataPacker.registered_class("my_type") is One
        assert BaseDataPacker.registered_class("m") is None
