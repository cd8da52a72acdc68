"""The reference's routing on the vectors of its chapter."""

from typing import Any

import numpy as np
import pytest
from outcomes import expect_outcome

from packer_reference.routing import add_forward_routing, cut_policy_input, join_policy_inputs, join_turn_routing
from packer_schemas import FORWARD_REPLAY_BATCH_KEY, RLPolicyInput
from packproof.vectors import vectors


def of_kind(kind: str) -> Any:
    """Parametrises a test over the vectors of a kind."""
    chosen = [one for one in vectors("routing") if one.input.kind == kind]
    return pytest.mark.parametrize("vector", chosen, ids=lambda vector: vector.id)


def record_of(given: Any) -> Any:
    """The record of a sample of a vector, or None."""
    if given.record is None:
        return None
    return np.array([int(value) for value in given.record.values], given.record.dtype).reshape(given.record.shape)


def sample_of(given: Any) -> RLPolicyInput:
    """The policy input of a sample of a vector."""
    sample = RLPolicyInput(input_ids=given.input_ids, logprob_masks=[0] * len(given.input_ids))
    return sample.model_copy(update={"forward_routing": record_of(given)})


def plain(found: Any) -> Any:
    """A tensor as it stands in a vector, or None."""
    if found is None:
        return None
    values = [value if abs(value) <= 2**53 else str(value) for value in found.flatten().tolist()]
    return {"dtype": str(found.dtype).removeprefix("torch."), "shape": list(found.shape), "values": values}


@of_kind("batch")
def test_batches(vector: Any) -> None:
    """`add_forward_routing` lays the records of the vector into the batch, in its type, or refuses them."""
    samples = [sample_of(one) for one in vector.input.samples]

    def run() -> dict[str, Any]:
        batch: dict[str, Any] = {}
        add_forward_routing(batch, samples, vector.input.max_len, vector.input.experts)
        return {"routing": plain(batch.get(FORWARD_REPLAY_BATCH_KEY))}

    expect_outcome(vector, run)


@of_kind("cut")
def test_cuts(vector: Any) -> None:
    """`cut_policy_input` keeps the ids of the positions, and the rows of all but the last, or refuses the borders."""
    given = vector.input

    def run() -> dict[str, Any]:
        got = cut_policy_input(sample_of(given.sample), given.start, given.stop)
        return {"input_ids": got.input_ids, "record": plain(got.forward_routing)}

    expect_outcome(vector, run)


@of_kind("join")
def test_joins(vector: Any) -> None:
    """`join_policy_inputs` lays the ids and records one behind the other, with -1 between, or refuses them."""
    samples = [sample_of(one) for one in vector.input.samples]

    def run() -> dict[str, Any]:
        got = join_policy_inputs(samples)
        return {"input_ids": got.input_ids, "record": plain(got.forward_routing)}

    expect_outcome(vector, run)


@of_kind("turns")
def test_turns(vector: Any) -> None:
    """`join_turn_routing` joins the records of two turns at their border, or refuses them."""
    earlier, later = vector.input.earlier, vector.input.later
    given = earlier.input_ids, record_of(earlier), later.input_ids, record_of(later), vector.input.first_row

    def run() -> dict[str, Any]:
        return {"input_ids": later.input_ids, "record": plain(join_turn_routing(*given))}

    expect_outcome(vector, run)
