"""The zoo under several seeds: every planted fault is caught by the rules it breaks, and by no other."""

import pytest
from failures import SEEDS, run_at

from packproof.kill_matrix import ACCEPTANCE
from packproof.zoo import Member, members

by_name = pytest.mark.parametrize("member", members(), ids=lambda member: member.name)


@by_name
def test_generated_cases_alone_kill_at_every_seed(member: Member) -> None:
    """At each of five seeds, generated cases catch the fault, not by a crash, and trip no other rule.

    The broken rules get standard effort at each seed; the rules that the member keeps get few cases, see `run_at`.
    """
    for seed in SEEDS:
        result = run_at(seed, member)
        assert not result.holes, (seed, [cell.outcome for cell in result.holes])
        for cell in result.named:
            assert cell.outcome is not None
            assert cell.outcome.counterexample is not None
            assert not cell.outcome.counterexample.crash or cell.requirement in ACCEPTANCE


@by_name
def test_stored_cases_trip_no_other_rule(member: Member) -> None:
    """With the spec's own cases in front, the fault is caught too, and the rules it keeps stay green."""
    result = run_at(0, member, stored=True)
    assert not result.holes, [cell.outcome for cell in result.holes]
