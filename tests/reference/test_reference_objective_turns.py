"""Turns: joined to one row where the next prompt continues it, and a row of their own where it does not."""

import math
from typing import Any

import pytest
import torch
from objective_probes import BatchProbe, random_probe, recorded, turned

from packer_reference import DecoderOnlyLLMDataPacker, make_objective
from packer_schemas import Trajectory

ONE = turned(([110, 111], [120, 121]), ([110, 111, 120, 121, 130, 131], [122]))


def reached(made: Trajectory, rows: int, width: int, packer: Any = None, **call: Any) -> tuple[Any, Any]:
    """The ids that the model was given, and where the gradient is not zero."""
    probe = random_probe(rows, width)
    make_objective(packer, kind="policy_gradient")(probe, [made], **{"advantages": [1.0], **call}).loss.backward()
    return probe.seen[0].tolist(), probe.reached()


def test_a_prompt_that_goes_on_continues_the_row(packer: DecoderOnlyLLMDataPacker) -> None:
    """OBJ-14: suffix and completion are appended, and the suffix carries no weight."""
    for given in (None, packer):
        assert reached(ONE, 1, 7, given) == ([[110, 111, 120, 121, 130, 131, 122]], [[0, 1, 1, 0, 0, 1, 0]])


def test_a_prompt_that_does_not_go_on_begins_a_row() -> None:
    """OBJ-14: the chapter's template writes 120 121 as 150, and each turn is a row of its own."""
    made = turned(([110, 111], [120, 121]), ([110, 111, 150, 130], [140]))
    ids, where = reached(made, 2, 5)
    assert ids == [[110, 111, 120, 121, 0], [110, 111, 150, 130, 140]]
    assert where == [[0, 1, 1, 0, 0], [0, 0, 0, 1, 0]]


@pytest.mark.parametrize(
    "prompt",
    [[110, 111, 120], [110, 111, 121, 120], [111, 110, 120, 121, 130], [5]],
    ids=["shorter", "changed", "swapped", "other"],
)
def test_every_sampled_id_has_weight_in_one_row(prompt: list[int]) -> None:
    """OBJ-14: where a row begins anew, ids of earlier turns are prompt there."""
    ids, where = reached(turned(([110, 111], [120, 121]), (prompt, [140, 141])), 2, max(4, len(prompt) + 2))
    weighted = [
        [one for one, at in zip(row[1:], places, strict=False) if at] for row, places in zip(ids, where, strict=True)
    ]
    assert weighted == [[120, 121], [140, 141]]


def test_a_repeated_prompt_and_empty_turns_continue() -> None:
    """OBJ-14: a prompt equal to the row so far has no suffix, and a turn that sampled nothing leaves the row open."""
    made = turned(([110], [120]), ([110, 120], []), ([110, 120], [121]), ([110, 120, 121, 130], []))
    assert reached(made, 1, 4) == ([[110, 120, 121, 130]], [[1, 1, 0, 0]])


def test_rows_go_on_from_the_last_one_only() -> None:
    """OBJ-14: a third turn that continues the first, and not the second, is a row of its own."""
    made = turned(([1], [2]), ([9], [3]), ([1, 2, 4], [5]))
    assert reached(made, 3, 4) == (
        [[1, 2, 0, 0], [9, 3, 0, 0], [1, 2, 4, 5]],
        [[1, 0, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0]],
    )


@pytest.mark.parametrize("split", [False, True])
def test_streams_grow_with_their_turns(split: bool) -> None:
    """OBJ-7 and OBJ-14: every sampled id has its own turn's logprob and its own entry of a list of advantages."""
    third = [7, 8] if split else [110, 111, 120, 121, 130, 131, 122, 132]
    made = turned(([110, 111], [120, 121]), ([110, 111, 120, 121, 130, 131], [122]), (third, [123, 124]))
    rows, width = (2, 7) if split else (1, 10)
    probe = random_probe(rows, width)
    lp = probe.logits.detach().log_softmax(-1)
    targets = {
        120: (0, 1),
        121: (0, 2),
        122: (0, 5),
        123: (1, 1) if split else (0, 7),
        124: (1, 2) if split else (0, 8),
    }
    advantages = dict(zip(targets, [0.5, -1.0, 2.0, -3.0, 4.0], strict=True))
    gap = [
        abs(lp[*at, one].item() - q)
        for (one, at), q in zip(targets.items(), [-0.01, -0.02, -0.03, -0.04, -0.05], strict=True)
    ]
    result = make_objective(clip_low=0.999999, clip_high=1e9)(probe, [made], advantages=[list(advantages.values())])
    assert result.metrics["logprob_gap_mean"] == pytest.approx(sum(gap) / 5, rel=1e-6)
    assert result.metrics["logprob_gap_max"] == pytest.approx(max(gap), rel=1e-6)
    other = make_objective(kind="policy_gradient")(probe, [made], advantages=[list(advantages.values())])
    expected = -sum(lp[*at, one].item() * advantages[one] for one, at in targets.items()) / 5
    assert other.loss.item() == pytest.approx(expected, rel=1e-5)


def test_one_turn_is_a_trajectory_of_one_turn() -> None:
    """OBJ-14: a list of one turn scores as the same keys on the trajectory, which the turns replace."""
    probe, turn = random_probe(1, 4), {"prompt_ids": [1, 2], "completion_ids": [3, 4], "logprobs": [-5.0, -6.0]}
    plain = recorded([1, 2], [3, 4], [-5.0, -6.0])
    within = recorded([9], [9, 9, 9], [math.nan], turns=[turn])
    results = [make_objective()(probe, [one], advantages=[1.0]) for one in (plain, within)]
    assert torch.equal(results[0].loss, results[1].loss)


def test_a_turn_may_hold_what_was_not_sampled() -> None:
    """OBJ-15: `sampled` of a turn speaks of its own completion ids, and lies beside suffixes."""
    made = turned(([110], [120, 121]), ([110, 120, 121, 130], [122, 123]))
    made.policy_info["turns"][0]["sampled"] = [1, 0]
    made.policy_info["turns"][1]["sampled"] = [0, 1]
    assert reached(made, 1, 6)[1] == [[1, 0, 0, 0, 1, 0]]


@pytest.mark.parametrize("with_packer", [False, True])
def test_n_concerns_the_first_turn(with_packer: bool, packer: DecoderOnlyLLMDataPacker) -> None:
    """OBJ-14: n ids of the first turn carry no weight, in joined rows and in the first of several."""
    given = packer if with_packer else None
    made = turned(([110], [120, 121]), ([110, 120, 121, 130], [122]), ([5], [123, 124]), n_ignore_prefix_tokens=2)
    assert reached(made, 2, 5, given)[1] == [[0, 0, 0, 1, 0], [1, 1, 0, 0, 0]]


@pytest.mark.parametrize("n", [-1, 3])
def test_n_lies_within_the_first_turn(n: int) -> None:
    """OBJ-14: n above the first turn's C is refused, however many ids the row has."""
    made = turned(([110], [120, 121]), ([110, 120, 121, 130], [122]), n_ignore_prefix_tokens=n)
    with pytest.raises(ValueError, match=rf"trajectory 0, turns\[0\]: n_ignore_prefix_tokens is {n}, expected 0 to 2"):
        reached(made, 1, 5)


@pytest.mark.parametrize(
    ("at", "logprobs", "message"),
    [
        (1, None, r"trajectory 0, turns\[1\]: no logprobs"),
        (1, [-1.0, -1.0], r"trajectory 0, turns\[1\]: logprobs has 2 entries, expected 1"),
        (0, [-1.0, math.nan], r"trajectory 0, turns\[0\]: logprobs\[1\] is nan"),
    ],
)
def test_broken_logprobs_of_a_turn_are_refused(at: int, logprobs: Any, message: str) -> None:
    """OBJ-8: the message names the turn."""
    made = turned(([110], [120, 121]), ([110, 120, 121, 130], [122]))
    made.policy_info["turns"][at]["logprobs"] = logprobs
    with pytest.raises(ValueError, match=message):
        make_objective()(random_probe(1, 5), [made], advantages=[1.0])


def test_a_turn_without_weight_needs_no_logprobs() -> None:
    """OBJ-8: a turn of which nothing was sampled has none to record."""
    made = turned(([110], [120]), ([110, 120, 130], [122]))
    made.policy_info["turns"][0] |= {"logprobs": None, "sampled": [0]}
    assert make_objective()(random_probe(1, 4), [made], advantages=[1.0]).metrics["selected"] == 1


@pytest.mark.parametrize("advantages", [[1.0, 1.0], [1.0] * 4, [1.0] * 5])
def test_a_list_of_advantages_is_of_all_turns(advantages: list[float]) -> None:
    """OBJ-14: it has an entry for each of the three completion ids, none for the suffix."""
    with pytest.raises(ValueError, match=f"advantages has {len(advantages)} entries, expected 3"):
        reached(ONE, 1, 7, advantages=[advantages])


def test_a_trajectory_of_rows_counts_once() -> None:
    """OBJ-12 and OBJ-14: its reward is one of the group, and its advantage stands in all of its rows."""
    one, other = turned(([1], [2]), ([9], [3])), turned(([1], [4]))
    one.reward, other.reward = 1.0, 0.0
    probe = random_probe(3, 2)
    result = make_objective(kind="policy_gradient")(probe, [one, other], groups=["g", "g"])
    lp = probe.logits.detach().log_softmax(-1)
    terms = [lp[0, 0, 2].item() * 0.999998, lp[1, 0, 3].item() * 0.999998, -lp[2, 0, 4].item() * 0.999998]
    assert result.loss.item() == pytest.approx(-sum(terms) / 3, abs=1e-6)


def test_a_filler_of_turns_has_no_weight() -> None:
    """OBJ-11: none of its rows has."""
    made = turned(([1], [2]), ([9], [3]), filler=True)
    assert reached(made, 2, 2, advantages=[None])[1] == [[0, 0], [0, 0]]


@pytest.mark.parametrize(
    ("turns", "error", "message"),
    [
        ([], ValueError, "trajectory 0: turns is empty"),
        ("text", TypeError, "trajectory 0: turns is a str"),
        ([3], TypeError, r"trajectory 0, turns\[0\] is a int"),
        ([{"prompt_ids": [1]}], ValueError, r"trajectory 0, turns\[0\] has no completion_ids"),
        ([{"completion_ids": [1]}], ValueError, r"trajectory 0, turns\[0\] has no prompt_ids"),
        ([{"prompt_ids": [1], "completion_ids": "he"}], TypeError, r"turns\[0\]: completion_ids: got str"),
        ([{"prompt_ids": [1], "completion_ids": [-1]}], ValueError, r"turns\[0\]: completion_ids\[0\] is -1"),
    ],
)
def test_what_is_no_turn_is_refused(turns: Any, error: type, message: str) -> None:
    """Ids of every turn are records of the engine; a text or a missing key is named with the turn."""
    with pytest.raises(error, match=message):
        reached(recorded(None, None, turns=turns), 1, 2)


def routed(*records: list[int] | None) -> Trajectory:
    """The joined trajectory with the experts of one layer, top_k 1, for each turn."""
    made = turned(([110, 111], [120, 121]), ([110, 111, 120, 121, 130, 131], [122]))
    for turn, record in zip(made.policy_info["turns"], records, strict=True):
        turn["rollout_routed_experts"] = None if record is None else torch.tensor(record).reshape(-1, 1, 1)
    return made


def test_routing_grows_with_its_turns(packer: DecoderOnlyLLMDataPacker) -> None:
    """OBJ-14: of a row of K = 4 ids, 3 rows are kept, and the rows from 3 on are the next turn's."""
    probe = BatchProbe(torch.randn(1, 7, 300))
    made = routed([10, 11, 12], [20, 21, 22, 23, 24, 25])
    make_objective(packer, routing_replay=True, kind="policy_gradient")(probe, [made], advantages=[1.0])
    assert probe.seen[0]["forward_replay_routing"].flatten().tolist() == [10, 11, 12, 23, 24, 25, -1]


@pytest.mark.parametrize(
    ("records", "message"),
    [
        (([10, 11, 12], None), "the later turn carries no rollout_routed_experts"),
        (([10, 11], [20, 21, 22, 23, 24, 25]), "of the earlier turn has 2 rows, expected 3"),
        (([10, 11, 12], [20, 21]), "of the later turn has 2 rows, expected 6"),
        ((None, None), "forward_replay_routing is missing"),
    ],
)
def test_routing_that_cannot_be_joined_is_refused(records: Any, message: str, packer: DecoderOnlyLLMDataPacker) -> None:
    """ROUTE-14: a turn without a record, or with one of other rows, is named; without replay it is not read."""
    probe, made = random_probe(1, 7, whole=True), routed(*records)
    with pytest.raises(ValueError, match=message):
        make_objective(packer, routing_replay=True)(probe, [made], advantages=[1.0])
    assert make_objective(packer)(probe, [made], advantages=[1.0]).loss.isfinite()
