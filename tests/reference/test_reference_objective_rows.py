"""Rows: which ids reach the packer, what is shaped without one, and which fields a model has to take."""

import contextlib
import copy
import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from objective_probes import BatchProbe, Probe, random_probe, recorded
from reference_samples import observe

from packer_reference import DecoderOnlyLLMDataPacker, make_objective
from packer_schemas import RLPolicyInput, Trajectory


class Watched:
    """The reference packer, with every call of it noted, and what its batch holds besides."""

    def __init__(self, packer: DecoderOnlyLLMDataPacker, **fields: Any) -> None:
        self.packer, self.fields, self.calls = packer, fields, list[Any]()
        self.on_input: Callable[[RLPolicyInput], Any] = lambda shaped: shaped

    def get_policy_input(self, sample: Any, rollout_output: Any, n: int = 0, *, prompt_ids: Any = None) -> Any:
        """The packer's own, noted."""
        self.calls.append((sample, rollout_output, n, prompt_ids))
        return self.on_input(self.packer.get_policy_input(sample, rollout_output, n, prompt_ids=prompt_ids))

    def policy_compute_max_len(self, samples: Any) -> int:
        """The packer's own."""
        return self.packer.policy_compute_max_len(samples)

    def policy_collate_fn(self, samples: Any, max_len: int) -> Any:
        """The packer's own, with the fields."""
        return {**self.packer.policy_collate_fn(samples, max_len), **self.fields}


@pytest.fixture
def watched(packer: DecoderOnlyLLMDataPacker) -> Watched:
    """A packer on tiny-qwen that is looked at."""
    return Watched(packer)


def test_stored_ids_are_handed_to_the_packer(watched: Watched) -> None:
    """OBJ-1: stored ids go in as they are, although the text would be another id; so do n and the sample."""
    made = recorded([110], [71, 68], [-1.0, -1.0], n_ignore_prefix_tokens=1)
    made.completion = "he"
    probe = random_probe(1, 3)
    make_objective(watched)(probe, [made], advantages=[1])
    assert watched.calls == [(made.obs, [71, 68], 1, [110])]
    assert probe.seen[0].tolist() == [[110, 71, 68]]


def test_absent_ids_are_the_packers_business(watched: Watched) -> None:
    """OBJ-1: without stored ids the packer gets the completion as it is, and None for the prompt."""
    made = Trajectory.model_construct(obs=observe("Hi"), completion="he", policy_info={"logprobs": [-5.0]}, reward=None)
    probe = random_probe(1, 3)
    make_objective(watched)(probe, [made], advantages=[[0.5]])
    assert watched.calls == [(made.obs, "he", 0, None)]
    assert probe.seen[0][0, -1].item() == 257


@pytest.mark.parametrize("completion", [[], (), np.array([], np.int64)])
def test_an_empty_completion_is_not_an_absent_one(watched: Watched, completion: Any) -> None:
    """OBJ-1: stored completion ids that are empty win over the text."""
    make_objective(watched)(random_probe(1, 1), [recorded([110], completion)], advantages=[1])
    assert len(watched.calls[0][1]) == 0


def test_empty_prompt_ids_are_refused_by_the_packer(watched: Watched) -> None:
    """OBJ-1: an empty list is handed on, refused there, and the error tells the trajectory."""
    with pytest.raises(ValueError, match="empty prompt") as caught:
        make_objective(watched)(random_probe(1, 1), [recorded([], [120], [-1.0])], advantages=[1])
    assert watched.calls[0][3] == []
    assert "while shaping trajectory 0" in caught.value.__notes__


def test_rows_may_be_mappings(packer: DecoderOnlyLLMDataPacker) -> None:
    """A packer whose policy inputs are mappings, as the contract allows, is scored as one with attributes."""

    class OfMappings(Watched):
        def get_policy_input(self, *args: Any, **kwargs: Any) -> Any:
            shaped = self.packer.get_policy_input(*args, **kwargs)
            return {"input_ids": shaped.input_ids, "logprob_masks": shaped.logprob_masks}

        def policy_compute_max_len(self, samples: Any) -> int:
            return max(len(one["input_ids"]) for one in samples)

        def policy_collate_fn(self, samples: Any, max_len: int) -> Any:
            return self.packer.policy_collate_fn([RLPolicyInput(**one) for one in samples], max_len)

    made, probe = [recorded([110, 111], [120], [-5.0]), recorded([110], [121], [-6.0])], random_probe(2, 3)
    expected = make_objective(packer)(probe, made, advantages=[1, -1])
    assert torch.equal(make_objective(OfMappings(packer))(probe, made, advantages=[1, -1]).loss, expected.loss)


@pytest.mark.parametrize("container", [list, tuple, np.array, torch.tensor])
def test_without_a_packer_a_row_is_prompt_and_completion(container: Callable[[Any], Any]) -> None:
    """OBJ-2: ids in any container are joined, and the mask selects the predictions of the completion."""
    probe = random_probe(2, 4)
    made = [recorded(container([110, 111]), container([120]), [-5.0]), recorded([7], container([8, 9, 10]), [-5.0] * 3)]
    make_objective(kind="policy_gradient")(probe, made, advantages=[1, 1]).loss.backward()
    assert probe.seen[0].tolist() == [[110, 111, 120, 0], [7, 8, 9, 10]]
    assert probe.reached() == [[0, 1, 0, 0], [1, 1, 1, 0]]


def test_a_completion_of_ids_needs_no_second_list() -> None:
    """OBJ-2: where `completion` is a list of ids, it is the completion."""
    made = Trajectory.model_construct(
        obs=observe("x"), completion=[120], policy_info={"prompt_ids": [110], "logprobs": [-5.0]}, reward=None
    )
    probe = random_probe(1, 2)
    make_objective()(probe, [made], advantages=[1])
    assert probe.seen[0].tolist() == [[110, 120]]


@pytest.mark.parametrize(("n", "error"), [(-1, ValueError), (3, ValueError), (True, TypeError), ("1", TypeError)])
def test_without_a_packer_n_has_its_borders(n: Any, error: type) -> None:
    """OBJ-2: as the masks chapter has it, n lies from 0 to C."""
    made = [recorded([1], [2], [-1.0]), recorded([1], [2, 3], [-1.0, -1.0], n_ignore_prefix_tokens=n)]
    with pytest.raises(error, match="trajectory 1: n_ignore_prefix_tokens is"):
        make_objective()(random_probe(2, 3), made, advantages=[1, 1])


def of_sample(prompt: Any, **info: Any) -> Trajectory:
    """A trajectory around a prompt."""
    return Trajectory.model_construct(obs=observe(prompt), completion="a text", policy_info=info, reward=None)


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (of_sample("Hi", completion_ids=[120], logprobs=[-1.0]), ["prompt_ids", "packer="]),
        (of_sample("Hi", prompt_ids=[], completion_ids=[120], logprobs=[-1.0]), ["prompt_ids", "packer="]),
        (of_sample("Hi", prompt_ids=[110], logprobs=[-1.0]), ["completion_ids", "packer="]),
        (
            of_sample(
                [{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "image", "image": "x.png"}]}],
                prompt_ids=[110],
                completion_ids=[120],
                logprobs=[-1.0],
            ),
            ["'image'", "packer=", "media"],
        ),
        (
            of_sample(
                [{"role": "user", "content": [{"type": "video_url", "text": "a caption"}]}],
                turns=[{"prompt_ids": [110], "completion_ids": [120], "logprobs": [-1.0]}],
            ),
            ["'video_url'", "packer="],
        ),
    ],
)
def test_without_a_packer_nothing_is_guessed(made: Trajectory, words: list[str]) -> None:
    """OBJ-3: a trajectory without ids, or with media, refuses the whole call by its index and says what to do."""
    probe = random_probe(2, 3)
    with pytest.raises(ValueError, match="trajectory 1 has") as caught:
        make_objective()(probe, [recorded([110], [120], [-1.0]), made], advantages=[1, 1])
    assert all(word in str(caught.value) for word in words)
    assert probe.seen == []


def test_conversations_of_text_are_fine_without_a_packer() -> None:
    """OBJ-3: text parts, bare strings and messages without content hold no media."""
    parts = [{"type": "text", "text": "a"}, {"text": "b"}, "c"]
    prompt = [{"role": "user", "content": parts}, {"role": "assistant", "content": None}, {"role": "user"}]
    made = of_sample(prompt, prompt_ids=[110], completion_ids=[120], logprobs=[-5.0])
    assert make_objective()(random_probe(1, 2), [made], advantages=[1]).loss.isfinite()


@pytest.mark.parametrize("kind", ["clipped", "policy_gradient"])
def test_fields_that_the_model_cannot_take_are_named(packer: DecoderOnlyLLMDataPacker, kind: str) -> None:
    """OBJ-4: pixels never reach a model that takes ids only, and the refusal comes before it runs."""
    pixels, probe = Watched(packer, pixel_values=torch.ones(1, 3), image_sizes=[(1, 1)]), random_probe(1, 2)
    with pytest.raises(ValueError, match=r"pixel_values, image_sizes.*forward_policy_batch"):
        make_objective(pixels, kind=kind)(probe, [recorded([110], [120], [-1.0])], advantages=[1])
    assert probe.seen == []


def test_a_model_that_takes_batches_gets_all_of_it(packer: DecoderOnlyLLMDataPacker) -> None:
    """OBJ-4: it is given every field, with the mask that is scored, but not the routing while replay is off."""
    fields = {"pixel_values": torch.ones(1, 3), "mm_units": {"pixel_values": "image"}, "grids": [torch.ones(2)]}
    routing = {"forward_replay_routing": torch.zeros(1, 2, 1, 1, dtype=torch.int8)}
    probe = random_probe(1, 2, whole=True)
    made = [recorded([110], [120], [-5.0], sampled=[0])]
    make_objective(Watched(packer, **fields, **routing))(probe, made, advantages=[1])
    (batch,) = probe.seen
    assert set(batch) == {"input_ids", "logprob_masks", *fields}
    assert batch["mm_units"] == fields["mm_units"]
    assert not batch["logprob_masks"].any()


def test_bookkeeping_ties_to_no_model(packer: DecoderOnlyLLMDataPacker) -> None:
    """OBJ-4: what is there for consumers, what is None, and token types that are all zero, need no special model."""
    fields = {
        "mm_owned_mask": torch.zeros(1, 2, dtype=torch.bool),
        "mm_row_counts": {},
        "mm_units": {},
        "mm_ranges": [{}],
        "mm_token_type_ids": torch.zeros(1, 2, dtype=torch.int64),
        "pixel_values": None,
        "forward_replay_routing": torch.zeros(1, 2, 1, 1, dtype=torch.int8),
    }
    made = [recorded([110], [120], [-5.0])]
    assert make_objective(Watched(packer, **fields))(random_probe(1, 2), made, advantages=[1]).loss.isfinite()
    fields["mm_token_type_ids"][0, 1] = 1  # type: ignore[index]
    with pytest.raises(ValueError, match="holds mm_token_type_ids, and"):
        make_objective(Watched(packer, **fields))(random_probe(1, 2), made, advantages=[1])


@pytest.mark.parametrize("fields", [{"mm_kwargs": {"pixel_values": torch.ones(1)}}, {"media": [1]}, {"media": 0}])
def test_the_policy_gradient_refuses_media(watched: Watched, fields: dict[str, Any]) -> None:
    """OBJ-4: it scores ids alone, so a policy input with media is refused, whatever the model can do."""
    watched.on_input = lambda shaped: SimpleNamespace(**{**shaped.__dict__, **fields})
    probe = random_probe(1, 2, whole=True)
    made = [recorded([110], [120], [-5.0])]
    with pytest.raises(ValueError, match=f"trajectory 0: its policy input has {next(iter(fields))}"):
        make_objective(watched, kind="policy_gradient")(probe, made, advantages=[1])
    assert probe.seen == []
    assert make_objective(watched)(probe, made, advantages=[1]).loss.isfinite()


@pytest.mark.parametrize("fields", [{"mm_kwargs": {}}, {"media": None}, {"media": []}])
def test_the_policy_gradient_takes_empty_media(watched: Watched, fields: dict[str, Any]) -> None:
    """OBJ-4: no media is no matter."""
    watched.on_input = lambda shaped: SimpleNamespace(**{**shaped.__dict__, **fields})
    made = [recorded([110], [120], [-5.0])]
    assert make_objective(watched, kind="policy_gradient")(random_probe(1, 2), made, advantages=[1]).loss.isfinite()


class Routed(BatchProbe):
    """A model of two layers and top_k 1, which says so."""

    layers, top_k = 2, 1
    config = SimpleNamespace(num_experts=4)


@pytest.mark.parametrize("kind", ["clipped", "policy_gradient"])
def test_replay_hands_the_routing_to_the_model(packer: DecoderOnlyLLMDataPacker, kind: str) -> None:
    """ROUTE-13: with replay on, the recorded experts stand in the batch that the model is given."""
    probe, record = Routed(torch.randn(1, 3, 300)), torch.tensor([[[3], [1]], [[0], [2]]])
    made = [recorded([110], [120, 121], [-5.0, -6.0], rollout_routed_experts=record)]
    make_objective(packer, kind=kind, routing_replay=True)(probe, made, advantages=[1])
    assert probe.seen[0]["forward_replay_routing"].squeeze(-1).tolist() == [[[3, 1], [0, 2], [-1, -1]]]


class OfConfig(BatchProbe):
    """A model that leaves its layout to its config, as those of transformers do; theirs has a `top_k` of sampling."""

    config = SimpleNamespace(num_local_experts=4, num_experts_per_tok=1, top_k=50)


def test_the_layout_is_read_from_the_config(packer: DecoderOnlyLLMDataPacker) -> None:
    """ROUTE-13: experts and top_k that the config names are compared, and layers that nobody names are not."""
    for experts, top_k, message in ((3, 1, None), (4, 1, "experts=4"), (3, 2, "top_k=1")):
        probe, record = OfConfig(torch.zeros(1, 2, 300)), torch.full((1, 7, top_k), experts)
        made = [recorded([110], [120], [-5.0], rollout_routed_experts=record)]
        objective = make_objective(packer, routing_replay=True)
        with pytest.raises(ValueError, match=message) if message else contextlib.nullcontext():
            objective(probe, made, advantages=[1])
        assert len(probe.seen) == (message is None)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (None, "forward_replay_routing is missing"),
        (torch.zeros(2, 1, 1, dtype=torch.int8), r"shape \[1, 3, 1, 1\], expected \[1, 3, 2, 1\]"),
        (torch.zeros(2, 2, 2, dtype=torch.int8), r"shape \[1, 3, 2, 2\], expected \[1, 3, 2, 1\]"),
        (torch.full((2, 2, 1), 4), "expert 4, and the model has experts=4"),
    ],
)
def test_replay_refuses_what_does_not_fit(packer: DecoderOnlyLLMDataPacker, record: Any, message: str) -> None:
    """ROUTE-13: no routing, and routing of another layout or of experts that the model has not, stop the call."""
    probe = Routed(torch.randn(1, 3, 300))
    made = [recorded([110], [120, 121], [-5.0, -6.0], rollout_routed_experts=record)]
    with pytest.raises(ValueError, match=message):
        make_objective(packer, routing_replay=True)(probe, made, advantages=[1])
    assert probe.seen == []


def test_replay_needs_a_packer_and_a_model() -> None:
    """ROUTE-13 and OBJ-4: a batch made without a packer holds no routing, and a model of ids alone cannot take it."""
    record = torch.zeros(1, 1, 1, dtype=torch.int8)
    made = [recorded([110], [120], [-5.0], rollout_routed_experts=record)]
    with pytest.raises(ValueError, match=r"forward_replay_routing.*packer="):
        make_objective(routing_replay=True)(random_probe(1, 2, whole=True), made, advantages=[1])


def test_a_model_of_ids_cannot_replay(packer: DecoderOnlyLLMDataPacker) -> None:
    """OBJ-4: replay is by `forward_policy_batch`."""
    made = [recorded([110], [120], [-5.0], rollout_routed_experts=torch.zeros(1, 1, 1, dtype=torch.int8))]
    with pytest.raises(ValueError, match=r"forward_replay_routing.*forward_policy_batch"):
        make_objective(packer, routing_replay=True)(random_probe(1, 2), made, advantages=[1])


def test_without_replay_records_cost_nothing(watched: Watched) -> None:
    """ROUTE-13: with replay off, no record is looked at, not even one that fits nothing."""
    made = [recorded([110], [120], [-5.0], rollout_routed_experts="nonsense")]
    assert make_objective(watched)(random_probe(1, 2), made, advantages=[1]).loss.isfinite()


@pytest.mark.parametrize("shape", [(2, 2), (1, 3)])
def test_a_batch_of_other_rows_is_refused(packer: DecoderOnlyLLMDataPacker, shape: tuple[int, int]) -> None:
    """A packer whose batch has not one row for each policy input, or whose mask has another width, is told so."""
    other = Watched(packer, input_ids=torch.zeros(shape, dtype=torch.int64))
    with pytest.raises(ValueError, match=r"input_ids .* and logprob_masks .* expected \[1, W\]"):
        make_objective(other)(random_probe(1, 2), [recorded([110], [120], [-5.0])], advantages=[1])


def test_a_row_that_lost_ids_is_refused(watched: Watched) -> None:
    """A packer that merged stored ids is told, for then no stream has its place."""
    watched.on_input = lambda shaped: shaped.model_copy(
        update={"input_ids": shaped.input_ids[:-1], "logprob_masks": shaped.logprob_masks[1:]}
    )
    with pytest.raises(ValueError, match="row has 2 ids, fewer than the 1 prompt_ids and 2 completion ids"):
        make_objective(watched)(random_probe(1, 2), [recorded([110], [120, 121], [-5.0, -5.0])], advantages=[1])


@pytest.mark.parametrize("answer", [None, torch.zeros(1, 3, 4), torch.zeros(1, 2), SimpleNamespace(logits=3)])
def test_logits_of_another_shape_are_refused(answer: Any) -> None:
    """A model that answers with anything but logits of the batch's rows and width is told what was expected."""
    with pytest.raises(ValueError, match=r"expected logits \[1, 2, 'V'\]"):
        make_objective()(lambda _: answer, [recorded([110], [120], [-5.0])], advantages=[1])


def test_what_is_no_trajectory_is_refused() -> None:
    """A mapping in the place of a trajectory is named by its index."""
    with pytest.raises(TypeError, match="trajectory 0 is a dict, expected obs, completion"):
        make_objective()(random_probe(1, 2), [{}], advantages=[1])
    nothing = SimpleNamespace(obs=None, policy_info=None)
    with pytest.raises(TypeError, match="trajectory 0: the completion is NoneType None"):
        make_objective()(random_probe(1, 2), [nothing], advantages=[1])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (recorded([110], [120], [-5.0]), r"objective: trajectories is one Trajectory, expected a list; pass \[traj"),
        (None, "objective: trajectories is NoneType None, expected a list of them"),
        ({"a": 1}, "objective: trajectories is dict {'a': 1}, expected a list of them"),
    ],
    ids=["one", "none", "mapping"],
)
def test_one_trajectory_is_no_list_of_them(given: Any, message: str) -> None:
    """What is no list of trajectories is told so, and not taken to pieces."""
    with pytest.raises(TypeError, match=message):
        make_objective()(random_probe(1, 2), given, advantages=[1])


@pytest.mark.parametrize("model", ["tiny-qwen", [recorded([110], [120], [-5.0])]], ids=["its name", "trajectories"])
def test_what_cannot_be_called_is_no_model(model: Any) -> None:
    """A model's name, and trajectories in the model's place, are told so before anything is read."""
    with pytest.raises(TypeError, match=r"model is a \w+, expected what is called with a batch"):
        make_objective()(model, [recorded([110], [120], [-5.0])], advantages=[1])


def test_a_tokenizer_is_no_packer(packer: DecoderOnlyLLMDataPacker) -> None:
    """What cannot shape policy inputs is refused where the objective is made."""
    with pytest.raises(TypeError, match=r"packer is a .*, expected one with get_policy_input"):
        make_objective(packer.tokenizer)


@pytest.mark.parametrize("kind", ["clipped", "policy_gradient"])
def test_nothing_given_is_written_to(packer: DecoderOnlyLLMDataPacker, kind: str) -> None:
    """OBJ-16: trajectories to any depth, advantages, and batches that the packer holds stay; two calls are equal."""
    held: list[Any] = []

    class Holding(Watched):
        def policy_collate_fn(self, samples: Any, max_len: int) -> Any:
            held.append(super().policy_collate_fn(samples, max_len))
            return held[-1]

    record = torch.zeros(2, 2, 1, dtype=torch.int8)
    made = [
        recorded([110], [120, 121], [-5.0, -6.0], n_ignore_prefix_tokens=1, rollout_routed_experts=record),
        recorded([110], [120, 121], [-5.0, math.nan], sampled=[1, 0], rollout_routed_experts=record),
        recorded([110], [120, 121], [-5.0, -6.0], filler=True, rollout_routed_experts=record),
    ]
    advantages: list[Any] = [[1.0, 2.0], 3.0, None]
    before = copy.deepcopy((made, advantages))
    objective = make_objective(Holding(packer), kind=kind, routing_replay=True)
    probe = Routed(torch.randn(3, 3, 300, generator=torch.Generator().manual_seed(1)))
    results = [objective(probe, made, advantages=advantages) for _ in range(2)]
    for result in results:
        result.loss.backward()
    assert torch.equal(results[0].loss, results[1].loss)
    assert results[0].metrics == results[1].metrics
    assert repr((made, advantages)) == repr(before)
    assert held[0]["logprob_masks"].tolist() == [[False, True, False], [True, True, False], [True, True, False]]
    assert probe.reached() == [[0, 1, 0], [1, 0, 0], [0, 0, 0]]


class Elsewhere(Probe):
    """A model on the device `meta`, where there are shapes and no numbers."""

    device = torch.device("meta")


def test_the_batch_is_taken_to_the_models_device() -> None:
    """OBJ-16: the model gets its ids on its own device, with their type."""
    probe = Elsewhere(torch.zeros(1, 2, 300))
    make_objective()(probe, [recorded([110], [120], [-5.0])], advantages=[1])
    assert (probe.seen[0].device.type, probe.seen[0].dtype) == ("meta", torch.int64)
