"""What objectives are tried on: the kit's packer, its model, and the rows that turns make."""

import math

import pytest
import torch

from packer_schemas.objective_cases import RecordedTurn, ScoredRow, TurnsCase
from packer_schemas.protocols import PolicyPacker
from packer_spec.oracle.masks import mask
from packproof.consumers.subject import ObjectiveSubject
from packproof.objective_runs.calls import scored, told
from packproof.objective_runs.conversed import conversed
from packproof.objective_runs.ids_packer import IdsPacker
from packproof.objective_runs.probe import VOCABULARY, Probe
from packproof.objective_runs.routed import expect_routing
from packproof.objective_runs.trajectories import entries_of, in_rows, in_turns, recorded, selected, trajectory
from packproof.objective_runs.turns import first_difference, joined, record_of
from packproof.objective_runs.unsampled import expect_unsampled_untrained
from packproof.violation import Unexercised, Violation
from packproof.zoo.miniature_objective import MiniatureObjective
from packproof.zoo.objective_turns import RoutingOfTheLastTurn, SampledUnread

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


TOOL = ScoredRow(prompt_ids=[110, 111], completion_ids=[120, 121, 122], sampled=[1, 0, 1])


def test_entries_are_of_ids_that_were_sampled_and_not_ignored() -> None:
    """Of three ids, the second of which a tool wrote, n = 1 leaves the last."""
    assert entries_of(TOOL) == [0, 2]
    assert selected(TOOL) == [1, 3]
    assert selected(TOOL.model_copy(update={"n_ignore_prefix_tokens": 1})) == [3]
    assert entries_of(ScoredRow(prompt_ids=[110], completion_ids=[120, 121])) == [0, 1]


@pytest.mark.parametrize(("n", "border"), [(0, 2), (3, 3)])
def test_a_row_in_turns_is_the_same_row(n: int, border: int) -> None:
    """The first turn has half of the ids, or as many as n needs; the second continues it, with its part of a stream."""
    row = TOOL.model_copy(update={"n_ignore_prefix_tokens": n})
    whole = recorded(row, Probe(level=True))
    first, second = in_turns(whole).policy_info["turns"]
    assert second["prompt_ids"] == [*first["prompt_ids"], *first["completion_ids"]]
    assert [*second["prompt_ids"], *second["completion_ids"]] == [110, 111, 120, 121, 122]
    assert len(first["completion_ids"]) == border
    for name in ("logprobs", "sampled"):
        assert [*first[name], *second[name]] == whole.policy_info[name]


def test_a_call_says_which_ids_of_which_turn_are_ignored() -> None:
    """n is of the first turn, and stands behind its ids."""
    row = TOOL.model_copy(update={"n_ignore_prefix_tokens": 1})
    assert told(recorded(row, Probe())) == "110 111 | 120 121 122 (1 ignored)"
    assert told(in_turns(recorded(row, Probe()))) == "110 111 | 120 121 (1 ignored), then 110 111 120 121 | 122"
    assert told(trajectory("no", "on")) == "None | 'on'"


def test_two_rows_are_turns_that_do_not_continue_each_other() -> None:
    """What `in_rows` makes of two rows, the chapter's rule makes two rows again."""
    one, other = recorded(TOOL, Probe()), recorded(TOOL.model_copy(update={"prompt_ids": [410]}), Probe())
    turns = [
        RecordedTurn(**{key: turn[key] for key in ("prompt_ids", "completion_ids")})
        for turn in in_rows(one, other).policy_info["turns"]
    ]
    assert [row.ids for row in joined(turns)] == [[110, 111, 120, 121, 122], [410, 120, 121, 122]]


@pytest.mark.parametrize(("objective", "peace"), [(MiniatureObjective, False), (SampledUnread, True)])
def test_where_unsampled_ids_are_trained_other_rules_hold_their_peace(objective: type, peace: bool) -> None:
    """A call that trains a tool's output shows nothing but that."""
    model, subject = Probe(level=True), ObjectiveSubject(objective)
    got = scored(subject, subject.build(IdsPacker()), model, [recorded(TOOL, model)], "a call", advantages=[1.0])
    if peace:
        with pytest.raises(Unexercised, match="of which OBJ-15 speaks"):
            expect_unsampled_untrained(got, [TOOL])
    else:
        expect_unsampled_untrained(got, [TOOL])


def test_logits_may_be_of_half_precision() -> None:
    """A probe whose logits are bfloat16 has float32 weights, and their gradients."""
    model = Probe(level=True, logits=torch.bfloat16)
    logits = model(torch.tensor([[110, 111]]))
    assert logits.dtype == torch.bfloat16
    logits.float().log_softmax(-1)[0, 0, 111].backward()
    assert model.head.grad is not None
    assert model.head.grad.dtype == torch.float32


def test_the_packer_fills_and_stacks_recorded_routing() -> None:
    """Rows get -1 beyond their records; some rows without a record are refused, and none at all have no field."""
    packer, sample = IdsPacker(), trajectory("no", "on").obs
    rows = [packer.get_policy_input(sample, [120], prompt_ids=[110]) for _ in range(2)]
    rows[0].forward_routing, rows[1].forward_routing = record_of(2, 0), record_of(2, 1)
    assert packer.policy_collate_fn(rows, 3)["forward_replay_routing"].flatten(1).tolist() == [
        [100, -1, -1],
        [200, -1, -1],
    ]
    rows[1].forward_routing = None
    with pytest.raises(ValueError, match="policy input 1 has no forward_routing"):
        packer.policy_collate_fn(rows, 3)
    rows[0].forward_routing = None
    assert "forward_replay_routing" not in packer.policy_collate_fn(rows, 3)


def test_a_joined_row_has_the_experts_of_each_turn_from_where_it_began() -> None:
    """Turn 1 has experts at the first three of its four ids, and turn 2 at those behind; its record alone is named."""
    case = TurnsCase(turns=GOING_ON, routed=True)
    subject = ObjectiveSubject(MiniatureObjective)
    assert conversed(subject, case, distinct=True).rows[0].turns == [0, 1]
    with pytest.raises(Violation) as raised:
        conversed(ObjectiveSubject(RoutingOfTheLastTurn), case, distinct=True)
    found = raised.value.counterexample
    assert found.rows[2].values == [100, 101, 102, 203, 204, 205, -1]
    assert found.rows[3].values == [200, 201, 202, 203, 204, 205, -1]
    assert found.fault == "the last turn's record alone"


def test_a_batch_without_routing_is_told() -> None:
    """Where the model was given no routing, the field is named."""
    with pytest.raises(Violation) as raised:
        expect_routing("a call", joined(GOING_ON), GOING_ON, Probe())
    assert raised.value.counterexample.expected == "forward_replay_routing"
