"""What objectives are tried on: the kit's packer, its model, and the rows that turns make."""

import math

import pytest
import torch

from packer_schemas.objective_cases import RecordedTurn, ScoredRow
from packer_schemas.protocols import PolicyPacker
from packer_spec.oracle.masks import mask
from packproof.consumers.subject import ObjectiveSubject
from packproof.objective_runs.calls import scored
from packproof.objective_runs.ids_packer import IdsPacker
from packproof.objective_runs.probe import VOCABULARY, Probe
from packproof.objective_runs.trajectories import recorded, trajectory
from packproof.objective_runs.turns import first_difference, joined
from packproof.zoo.miniature_objective import MiniatureObjective

BROKEN = [
    RecordedTurn(prompt_ids=[110, 111], completion_ids=[120, 121]),
    RecordedTurn(prompt_ids=[110, 111, 150, 130], completion_ids=[140]),
]
GOING_ON = [BROKEN[0], RecordedTurn(prompt_ids=[110, 111, 120, 121, 130], completion_ids=[140, 141])]


def test_the_packer_makes_the_masks_of_the_oracle() -> None:
    """Rows are prompt and completion with the chapter's mask, filled on the right; a text is its code points."""
    packer = IdsPacker(extra_width=1)
    assert isinstance(packer, PolicyPacker)
    sample = trajectory("no", "on").obs
    rows = [packer.get_policy_input(sample, [120, 121, 122], 1, prompt_ids=[110, 111])]
    rows.append(packer.get_policy_input(sample, "on"))
    assert rows[0].logprob_masks == mask(2, 3, 1)
    assert rows[1]["input_ids"] == [ord(one) for one in "noon"]
    batch = packer.policy_collate_fn(rows, packer.policy_compute_max_len(rows))
    assert batch["logprob_masks"].int().tolist() == [[*mask(2, 3, 1), 0], [*mask(2, 2), 0, 0]]


def test_the_model_reads_the_row_so_far_and_nothing_else() -> None:
    """Logits are the same in a wider batch and beside other rows, and differ from one prefix to the next."""
    model = Probe()
    alone = model(torch.tensor([[110, 111, 120]]))
    beside = model(torch.tensor([[5, 5, 5, 5], [110, 111, 120, 3]]))
    torch.testing.assert_close(alone[0], beside[1, :3])
    assert not torch.allclose(beside[0, 0], beside[0, 1])
    assert Probe(level=True).logprobs([110, 111]) == [pytest.approx(-math.log(VOCABULARY))]


def test_pulls_are_the_derivatives_by_the_logprobs() -> None:
    """At ratio r the clipped objective pulls with r times A over N at each selected position, up by the next id."""
    row = ScoredRow(prompt_ids=[110, 111], completion_ids=[120, 121], ratios=[1.1, 0.9], advantage=2.0)
    for level in (True, False):
        model, subject = Probe(level=level), ObjectiveSubject(MiniatureObjective)
        given = [recorded(row, model)]
        got = scored(subject, subject.build(IdsPacker()), model, given, "a call", advantages=[2.0])
        (pulls,) = got.pulls([[110, 111, 120, 121]])
        assert [one.weight for one in pulls] == pytest.approx([0, 1.1, 0.9, 0], rel=1e-4)
        assert [one.id for one in pulls] == [None, 120, 121, None]
        assert got.loss == pytest.approx(-2.0)


def test_turns_make_the_rows_of_the_chapter() -> None:
    """A turn that continues the row is appended behind its suffix, and another one begins a row."""
    assert [row.ids for row in joined(BROKEN)] == [[110, 111, 120, 121], [110, 111, 150, 130, 140]]
    assert first_difference(BROKEN, 1) == 2
    (row,) = joined(GOING_ON)
    assert row.ids == [110, 111, 120, 121, 130, 140, 141]
    assert row.entries == [None, 0, 1, None, 2, 3, None]
    assert row.turns == [0, 1]
