"""Streams: which recorded number stands beside which prediction, and what is refused because it has none."""

import math
from typing import Any

import numpy as np
import pytest
import torch
from objective_probes import assigned, by_hand, random_probe, recorded

from packer_reference import DecoderOnlyLLMDataPacker, make_objective


def gaps(**info: Any) -> dict[str, float]:
    """The metrics of prompt 110 and completion 120 121 122, whose logprobs in the trainer are -1, -2 and -3."""
    probe = assigned(1, 4, {(0, 0, 120): -1.0, (0, 1, 121): -2.0, (0, 2, 122): -3.0})
    return dict(make_objective()(probe, [recorded([110], [120, 121, 122], **info)], advantages=[1.0]).metrics)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_ignored_ids_take_their_entries_along(n: int) -> None:
    """OBJ-7: entry j stands beside the prediction of id j for every n, so each gap is the one that was planted."""
    planted = [0.25, 0.5, 0.125]
    logprobs = [-1.0 - planted[0], -2.0 - planted[1], -3.0 - planted[2]]
    metrics = gaps(logprobs=logprobs, n_ignore_prefix_tokens=n)
    assert metrics["logprob_gap_mean"] == pytest.approx(sum(planted[n:]) / (3 - n), abs=1e-6)
    assert metrics["logprob_gap_max"] == pytest.approx(max(planted[n:]), abs=1e-6)


def test_the_chapters_ignored_prediction() -> None:
    """OBJ-7: with P = 1, C = 2 and n = 1, the one selected prediction is paired with -1.9 and not with -0.7."""
    probe = assigned(1, 3, {(0, 0, 120): -0.7, (0, 1, 121): -1.9})
    made = recorded([110], [120, 121], [-0.7, -1.9], n_ignore_prefix_tokens=1)
    assert make_objective()(probe, [made], advantages=[1.0]).metrics["logprob_gap_max"] == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("n", [0, 1, 3])
def test_lists_of_advantages_are_cut_with_the_others(n: int, packer: DecoderOnlyLLMDataPacker) -> None:
    """OBJ-7: advantages that come as lists stand beside their ids, in rows of every length, with a packer or not."""
    made = [
        recorded([1, 2], [50, 51, 52, 53], [-5.7, -5.8, -5.9, -6.1], n_ignore_prefix_tokens=n),
        recorded([3], [60, 61, 62], [-5.6, -6.2, -5.9], n_ignore_prefix_tokens=n),
    ]
    advantages = [[0.5, -1.0, 1.5, 2.5], [-0.25, 0.75, -3.0]]
    probe = random_probe(2, 6)
    expected = by_hand(probe.logits, made, advantages)
    for given in (None, packer):
        assert torch.equal(make_objective(given)(probe, made, advantages=advantages).loss, expected)


@pytest.mark.parametrize(
    "container",
    [
        *(tuple, np.array, torch.tensor, lambda one: torch.tensor(one).double()),
        *(lambda one: [np.float32(each) for each in one], lambda one: [torch.tensor(each) for each in one]),
    ],
)
def test_logprobs_come_in_any_container(container: Any) -> None:
    """Tuples, arrays and tensors of logprobs, and lists of their numbers, are read as lists are."""
    assert gaps(logprobs=container([-1.5, -2.0, -3.0])) == gaps(logprobs=[-1.5, -2.0, -3.0])


@pytest.mark.parametrize(
    ("info", "message"),
    [
        ({"logprobs": [-0.1, math.nan, -0.3]}, r"trajectory 0: logprobs\[1\] is nan"),
        ({"logprobs": [-0.1, -0.2, None]}, r"trajectory 0: logprobs\[2\] is None"),
        ({"logprobs": [-math.inf, -0.2, -0.3]}, r"trajectory 0: logprobs\[0\] is -inf"),
        ({"logprobs": [-0.1, 10**400, -0.3]}, r"trajectory 0: logprobs\[1\] is too large for float64"),
        (
            {"logprobs": [-0.1, -0.2, -1e39]},
            r"trajectory 0: logprobs\[2\] is -1e\+39, expected .* at most 3.40282e\+38",
        ),
        ({"logprobs": [-0.1, -0.2]}, "trajectory 0: logprobs has 2 entries, expected 3"),
        ({"logprobs": [-0.1] * 4}, "trajectory 0: logprobs has 4 entries, expected 3"),
        ({"logprobs": []}, "trajectory 0: logprobs has 0 entries, expected 3"),
        ({"logprobs": [[-0.1], [-0.1], [-0.1]]}, "trajectory 0: logprobs: .* is no list of numbers"),
        ({"logprobs": ["-0.1", "-0.2", "-0.3"]}, "trajectory 0: logprobs: .* is no list of numbers"),
        ({"logprobs": [-0.1, [-0.2], -0.3]}, "trajectory 0: logprobs: .* is no list of numbers"),
        ({}, "trajectory 0: no logprobs; record one for each"),
        ({"logprobs_missing": [1, 2]}, "trajectory 0: no logprobs; logprobs_missing names 1, 2; record"),
        # cut at n, a stream no longer has an entry for each completion id
        ({"logprobs": [-0.2, -0.3], "n_ignore_prefix_tokens": 1}, "trajectory 0: logprobs has 2 entries, expected 3"),
    ],
)
@pytest.mark.parametrize("with_packer", [False, True])
def test_broken_logprobs_are_refused(
    info: dict[str, Any], message: str, with_packer: bool, packer: DecoderOnlyLLMDataPacker
) -> None:
    """OBJ-8: the message names trajectory, stream, and entry or both lengths, and the model never runs."""
    probe = random_probe(1, 4)
    with pytest.raises(ValueError, match=message):
        make_objective(packer if with_packer else None)(
            probe, [recorded([110], [120, 121, 122], **info)], advantages=[1.0]
        )
    assert probe.seen == []


@pytest.mark.parametrize("entry", [None, math.nan, math.inf])
def test_entries_that_are_not_selected_are_not_looked_at(entry: Any) -> None:
    """OBJ-8: ignored and unsampled ids may have anything in any stream."""
    expected = gaps(logprobs=[-1.5, -2.25, -3.5], n_ignore_prefix_tokens=1, sampled=[1, 1, 0])
    assert gaps(logprobs=[entry, -2.25, entry], n_ignore_prefix_tokens=1, sampled=[1, 1, 0]) == expected
    made = recorded([110], [120, 121], [-5.0, -6.0], n_ignore_prefix_tokens=1)
    assert make_objective()(random_probe(1, 3), [made], advantages=[[entry, 1.0]]).loss.isfinite()


def test_integers_without_bound_are_numbers() -> None:
    """One that float64 has room for is read, and one that it has none for does no harm where nothing is selected."""
    assert gaps(logprobs=[-(2**70), -2.0, -3.0])["logprob_gap_max"] == pytest.approx(2.0**70)
    assert gaps(logprobs=[10**400, -2.5, -3.0], sampled=[0, 1, 1])["logprob_gap_max"] == pytest.approx(0.5)


@pytest.mark.parametrize("logprobs", [None, [-1.0], [math.nan, math.nan]])
def test_a_trajectory_without_weight_needs_no_logprobs(logprobs: Any) -> None:
    """OBJ-8: where nothing is selected, nothing is missing: all ignored, nothing sampled, nothing answered, filler."""
    made = [
        recorded([110], [120, 121], logprobs, n_ignore_prefix_tokens=2),
        recorded([110], [120, 121], logprobs, sampled=[0, 0]),
        recorded([110], [], logprobs),
        recorded([110], [120, 121], logprobs, filler=True),
        recorded([110], [120, 121], [-5.0, -5.5]),
    ]
    result = make_objective()(random_probe(5, 3), made, advantages=[1.0] * 5)
    assert result.metrics["selected"] == 2


def test_unsampled_ids_carry_no_weight(packer: DecoderOnlyLLMDataPacker) -> None:
    """OBJ-15: of an answer, a tool's output and another answer, the predictions of the answers are selected."""
    made = recorded([110], [120, 121, 130, 131, 122], [-5.0, -6.0, 0.0, 0.0, -5.5], sampled=[1, 1, 0, 0, 1])
    for given in (None, packer):
        probe = random_probe(1, 6)
        make_objective(given, kind="policy_gradient")(probe, [made], advantages=[1.0]).loss.backward()
        assert probe.reached() == [[1, 1, 0, 0, 1, 0]]


def test_sampled_and_ignored_go_together() -> None:
    """OBJ-15: an id has weight where it was sampled and is not ignored."""
    made = recorded([110], [120, 121, 122, 123], [-5.0] * 4, sampled=[0, 1, 1, 0], n_ignore_prefix_tokens=2)
    probe = random_probe(1, 5)
    make_objective(kind="policy_gradient")(probe, [made], advantages=[1.0]).loss.backward()
    assert probe.reached() == [[0, 0, 1, 0, 0]]


def test_text_completions_have_streams_too(packer: DecoderOnlyLLMDataPacker) -> None:
    """A text has as many entries as the packer makes ids of it: `he!` is two on tiny-qwen."""
    made = recorded([110], None, [-5.0, -3.0], sampled=[0, 1], n_ignore_prefix_tokens=1)
    made.completion = "he!"
    probe = random_probe(1, 3)
    make_objective(packer)(probe, [made], advantages=[[math.nan, 1.0]]).loss.backward()
    assert probe.seen[0].shape == (1, 3)
    assert probe.reached() == [[0, 1, 0]]
    made.policy_info["logprobs"] = [-5.0] * 3
    with pytest.raises(ValueError, match="logprobs has 3 entries, expected 2"):
        make_objective(packer)(probe, [made], advantages=[1.0])


@pytest.mark.parametrize(
    ("sampled", "message"),
    [
        ([1, 1], "trajectory 0: sampled has 2 entries, expected 3"),
        ([1, 1, 1, 1], "trajectory 0: sampled has 4 entries, expected 3"),
        ([1, 2, 1], r"trajectory 0: sampled\[1\] is 2, expected 0 or 1"),
        ([1, 1, 0.5], r"trajectory 0: sampled\[2\] is 0.5, expected 0 or 1"),
        ([1, None, 1], r"trajectory 0: sampled\[1\] is None"),
        (["1", "1", "0"], r"trajectory 0: sampled\[0\] is '1'"),
    ],
)
def test_a_sampled_that_does_not_fit_is_refused(sampled: Any, message: str) -> None:
    """OBJ-15: another length, and entries other than 0 and 1, are named."""
    with pytest.raises(ValueError, match=message):
        gaps(logprobs=[-1.0] * 3, sampled=sampled)


@pytest.mark.parametrize("container", [list, tuple, np.array, torch.tensor, lambda one: [bool(each) for each in one]])
def test_sampled_comes_in_any_container(container: Any) -> None:
    """Lists, arrays and tensors of 0 and 1, and bools, are read alike."""
    assert gaps(logprobs=[-1.5, -2.0, -3.0], sampled=container([1, 0, 1]))["selected"] == 2


class Shifted(DecoderOnlyLLMDataPacker):
    """A packer whose mask is one place early."""

    def get_policy_input(self, *args: Any, **kwargs: Any) -> Any:
        """The mask of the base class without its first entry."""
        shaped = super().get_policy_input(*args, **kwargs)
        return shaped.model_copy(update={"logprob_masks": [*shaped.logprob_masks[1:], 0]})


def test_a_selected_prediction_that_is_of_no_completion_id_is_refused(packer: DecoderOnlyLLMDataPacker) -> None:
    """OBJ-8: a mask that selects the last prompt id asks for a logprob that nobody recorded."""
    shifted = Shifted()
    shifted.tokenizer = packer.tokenizer
    made = [recorded([110, 111], [120, 121], [-5.0, -6.0])]
    with pytest.raises(ValueError, match=r"trajectory 0: the packer's mask selects .* completion id -1 of 2"):
        make_objective(shifted)(random_probe(1, 4), made, advantages=[1.0])
    policy_gradient = make_objective(shifted, kind="policy_gradient")
    with pytest.raises(ValueError, match="trajectory 0: advantages: a list"):
        policy_gradient(random_probe(1, 4), made, advantages=[[1.0, 1.0]])
    probe = random_probe(1, 4)
    policy_gradient(probe, made, advantages=[1.0]).loss.backward()
    assert probe.reached() == [[1, 1, 0, 0]]
