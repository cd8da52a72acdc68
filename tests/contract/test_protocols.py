"""Capabilities are protocols: a packer has one when `isinstance` says so."""

from typing import Any

from packer_schemas import (
    BatchSlicer,
    FingerprintedSource,
    IndexedSource,
    MembershipSource,
    PackerSemanticsIdentity,
    PolicyPacker,
    PretokenizedRolloutPacker,
    RolloutHooks,
    RolloutPacker,
    RoutedPolicyInput,
    SavesState,
    SetsUp,
    SFTPacker,
    SpecialTokenGuard,
    UsesTokenizer,
)


class OnlyRollout:
    """Has the rollout side and nothing else."""

    def get_rollout_input(self, item: Any) -> Any:
        return item


class OnlyPolicy:
    """Has the policy side and nothing else."""

    def get_policy_input(self, sample: Any, rollout_output: Any, n_ignore_prefix_tokens: int = 0, **_: Any) -> Any:
        return sample

    def policy_compute_max_len(self, processed_samples: Any) -> int:
        return 0

    def policy_collate_fn(self, processed_samples: Any, computed_max_len: int) -> dict[str, Any]:
        return {}


EVERY = (
    BatchSlicer,
    PackerSemanticsIdentity,
    PolicyPacker,
    PretokenizedRolloutPacker,
    RolloutHooks,
    RolloutPacker,
    SFTPacker,
    SavesState,
    SetsUp,
    SpecialTokenGuard,
    UsesTokenizer,
)


def test_a_rollout_only_packer_has_one_capability() -> None:
    """One method makes one capability, without inheriting from anything."""
    assert [protocol for protocol in EVERY if isinstance(OnlyRollout(), protocol)] == [RolloutPacker]


def test_a_policy_only_packer_has_one_capability() -> None:
    """The policy triad is one capability."""
    assert [protocol for protocol in EVERY if isinstance(OnlyPolicy(), protocol)] == [PolicyPacker]


def test_an_incomplete_triad_is_no_policy_packer() -> None:
    """Two of the three policy methods are not the capability."""

    class Incomplete:
        get_policy_input = OnlyPolicy.get_policy_input
        policy_compute_max_len = OnlyPolicy.policy_compute_max_len

    assert not isinstance(Incomplete(), PolicyPacker)


def test_any_object_with_ids_and_routing_is_a_routed_policy_input() -> None:
    """A custom policy input carries routing by having the two attributes."""

    class Custom:
        input_ids = (1, 2)
        forward_routing = None

    assert isinstance(Custom(), RoutedPolicyInput)


def test_a_source_has_one_capability_for_each_method() -> None:
    """A list is indexed and says nothing else of itself; a fingerprint and names of items are capabilities apart."""

    class Named(list[str]):
        def membership_ids(self) -> tuple[str, ...]:
            return tuple(self)

    class Printed(list[str]):
        def cursor_fingerprint(self) -> str:
            return "v1"

    every = (IndexedSource, FingerprintedSource, MembershipSource)
    found = {kind: [protocol for protocol in every if isinstance(kind(), protocol)] for kind in (list, Named, Printed)}
    assert found[list] == [IndexedSource]
    assert found[Named] == [IndexedSource, MembershipSource]
    assert found[Printed] == [IndexedSource, FingerprintedSource]
